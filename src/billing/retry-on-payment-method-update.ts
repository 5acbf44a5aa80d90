import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { lockSubscriptions, markDueNow, type Subscription } from '#subscriptions'
import { listSubscriptionsInBilling, markNewPaymentMethod } from './attempt.ts'
import { expediteRetries } from './settlement.ts'

/**
 * Contracts (platform numbers) of these customers (likewise) that a payment method could help: their charge is under way, is held, or
 * waits for its next retry after a decline.
 */
export async function listContractsAwaitingPaymentMethod(ctx: Ctx, customerIds: string[]): Promise<string[]> {
  const rows = await ctx.tx.many(
    row({ contract: text }),
    sql`
    select s.platform_contract_id as contract
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and m.platform_customer_id = any(${customerIds}::text[])
       and s.status = 'active' and (s.billing_due_at is null or s.declines > 0)
     order by s.id`
  )
  return rows.map(({ contract }) => contract)
}

/**
 * The payment method that these contracts (platform numbers) are charged to is new, or was renewed: charges that wait for one, or
 * for their next retry after a decline of the old one, are due at once. Where an attempt is under way, it is noted there: nobody
 * knows which method that attempt meets, so a decline is followed by another try at once.
 */
export async function retryHeldCharges(ctx: Ctx, contractIds: string[]): Promise<void> {
  const concerned = await ctx.tx.many(
    row({ id: int }),
    sql`
    select id from subscriptions
     where store_id = ${ctx.storeId} and platform_contract_id = any(${contractIds}::text[])`
  )
  const ids = concerned.map((s) => s.id)
  await retryWithNewMethod(ctx, ids, ids)
}

/**
 * These subscriptions are charged to another payment method now: what waits is due at once. An attempt that is under way is
 * followed by another try at once where that is declined, if it is of `others`: those that are charged to another one of the
 * customer's. Of what only looks another way the message itself was told, which began the attempt.
 */
export async function retryWithNewMethod(ctx: Ctx, subscriptionIds: number[], others: number[]): Promise<void> {
  const concerned = [...new Set([...subscriptionIds, ...others])]
  if (concerned.length === 0) return
  // Held before looking at attempts: one that is being settled is then seen as it ended.
  const held = (await lockSubscriptions(ctx, concerned)).filter(isWaiting)
  const underWay = new Set(await listSubscriptionsInBilling(ctx, held))
  const ids = held.map(({ id }) => id)
  await markNewPaymentMethod(
    ctx,
    ids.filter((id) => underWay.has(id) && others.includes(id))
  )
  await retryNow(
    ctx,
    ids.filter((id) => !underWay.has(id))
  )
}

/** What a payment method can help: a charge that is held, or waits for its next retry after a decline. */
const isWaiting = ({ status, billingDueAt, declines }: Subscription) =>
  status === 'active' && (billingDueAt === null || declines > 0)

async function retryNow(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  await expediteRetries(ctx, subscriptionIds)
  await markDueNow(ctx, subscriptionIds)
}
