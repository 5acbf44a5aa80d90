import { Button, Group, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import { EventTypeSelect } from '../../../shared/ui/event-type-select.tsx'
import { FilterBar } from '../../../shared/ui/lists/filter-bar.tsx'
import { SelectFilter } from '../../../shared/ui/lists/select-filter.tsx'
import { endpointsQuery, type DeliveryFilters as Filters } from '../queries.ts'
import { useWebhooksTexts } from '../texts.ts'
import { useDeliveriesTexts } from './texts.ts'

type Props = { filters: Filters; change: (filters: Partial<Filters>) => void; isFiltered: boolean }

const NONE = { event: '', status: '', endpoint: '', object: '', event_id: '', from: '', to: '' }

export function DeliveryFilters({ filters, change, isFiltered }: Props) {
  const { id } = useKnownStore()
  const { data: endpoints = [] } = useQuery(endpointsQuery(id))
  const texts = useDeliveriesTexts()
  const { statuses, listener } = useWebhooksTexts()
  const { common } = useTexts()
  const names = endpoints.map(({ id: value, kind, url }) => [value, kind === 'url' ? url : listener] as const)
  // One of the address may be deleted: it has a history too.
  const isGone = filters.endpoint !== '' && names.every(([value]) => value !== filters.endpoint)
  const known = isGone ? [...names, [filters.endpoint, filters.endpoint] as const] : names

  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const text = (name: string) => String(given.get(name)).trim()
    change({ object: text('object'), event_id: text('event_id'), from: text('from'), to: text('to') })
  }
  return (
    <FilterBar label={texts.filters} clearLabel={texts.clear} isFiltered={isFiltered} onClear={() => change(NONE)}>
      <EventTypeSelect
        label={texts.event}
        placeholder={common.any}
        clearable
        value={filters.event}
        onChange={(event) => change({ event })}
        w={230}
      />
      <SelectFilter
        label={texts.status}
        value={filters.status}
        onChange={(status) => change({ status })}
        choices={Object.entries(statuses)}
      />
      <SelectFilter
        label={texts.endpoint}
        value={filters.endpoint}
        onChange={(endpoint) => change({ endpoint })}
        choices={known}
      />
      <form onSubmit={find}>
        <Group align="flex-end" gap="sm">
          {/* Other values in the address are other fields. */}
          <TextInput
            name="object"
            label={texts.object}
            placeholder={texts.objectHelp}
            maxLength={30}
            key={`object ${filters.object}`}
            defaultValue={filters.object}
            w={200}
          />
          <TextInput
            name="event_id"
            label={texts.eventId}
            placeholder="evt_812"
            maxLength={30}
            key={`event ${filters.event_id}`}
            defaultValue={filters.event_id}
            w={120}
          />
          <TextInput
            name="from"
            type="date"
            label={texts.from}
            key={`from ${filters.from}`}
            defaultValue={filters.from}
            w={150}
          />
          <TextInput
            name="to"
            type="date"
            label={texts.to}
            key={`to ${filters.to}`}
            defaultValue={filters.to}
            w={150}
          />
          <Button type="submit" variant="default">
            {texts.find}
          </Button>
        </Group>
      </form>
    </FilterBar>
  )
}
