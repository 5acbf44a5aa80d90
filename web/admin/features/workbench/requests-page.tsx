import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../shared/api/stores.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useMay } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { CopyId } from '../../shared/ui/copy-id.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { OlderLink, useBefore } from '../../shared/ui/lists/older-link.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { changesQuery } from './queries.ts'
import { Tabs } from './tabs.tsx'
import { useWorkbenchTexts } from './texts.ts'

/** The changes of the store by the admin API, with the ids of their requests. */
export function RequestsPage() {
  const texts = useWorkbenchTexts()
  const { pages } = useTexts()
  const maySee = useMay('install')
  return (
    <Page title={pages.workbench}>
      <Tabs />
      <Text>{texts.requestsLead}</Text>
      {maySee ? <Requests /> : <Text>{texts.notForRole}</Text>}
    </Page>
  )
}

function Requests() {
  const { id, timezone } = useKnownStore()
  const before = Number(useBefore()) || undefined
  const changes = useQuery(changesQuery(id, before))
  const texts = useWorkbenchTexts()
  const { requestColumns } = texts
  return (
    <Section title={texts.requests}>
      <QueryView query={changes} height={400}>
        {({ data, next }) => (
          <>
            {data.length === 0 ? (
              <EmptyState title={texts.noRequests} text={texts.noRequestsText} />
            ) : (
              <PlainTable
                label={texts.requests}
                rows={data}
                keyOf={(change) => String(change.id)}
                empty=""
                columns={[
                  {
                    title: requestColumns.at,
                    cell: ({ changed_at }) => <Instant at={changed_at} zone={timezone} />
                  },
                  { title: requestColumns.who, cell: ({ person }) => person?.name ?? texts.operator },
                  {
                    title: requestColumns.operation,
                    cell: ({ operation, path, fields }) => (
                      <Stack gap={0} miw={200} maw={360}>
                        <Text size="sm">
                          {operation}
                          {fields.length > 0 && ` (${fields.join(', ')})`}
                        </Text>
                        <Text size="xs" c="dimmed" className="wrap-anywhere">
                          {path}
                        </Text>
                      </Stack>
                    )
                  },
                  { title: requestColumns.status, cell: ({ status }) => status ?? texts.underWay },
                  { title: requestColumns.id, cell: ({ request_id }) => <CopyId value={request_id} /> },
                  { title: requestColumns.from, cell: ({ ip_address }) => ip_address }
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
