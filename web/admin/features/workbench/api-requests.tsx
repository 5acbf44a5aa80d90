import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useSearchFilters } from '../../shared/api/search-filters.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { FilterBar } from '../../shared/ui/lists/filter-bar.tsx'
import { FindField } from '../../shared/ui/lists/find-field.tsx'
import { OlderLink, useBefore } from '../../shared/ui/lists/older-link.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { CausedBy } from './caused-by.tsx'
import { type ApiRequest, requestsQuery } from './queries.ts'
import { useWorkbenchTexts } from './texts.ts'

/** What was asked of the APIs of the store. */
export function ApiRequests() {
  const { id, timezone } = useKnownStore()
  const [{ request }, change] = useSearchFilters(['request'])
  const requests = useQuery(requestsQuery(id, Number(useBefore()) || undefined, request))
  const texts = useWorkbenchTexts()
  const { count } = useFormats()
  const { requestColumns: columns } = texts
  return (
    <Section title={texts.requests}>
      <FilterBar
        label={texts.filters}
        clearLabel={texts.clear}
        isFiltered={request !== ''}
        onClear={() => change({ request: '' })}
      >
        <FindField
          label={texts.request}
          description={texts.requestHelp}
          findLabel={texts.find}
          maxLength={100}
          value={request}
          onFind={(request) => change({ request })}
        />
      </FilterBar>
      <QueryView query={requests} height={300}>
        {({ data, next }) => (
          <>
            {data.length === 0 ? (
              <EmptyState
                title={request ? texts.noSuchRequest : texts.noRequests}
                text={request ? texts.noSuchRequestText : texts.noRequestsText}
              />
            ) : (
              <PlainTable
                label={texts.requests}
                rows={data}
                keyOf={(one) => String(one.id)}
                empty=""
                columns={[
                  { title: columns.at, cell: ({ requested_at }) => <Instant at={requested_at} zone={timezone} /> },
                  { title: columns.what, cell: (one) => <What request={one} /> },
                  { title: columns.key, cell: ({ key }) => <Key of={key} /> },
                  { title: columns.status, isNumber: true, cell: ({ status }) => status },
                  { title: columns.duration, isNumber: true, cell: ({ duration_ms }) => `${count(duration_ms)} ms` },
                  { title: columns.id, cell: ({ request_id }) => <CausedBy id={request_id} /> }
                ]}
              />
            )}
            <OlderLink next={next} />
          </>
        )}
      </QueryView>
    </Section>
  )
}

const What = ({ request: { method, path } }: { request: ApiRequest }) => (
  <Stack gap={0} miw={200} maw={360}>
    <Text size="sm">{method}</Text>
    <Text size="xs" c="dimmed" className="wrap-anywhere">
      {path}
    </Text>
  </Stack>
)

function Key({ of: key }: { of: ApiRequest['key'] }) {
  const { id } = useKnownStore()
  const texts = useWorkbenchTexts()
  if (!key) return texts.noKey
  return (
    <Anchor component={Link} to={`/stores/${id}/integrations`} size="sm">
      {key.name ?? key.id}
    </Anchor>
  )
}
