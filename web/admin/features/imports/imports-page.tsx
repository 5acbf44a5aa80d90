import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { May } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { StatusBadge } from '../../shared/ui/status-badge.tsx'
import { NewImportButton } from './new-import-button.tsx'
import { importsQuery } from './queries.ts'
import { Tabs } from './tabs.tsx'
import { useImportsTexts } from './texts.ts'

/** Members whom another service has billed until now, on their way here. */
export function ImportsPage() {
  const { id: store, timezone } = useKnownStore()
  const imports = useQuery(importsQuery(store))
  const texts = useImportsTexts()
  const { pages } = useTexts()
  const { count } = useFormats()
  return (
    <Page
      title={pages.imports}
      aside={
        <May permission="manage">
          <NewImportButton />
        </May>
      }
    >
      <Tabs />
      <QueryView query={imports} height={300}>
        {(known) =>
          known.length === 0 ? (
            <EmptyState title={texts.none} text={texts.noneText}>
              <Text size="sm" component="pre" className="wide-content code-block" ta="left" maw="100%" tabIndex={0}>
                {texts.example}
              </Text>
            </EmptyState>
          ) : (
            <Stack gap="sm">
              <Text size="sm" c="dimmed" maw={720}>
                {texts.text}
              </Text>
              <PlainTable
                label={pages.imports}
                rows={known}
                keyOf={({ id }) => id}
                empty=""
                columns={[
                  {
                    title: texts.import,
                    cell: ({ id }) => (
                      <Anchor component={Link} to={`/stores/${store}/imports/${id}`} size="sm" fw={500}>
                        {id}
                      </Anchor>
                    )
                  },
                  { title: texts.status, cell: ({ status }) => <StatusBadge status={status} names={texts.statuses} /> },
                  { title: texts.source, cell: ({ source }) => texts.sources[source] ?? source },
                  { title: texts.created, isNumber: true, cell: ({ created }) => count(created) },
                  { title: texts.refused, isNumber: true, cell: ({ refused }) => count(refused) },
                  { title: texts.begun, cell: ({ created_at }) => <Instant at={created_at} zone={timezone} /> }
                ]}
              />
            </Stack>
          )
        }
      </QueryView>
    </Page>
  )
}
