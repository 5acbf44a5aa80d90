import { Button, Group, Select, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useTexts } from '../../../shared/texts/language.tsx'
import { useLoyaltyTexts } from '../texts.ts'

type Props<Name extends string> = {
  /** The filter beside the customer. */
  name: Name
  label: string
  words: Record<string, string>
  filters: Record<Name | 'customer', string>
  change: (change: Partial<Record<Name | 'customer', string>>) => void
}

/** The filters of a list: a customer, and one of some words. */
export function ListFilters<Name extends string>({ name, label, words, filters, change }: Props<Name>) {
  const texts = useLoyaltyTexts()
  const { common } = useTexts()
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    set('customer', String(new FormData(event.currentTarget).get('customer')).trim())
  }
  const set = (field: Name | 'customer', value: string) =>
    change({ [field]: value } as Partial<Record<Name | 'customer', string>>)
  const isFiltered = filters.customer !== '' || filters[name] !== ''
  return (
    <search>
      <form onSubmit={find}>
        <Group align="flex-end">
          <Group align="flex-end" gap="xs" wrap="nowrap" w={{ base: '100%', xs: 'auto' }}>
            <TextInput
              name="customer"
              label={texts.customer}
              placeholder="cust_24"
              title={texts.customerHelp}
              maxLength={330}
              key={filters.customer}
              defaultValue={filters.customer}
              flex={1}
              miw={{ xs: 260 }}
            />
            <Button type="submit" variant="default">
              {texts.find}
            </Button>
          </Group>
          <Select
            label={label}
            placeholder={common.any}
            clearable
            value={filters[name] || null}
            onChange={(value) => set(name, value ?? '')}
            data={Object.entries(words).map(([value, text]) => ({ value, label: text }))}
            w={220}
          />
          {isFiltered && (
            <Button variant="subtle" onClick={() => change({ customer: '', [name]: '' } as never)}>
              {texts.clear}
            </Button>
          )}
        </Group>
      </form>
    </search>
  )
}
