import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearchFilters } from '../../shared/api/search-filters.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useMay } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { useOperationName } from '../../shared/texts/operations.ts'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { OlderLink, useBefore } from '../../shared/ui/lists/older-link.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { ApiRequests } from './api-requests.tsx'
import { CausedBy } from './caused-by.tsx'
import { changesQuery } from './queries.ts'
import { Tabs } from './tabs.tsx'
import { useWorkbenchTexts } from './texts.ts'

/** The requests that changed something in the store or were refused, each with the way to its events. */
export function RequestsPage() {
  const texts = useWorkbenchTexts()
  const { pages } = useTexts()
  const maySee = useMay('install')
  return (
    <Page title={pages.workbench}>
      <Tabs />
      <Text>{texts.requestsLead}</Text>
      <ApiRequests />
      {maySee ? <Changes /> : <Text>{texts.notForRole}</Text>}
    </Page>
  )
}

/** What people and programs changed by the admin API. */
function Changes() {
  const { id, timezone } = useKnownStore()
  const [{ request }] = useSearchFilters(['request'])
  const changes = useQuery(changesQuery(id, Number(useBefore('changes')) || undefined, request))
  const texts = useWorkbenchTexts()
  const { changeColumns } = texts
  const nameOf = useOperationName()
  return (
    <Section title={texts.changes}>
      <QueryView query={changes} height={400}>
        {({ data, next }) => (
          <>
            {data.length === 0 ? (
              <EmptyState
                title={request ? texts.noSuchRequest : texts.noChanges}
                text={request ? texts.noSuchRequestText : texts.noChangesText}
              />
            ) : (
              <PlainTable
                label={texts.changes}
                rows={data}
                keyOf={(change) => String(change.id)}
                empty=""
                columns={[
                  {
                    title: changeColumns.at,
                    cell: ({ changed_at }) => <Instant at={changed_at} zone={timezone} />
                  },
                  { title: changeColumns.who, cell: ({ person }) => person?.name ?? texts.operator },
                  {
                    title: changeColumns.operation,
                    cell: ({ operation, path, fields }) => (
                      <Stack gap={0} miw={200} maw={360}>
                        <Text size="sm">{nameOf(operation)}</Text>
                        <Text size="xs" c="dimmed" className="wrap-anywhere">
                          {[operation, ...fields].join(', ')}
                        </Text>
                        <Text size="xs" c="dimmed" className="wrap-anywhere">
                          {path}
                        </Text>
                      </Stack>
                    )
                  },
                  { title: changeColumns.status, cell: ({ status }) => status ?? texts.underWay },
                  { title: changeColumns.id, cell: ({ request_id }) => <CausedBy id={request_id} /> },
                  { title: changeColumns.from, cell: ({ ip_address }) => ip_address }
                ]}
              />
            )}
            <OlderLink next={next} parameter="changes" />
          </>
        )}
      </QueryView>
    </Section>
  )
}
