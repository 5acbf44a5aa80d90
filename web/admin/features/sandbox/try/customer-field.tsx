import { Autocomplete, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { searchQuery } from '../../../shared/api/search.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { numberOfCustomer } from '../queries.ts'
import { useSandboxTexts } from '../texts.ts'
import type { AboutCustomer } from './try-form.tsx'

const TYPING_MS = 200
const SHOWN = 8

/** Whom something is tried with: found by name or address, or by the number, which stays in the field. */
export function CustomerField({ customer, onCustomer, error }: AboutCustomer & { error: ReactNode }) {
  const { id: store } = useKnownStore()
  const { number, numberHelp, customer: texts } = useSandboxTexts()
  const [typed] = useDebouncedValue(customer.trim(), TYPING_MS)
  const isNumber = /^[0-9]*$/.test(customer.trim())
  const { data = [] } = useQuery(searchQuery(store, isNumber ? '' : typed, SHOWN))
  const people = isNumber ? [] : data.filter(({ kind }) => kind === 'customer')
  const choose = async (id: string) => onCustomer(await numberOfCustomer(store, id))
  return (
    <Autocomplete
      label={number}
      description={numberHelp}
      value={customer}
      onChange={onCustomer}
      onOptionSubmit={choose}
      data={people.map(({ id, name, email }) => ({ value: id, label: `${name ?? email ?? id} (${id})` }))}
      // The service has found them already.
      filter={({ options }) => options}
      renderOption={({ option }) => {
        const found = people.find(({ id }) => id === option.value)
        return (
          <div className="wrap-anywhere">
            <Text size="sm">{found?.name ?? texts.noName}</Text>
            <Text size="xs" c="dimmed">
              {found?.email ?? found?.id}
            </Text>
          </div>
        )
      }}
      error={error}
    />
  )
}
