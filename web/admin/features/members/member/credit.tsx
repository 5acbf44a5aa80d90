import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { useLedgerReason } from '../../../shared/texts/ledger-reasons.ts'
import { FactList } from '../../../shared/ui/fact-list.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { creditQuery } from '../queries.ts'
import { useMemberTexts } from './texts.ts'

/** The account of store credit and its latest entries. */
export function Credit({ customer }: { customer: string }) {
  const { id, timezone, currency } = useKnownStore()
  const credit = useQuery(creditQuery(id, customer))
  const texts = useMemberTexts()
  const { money } = useFormats()
  const words = useLedgerReason()
  return (
    <Section
      title={texts.credit}
      aside={
        <Anchor component={Link} to={`/stores/${id}/credit?customer=${customer}`} size="sm">
          {texts.toCredit}
        </Anchor>
      }
    >
      <QueryView query={credit}>
        {(account) => (
          <>
            {account && (
              <FactList
                facts={[
                  [texts.balance, money(account.balance, account.currency)],
                  [texts.available, money(account.available, account.currency)],
                  [texts.reserved, money(account.reserved, account.currency)]
                ]}
              />
            )}
            <PlainTable
              label={texts.entries}
              rows={account?.entries ?? []}
              keyOf={(entry) => entry.id}
              empty={texts.noEntries}
              columns={[
                { title: texts.when, cell: (entry) => <Instant at={entry.created_at} zone={timezone} /> },
                { title: texts.what, cell: (entry) => words(entry.reason ?? entry.type) },
                {
                  title: texts.amount,
                  isNumber: true,
                  cell: ({ amount }) => money(amount, account?.currency ?? currency)
                },
                {
                  title: texts.balance,
                  isNumber: true,
                  cell: (entry) => money(entry.balance_after, account?.currency ?? currency)
                }
              ]}
            />
          </>
        )}
      </QueryView>
    </Section>
  )
}
