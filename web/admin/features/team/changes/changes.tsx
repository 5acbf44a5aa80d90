import { Box, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearchFilters } from '../../../shared/api/search-filters.ts'
import { storesQuery, useKnownStore } from '../../../shared/api/stores.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { useOperationName } from '../../../shared/texts/operations.ts'
import { CopyId } from '../../../shared/ui/copy-id.tsx'
import { EmptyState } from '../../../shared/ui/empty-state.tsx'
import { FilterBar } from '../../../shared/ui/lists/filter-bar.tsx'
import { OlderLink, useBefore } from '../../../shared/ui/lists/older-link.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { SelectFilter } from '../../../shared/ui/lists/select-filter.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { type Change, changesQuery } from '../queries.ts'
import { useTeamTexts } from '../texts.ts'

/** Every change that was asked for by the admin API: who, when, what, from where. */
export function Changes() {
  const { timezone } = useKnownStore()
  const [{ store }, change] = useSearchFilters(['store'])
  const changes = useQuery(changesQuery(store, useBefore()))
  const { data: stores = [] } = useQuery(storesQuery)
  const { changes: texts } = useTeamTexts()
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed" maw={720}>
        {texts.text}
      </Text>
      <FilterBar
        label={texts.filters}
        clearLabel={texts.clear}
        isFiltered={store !== ''}
        onClear={() => change({ store: '' })}
      >
        <SelectFilter
          label={texts.store}
          value={store}
          onChange={(store) => change({ store })}
          choices={stores.map(({ id, name }) => [id, name] as const)}
        />
      </FilterBar>
      <QueryView query={changes} height={400}>
        {({ data, next }) =>
          data.length === 0 ? (
            <EmptyState title={texts.none} text={texts.noneText} />
          ) : (
            <>
              <PlainTable
                label={texts.list}
                rows={data}
                keyOf={({ id }) => String(id)}
                empty=""
                columns={[
                  {
                    title: texts.when,
                    cell: ({ changed_at }) => (
                      <Box miw={110}>
                        <Instant at={changed_at} zone={timezone} />
                      </Box>
                    )
                  },
                  { title: texts.who, cell: ({ person }) => <Who person={person} /> },
                  { title: texts.what, cell: (one) => <What change={one} /> },
                  { title: texts.answer, cell: ({ status }) => <Answer status={status} /> },
                  { title: texts.where, cell: (one) => <Where change={one} /> },
                  {
                    title: texts.request,
                    cell: ({ request_id }) => (
                      <Box miw={170}>
                        <CopyId value={request_id} />
                      </Box>
                    )
                  }
                ]}
              />
              <OlderLink next={next} />
            </>
          )
        }
      </QueryView>
    </Stack>
  )
}

function Who({ person }: { person: Change['person'] }) {
  const { changes: texts } = useTeamTexts()
  return (
    <Text size="sm" lineClamp={2} className="wrap-anywhere" miw={90}>
      {person?.name ?? texts.token}
    </Text>
  )
}

function What({ change: { operation, path, fields } }: { change: Change }) {
  const nameOf = useOperationName()
  return (
    <Stack gap={0} miw={220}>
      <Text size="sm" fw={500}>
        {nameOf(operation)}
      </Text>
      <Text size="xs" c="dimmed" className="wrap-anywhere" lineClamp={2}>
        {path}
      </Text>
      {fields.length > 0 && (
        <Text size="xs" c="dimmed" className="wrap-anywhere" lineClamp={2}>
          {fields.join(', ')}
        </Text>
      )}
    </Stack>
  )
}

function Answer({ status }: { status: Change['status'] }) {
  const { changes: texts } = useTeamTexts()
  if (status === null) return texts.noAnswer
  return `${status} · ${status < 400 ? texts.done : texts.refused}`
}

const Where = ({ change: { ip_address, user_agent } }: { change: Change }) => (
  <Stack gap={0} miw={140}>
    <Text size="sm">{ip_address}</Text>
    <Text size="xs" c="dimmed" lineClamp={1} className="wrap-anywhere" title={user_agent ?? undefined}>
      {user_agent ?? '–'}
    </Text>
  </Stack>
)
