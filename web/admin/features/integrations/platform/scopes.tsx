import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { type Connection, connectionQuery } from './queries.ts'
import { usePlatformTexts } from './texts.ts'

type Scope = Connection['scopes'][number]

/** In the order in which they need attention. */
const GRANTS = ['missing', 'unknown', 'optional', 'granted'] as const

function grantOf({ granted, optional }: Scope): (typeof GRANTS)[number] {
  if (granted === null) return 'unknown'
  if (granted) return 'granted'
  return optional ? 'optional' : 'missing'
}

/** What the app may do on the platform: what is missing first, with what does not work for want of it. */
export function Scopes() {
  const { id } = useKnownStore()
  const connection = useQuery(connectionQuery(id))
  const texts = usePlatformTexts()
  const { count } = useFormats()
  const { scopeColumns } = texts
  return (
    <Section title={texts.scopes}>
      <Text size="sm">{texts.scopesAsked}</Text>
      <QueryView query={connection} height={300}>
        {({ scopes }) => (
          <>
            <Text size="sm" fw={500}>
              {summaryOf(scopes)}
            </Text>
            <PlainTable
              label={texts.scopes}
              rows={scopes.toSorted((a, b) => GRANTS.indexOf(grantOf(a)) - GRANTS.indexOf(grantOf(b)))}
              keyOf={({ scope }) => scope}
              empty=""
              columns={[
                { title: scopeColumns.scope, cell: ({ scope }) => <code>{scope}</code> },
                {
                  title: scopeColumns.granted,
                  cell: (scope) => <StatusBadge status={grantOf(scope)} names={texts.grants} />
                },
                {
                  title: scopeColumns.neededFor,
                  cell: ({ needed_for }) => (
                    <Text size="sm" miw={200}>
                      {needed_for}
                    </Text>
                  )
                },
                {
                  title: scopeColumns.without,
                  cell: ({ without }) => (
                    <Text size="sm" miw={200}>
                      {without}
                    </Text>
                  )
                }
              ]}
            />
          </>
        )}
      </QueryView>
    </Section>
  )

  function summaryOf(scopes: Scope[]): string {
    const missing = scopes.filter((scope) => grantOf(scope) === 'missing').length
    if (missing > 0) return texts.missing(count(missing))
    return scopes.some(({ granted }) => granted === null) ? texts.notAsked : texts.complete
  }
}
