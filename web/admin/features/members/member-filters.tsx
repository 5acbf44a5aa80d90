import { Button, Group, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { plansQuery } from '../../shared/api/plans.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import type { MemberFilters } from './queries.ts'
import { useMembersTexts } from './texts.ts'

type Props = { filters: MemberFilters; change: (filters: Partial<MemberFilters>) => void }

export function Filters({ filters, change }: Props) {
  const { id } = useKnownStore()
  const { data: plans = [] } = useQuery(plansQuery(id))
  const texts = useMembersTexts()
  const isFiltered = filters.q !== '' || filters.status !== '' || filters.plan !== ''

  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // A search is among everybody.
    change({ q: String(new FormData(event.currentTarget).get('q')).trim(), status: '', plan: '' })
  }
  return (
    <search aria-label={texts.filters}>
      <form onSubmit={find}>
        <Group align="flex-end">
          <Group align="flex-end" gap="xs" wrap="nowrap" w={{ base: '100%', xs: 'auto' }}>
            <TextInput
              name="q"
              type="search"
              label={texts.search}
              placeholder={texts.searchHelp}
              maxLength={320}
              // Another text in the address is another field.
              key={filters.q}
              defaultValue={filters.q}
              flex={1}
              miw={{ xs: 260 }}
            />
            <Button type="submit" variant="default">
              {texts.find}
            </Button>
          </Group>
          <Select
            label={texts.status}
            value={filters.status || null}
            placeholder={texts.any}
            clearable
            onChange={(status) => change({ q: '', status: (status ?? '') as MemberFilters['status'] })}
            data={Object.entries(texts.statuses).map(([value, label]) => ({ value, label }))}
            w={150}
          />
          <Select
            label={texts.plan}
            value={filters.plan || null}
            placeholder={texts.any}
            clearable
            onChange={(plan) => change({ q: '', plan: plan ?? '' })}
            data={plans.map(({ id, name }) => ({ value: id, label: name }))}
            w={180}
          />
          {isFiltered && (
            <Button variant="subtle" onClick={() => change({ q: '', status: '', plan: '' })}>
              {texts.clear}
            </Button>
          )}
        </Group>
      </form>
    </search>
  )
}
