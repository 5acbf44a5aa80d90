import { type Ctx, int, row, sql } from '#kit/postgres'
import { lockSubscriptions, markDueNow, type Subscription } from '#subscriptions'
import { listSubscriptionsInBilling, noteNewPaymentMethod } from './attempt.ts'
import { pullRetriesForward } from './attempt-ends.ts'

/**
 * A new payment method of these customers (platform numbers): charges that wait for one, or for their next retry after a decline of
 * the old one, are due at once. Where an
 * attempt is under way, it is noted there: nobody knows which method that attempt meets, so a decline is followed by another
 * try at once.
 */
export async function retryHeldCharges(ctx: Ctx, customerIds: string[]): Promise<void> {
  const concerned = await ctx.tx.many(
    row({ id: int }),
    sql`
    select s.id from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and m.platform_customer_id = any(${customerIds}::text[])
       and s.status = 'active' and (s.billing_due_at is null or s.declines > 0)`
  )
  // Held before looking at attempts: one that is being settled is then seen as it ended.
  const held = await lockSubscriptions(
    ctx,
    concerned.map((s) => s.id)
  )
  const underWay = new Set(await listSubscriptionsInBilling(ctx, held))
  const ids = held.filter(isWaiting).map((s) => s.id)
  await noteNewPaymentMethod(
    ctx,
    ids.filter((id) => underWay.has(id))
  )
  await pullForward(
    ctx,
    ids.filter((id) => !underWay.has(id))
  )
}

/**
 * These subscriptions are charged to another payment method now: what waits is due at once. An attempt that is under way was
 * mostly begun by the message of the new method itself, and meets it.
 */
export async function retryWithNewMethod(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  const held = (await lockSubscriptions(ctx, subscriptionIds)).filter(isWaiting)
  const underWay = new Set(await listSubscriptionsInBilling(ctx, held))
  await pullForward(
    ctx,
    held.map(({ id }) => id).filter((id) => !underWay.has(id))
  )
}

/** What a payment method can help: a charge that is held, or waits for its next retry after a decline. */
const isWaiting = ({ status, billingDueAt, declines }: Subscription) =>
  status === 'active' && (billingDueAt === null || declines > 0)

async function pullForward(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  await pullRetriesForward(ctx, subscriptionIds)
  await markDueNow(ctx, subscriptionIds)
}
