import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearchFilters } from '../../../shared/api/search-filters.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { CopyId } from '../../../shared/ui/copy-id.tsx'
import { EmptyState } from '../../../shared/ui/empty-state.tsx'
import { OlderLink, useBefore } from '../../../shared/ui/lists/older-link.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { referralsQuery } from '../queries.ts'
import { useLoyaltyTexts } from '../texts.ts'
import { ListFilters } from './list-filters.tsx'
import { useListTexts } from './texts.ts'

/** The orders with referral codes. */
export function Referrals() {
  const { id, timezone } = useKnownStore()
  const [filters, change] = useSearchFilters(['customer', 'status'])
  const referrals = useQuery(referralsQuery(id, { ...filters, before: useBefore() }))
  const texts = useListTexts()
  const loyalty = useLoyaltyTexts()
  const { statuses, reasons, ...words } = texts.referrals
  const isFiltered = filters.customer !== '' || filters.status !== ''
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm" maw={720}>
        {words.about}
      </Text>
      <ListFilters name="status" label={loyalty.status} words={statuses} filters={filters} change={change} />
      <QueryView query={referrals} height={240}>
        {({ data, next }) =>
          data.length === 0 ? (
            <EmptyState title={isFiltered ? texts.noneMatches : words.none} text={isFiltered ? '' : words.noneText} />
          ) : (
            <>
              <PlainTable
                label={loyalty.part.referrals}
                rows={data}
                keyOf={(referral) => String(referral.id)}
                empty=""
                columns={[
                  { title: words.order, cell: ({ order_name }) => order_name },
                  { title: words.referrer, cell: ({ referrer_id }) => <CopyId value={referrer_id} /> },
                  { title: words.friend, cell: ({ friend_id }) => <CopyId value={friend_id} /> },
                  { title: texts.code, cell: ({ code }) => <CopyId value={code} /> },
                  { title: words.ordered, cell: ({ ordered_at }) => <Instant at={ordered_at} zone={timezone} /> },
                  {
                    title: loyalty.status,
                    cell: ({ status, reason }) => (
                      <Stack gap={2}>
                        <StatusBadge status={status} names={statuses} />
                        {reason !== null && (
                          <Text size="xs" c="dimmed">
                            {reasons[reason] ?? reason}
                          </Text>
                        )}
                      </Stack>
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
