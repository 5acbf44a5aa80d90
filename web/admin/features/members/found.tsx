import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { pageOfResult, searchQuery } from '../../shared/api/search.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { useMembersTexts } from './texts.ts'

const MAX_FOUND = 50

/** Customers by a text, also those who are no members, and the orders and subscriptions that it names. */
export function Found({ q }: { q: string }) {
  const { id: store } = useKnownStore()
  const found = useQuery(searchQuery(store, q, MAX_FOUND))
  const texts = useMembersTexts()
  const { foundColumns: columns } = texts
  return (
    <QueryView query={found} height={400}>
      {(results) =>
        results.length === 0 ? (
          <EmptyState title={texts.nothingFound} text={texts.nothingFoundText} />
        ) : (
          <PlainTable
            label={texts.found}
            rows={results}
            keyOf={({ kind, id }) => `${kind} ${id}`}
            empty=""
            columns={[
              {
                title: columns.name,
                cell: ({ kind, id, name, email }) => (
                  <div className="wrap-anywhere">
                    <Anchor component={Link} to={pageOfResult(store, { kind, id })} size="sm" fw={500} lineClamp={2}>
                      {name ?? email ?? id}
                    </Anchor>
                    {name !== null && (
                      <Text size="sm" c="dimmed" lineClamp={1}>
                        {email}
                      </Text>
                    )}
                  </div>
                )
              },
              { title: columns.what, cell: ({ kind }) => texts.foundKinds[kind] ?? kind },
              {
                title: columns.status,
                cell: ({ status }) => (status === null ? '–' : (texts.statuses[status] ?? status))
              }
            ]}
          />
        )
      }
    </QueryView>
  )
}
