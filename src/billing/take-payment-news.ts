import { type Ctx, int, row, sql } from '#kit/postgres'
import { lockSubscriptions, markDueNow } from '#subscriptions'
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
  const ids = held.filter((s) => s.status === 'active' && (s.billingDueAt === null || s.declines > 0)).map((s) => s.id)
  await noteNewPaymentMethod(
    ctx,
    ids.filter((id) => underWay.has(id))
  )
  const waiting = ids.filter((id) => !underWay.has(id))
  await pullRetriesForward(ctx, waiting)
  await markDueNow(ctx, waiting)
}
