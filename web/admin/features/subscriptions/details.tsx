import { Alert, Anchor, Stack } from '@mantine/core'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useCancelReason } from '../../shared/history/cancel-reasons.ts'
import { type Fact, FactList } from '../../shared/ui/fact-list.tsx'
import { Section } from '../../shared/ui/section.tsx'
import type { Subscription } from './queries.ts'
import { useSubscriptionsTexts } from './texts.ts'

/** What a subscription is now. What does not apply is left out. */
export function Details({ subscription }: { subscription: Subscription }) {
  const { id: store, timezone } = useKnownStore()
  const texts = useSubscriptionsTexts()
  const { money, count } = useFormats()
  const cancelReason = useCancelReason()
  const { currency, gift, offer, max_cycles } = subscription
  const amount = (value: number) => money(value, currency)
  const discounts = subscription.member_discount + subscription.granted_discount
  const person = (id: string, name: string | null) => (
    <Anchor component={Link} to={`/stores/${store}/members/${id}`} size="sm">
      {name ?? id}
    </Anchor>
  )
  const when = (label: string, at: string | null): Fact => [
    label,
    at && <Instant key={label} at={at} zone={timezone} />
  ]

  return (
    <Section title={texts.details}>
      <Stack>
        {subscription.pending_change && <PendingChange subscription={subscription} />}
        <FactList
          facts={[
            [texts.id, subscription.id],
            [texts.contract, subscription.contract_id],
            [texts.customer, person(subscription.customer_id, subscription.email)],
            [texts.price, amount(subscription.price)],
            [texts.discounts, discounts > 0 && amount(discounts)],
            [texts.interval, texts.every(subscription.interval_count, subscription.interval)],
            [
              texts.columns.cycle,
              texts.paidCycles(count(subscription.cycle_index), max_cycles === null ? null : count(max_cycles))
            ],
            when(subscription.unpaid_cycle ? texts.unpaid.nextTry : texts.nextCharge, subscription.next_billing_date),
            when(texts.trialEnds, subscription.trial_ends_at),
            when(texts.pausedAt, subscription.paused_at),
            when(texts.resumesAt, subscription.resumes_at),
            when(texts.cancelledAt, subscription.cancelled_at),
            [texts.cancelReason, subscription.cancel_reason && cancelReason(subscription.cancel_reason)],
            when(texts.reactivatableUntil, subscription.reactivatable_until),
            [texts.gift, gift && person(gift.receiver_id, gift.receiver_email)],
            [texts.offer, offer && `${offer.offer.name} (${offer.status})`],
            when(texts.columns.created, subscription.created_at)
          ]}
        />
      </Stack>
    </Section>
  )
}

function PendingChange({ subscription: { pending_change, currency } }: { subscription: Subscription }) {
  const texts = useSubscriptionsTexts()
  const { money } = useFormats()
  if (!pending_change) return null
  const { plan_id, price, interval, interval_count } = pending_change
  const parts = [
    plan_id,
    price !== null && money(price, currency),
    interval !== null && interval_count !== null && texts.every(interval_count, interval)
  ]
  return (
    <Alert color="blue" variant="outline" title={`${texts.pendingChange}: ${parts.filter(Boolean).join(', ')}`}>
      {texts.pendingChangeText}
    </Alert>
  )
}
