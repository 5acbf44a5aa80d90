import { Button, Group, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useTexts } from '../../shared/texts/language.tsx'
import { EventTypeSelect } from '../../shared/ui/event-type-select.tsx'
import { FilterBar } from '../../shared/ui/lists/filter-bar.tsx'
import { useWorkbenchTexts } from './texts.ts'

type Filters = { type: string; customer: string }
type Props = { filters: Filters; change: (filters: Partial<Filters>) => void }

export function EventFilters({ filters, change }: Props) {
  const texts = useWorkbenchTexts()
  const { common } = useTexts()
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    change({ customer: String(new FormData(event.currentTarget).get('customer')).trim() })
  }
  return (
    <FilterBar
      label={texts.filters}
      clearLabel={texts.clear}
      isFiltered={filters.type !== '' || filters.customer !== ''}
      onClear={() => change({ type: '', customer: '' })}
    >
      <EventTypeSelect
        label={texts.type}
        placeholder={common.any}
        clearable
        value={filters.type}
        onChange={(type) => change({ type })}
        w={240}
      />
      <form onSubmit={find}>
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <TextInput
            name="customer"
            label={texts.customer}
            placeholder={texts.customerHelp}
            maxLength={200}
            // Another customer in the address is another field.
            key={filters.customer}
            defaultValue={filters.customer}
            flex={1}
            miw={{ xs: 260 }}
          />
          <Button type="submit" variant="default">
            {texts.find}
          </Button>
        </Group>
      </form>
    </FilterBar>
  )
}
