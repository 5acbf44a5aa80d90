import { internalId } from '#kit/ids'
import { consumer, type StoredFact } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { listOrdersOfAttempts, listOrdersOfEntries, listRowsOfMembers, writeChanges } from './change-queries.ts'

const ABOUT_CUSTOMERS = ['member.updated', 'customer.changed', 'customer.first_orders_changed'] as const
const ABOUT_SUBSCRIPTIONS = [
  'subscription.created',
  'subscription.activated',
  'subscription.updated',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancelled',
  'subscription.cancelled_after_failure',
  'subscription.discounts_changed'
] as const
const ABOUT_CHARGES = ['billing.pending', 'billing.success', 'billing.failed', 'billing.retry_scheduled'] as const
const ABOUT_CREDIT = ['store_credit.added', 'store_credit.deducted'] as const

/**
 * Notes when what is shown of orders and subscriptions changed, for `since_updated`: by what is not in their own row. The time is that of
 * the noting, not that of the change: whoever asks later for what changed since then gets it, however late it was noted. An order's own
 * row has its time (`orders.updated_at`), which refunds and disputes move too.
 */
export const exportsConsumer = consumer(
  'export-changes',
  [...ABOUT_CUSTOMERS, ...ABOUT_SUBSCRIPTIONS, ...ABOUT_CHARGES, ...ABOUT_CREDIT, 'order.effects_changed'],
  noteChanges,
  // Nobody has asked for changes before: a first sync reads everything.
  { from: 'now' }
)

const isOneOf = <Name extends string>(names: readonly Name[], { name }: StoredFact) =>
  (names as readonly string[]).includes(name)

async function noteChanges(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  const of = (names: readonly string[], ref: string) =>
    facts.filter((fact) => isOneOf(names, fact)).flatMap(({ refs }) => refs[ref] ?? [])
  const ofFirstOrders = of(['customer.first_orders_changed'], 'memberId')
  const ofCustomers = await listRowsOfMembers(ctx, of(['member.updated', 'customer.changed'], 'memberId'))
  const ofFirst = await listRowsOfMembers(ctx, ofFirstOrders)
  const ofAttempts = await listOrdersOfAttempts(ctx, facts.filter((f) => isOneOf(ABOUT_CHARGES, f)).flatMap(attemptOf))
  const ofEntries = await listOrdersOfEntries(ctx, of(ABOUT_CREDIT, 'creditEntryId'))
  await writeChanges(ctx, 'order', [
    ...of(['order.effects_changed'], 'orderId'),
    ...ofCustomers.orders,
    ...ofFirst.orders,
    ...ofAttempts,
    ...ofEntries
  ])
  await writeChanges(ctx, 'subscription', [
    ...of([...ABOUT_SUBSCRIPTIONS, ...ABOUT_CHARGES], 'subscriptionId'),
    ...ofCustomers.subscriptions
  ])
}

function attemptOf({ data }: StoredFact): number[] {
  const { billing_attempt_id: id } = JSON.parse(data) as { billing_attempt_id: string }
  return [internalId('ba', id)!]
}
