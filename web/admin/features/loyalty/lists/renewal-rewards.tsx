import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useSearchFilters } from '../../../shared/api/search-filters.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { useMay } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { EmptyState } from '../../../shared/ui/empty-state.tsx'
import { OlderLink, useBefore } from '../../../shared/ui/lists/older-link.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { NamedCell } from '../../../shared/ui/named-cell.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { endRenewalReward, type RenewalReward, renewalRewardsQuery } from '../queries.ts'
import { useLoyaltyTexts } from '../texts.ts'
import { CustomerLink } from './customer-link.tsx'
import { ListFilters } from './list-filters.tsx'
import { useListTexts } from './texts.ts'

/** What rules have given on the next renewals of customers. */
export function RenewalRewards() {
  const { id, timezone } = useKnownStore()
  const [filters, change] = useSearchFilters(['customer', 'status'])
  const rewards = useQuery(renewalRewardsQuery(id, { ...filters, before: useBefore() }))
  const texts = useListTexts()
  const loyalty = useLoyaltyTexts()
  const { common } = useTexts()
  const { count } = useFormats()
  const mayEnd = useMay('support')
  const words = texts.renewals
  const isFiltered = filters.customer !== '' || filters.status !== ''
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm" maw={720}>
        {words.about}
      </Text>
      <ListFilters name="status" label={loyalty.status} words={words.statuses} filters={filters} change={change} />
      <QueryView query={rewards} height={240}>
        {({ data, next }) =>
          data.length === 0 ? (
            <EmptyState title={isFiltered ? texts.noneMatches : words.none} text={isFiltered ? '' : words.noneText} />
          ) : (
            <>
              <PlainTable
                label={loyalty.part.renewals}
                rows={data}
                keyOf={(reward) => String(reward.id)}
                empty=""
                columns={[
                  { title: words.gives, cell: (reward) => <Gives reward={reward} /> },
                  {
                    title: texts.customer,
                    cell: (reward) => (
                      <CustomerLink customer={reward.customer_id} platform={reward.platform_customer_id} />
                    )
                  },
                  { title: words.subscription, cell: (reward) => <OnSubscription reward={reward} /> },
                  {
                    title: words.used,
                    isNumber: true,
                    cell: ({ used_cycles, cycles }) => words.usedOf(count(used_cycles), count(cycles))
                  },
                  {
                    title: words.earned,
                    cell: ({ created_at }) => <Instant at={created_at} zone={timezone} dayOnly />
                  },
                  { title: loyalty.status, cell: (reward) => <RewardStatus reward={reward} /> },
                  ...(mayEnd
                    ? [{ title: common.actions, isAction: true, cell: (one: RenewalReward) => <End reward={one} /> }]
                    : [])
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

function Gives({ reward: { name, type, percentage, amount, product_id } }: { reward: RenewalReward }) {
  const { currency } = useKnownStore()
  const { renewals: words } = useListTexts()
  const { money, percent } = useFormats()
  if (type === 'free_product') return <NamedCell name={name} about={words.freeProduct(product_id ?? '')} />
  const off = amount === null ? percent(percentage ?? 0) : money(Number(amount), currency)
  return <NamedCell name={name} about={words.off(off)} />
}

function OnSubscription({ reward: { subscription_id } }: { reward: RenewalReward }) {
  const { id } = useKnownStore()
  const { renewals: words } = useListTexts()
  if (subscription_id === null) return words.noSubscription
  return (
    <Anchor component={Link} to={`/stores/${id}/subscriptions/${subscription_id}`} size="sm">
      {subscription_id}
    </Anchor>
  )
}

function RewardStatus({ reward: { status, ended_by, problem } }: { reward: RenewalReward }) {
  const { renewals: words } = useListTexts()
  const why = problem ?? (ended_by && (words.endedBy[ended_by] ?? ended_by))
  return (
    <Stack gap={2}>
      <StatusBadge status={status} names={words.statuses} />
      {why && (
        <Text size="xs" c="dimmed" className="wrap-anywhere">
          {why}
        </Text>
      )}
    </Stack>
  )
}

function End({ reward: { id, name, status, customer_id } }: { reward: RenewalReward }) {
  const { id: store } = useKnownStore()
  const { renewals: words } = useListTexts()
  if (status === 'ended') return null
  return (
    <ConfirmButton
      label={words.end}
      aria-label={`${words.end}: ${name}, ${customer_id}`}
      title={words.endTitle(name)}
      text={words.endText}
      isHarmful
      change={() => endRenewalReward(store, id)}
      done={words.ended}
    />
  )
}
