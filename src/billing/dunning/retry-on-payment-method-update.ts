import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { lockSubscriptions, type Subscription } from '#subscriptions'
import { markDueNow } from '#subscriptions/for-billing'
import { listLastErrors, listSubscriptionsInBilling, markNewPaymentMethod } from '../attempts/attempt.ts'
import { expediteRetries } from '../attempts/settlement.ts'
import { isBeyondCards } from './decline-codes.ts'

/**
 * Contracts (platform numbers) of these customers (likewise) that a new payment method can help: their charge is under way, is
 * held, or waits for its next retry after a decline.
 */
export async function listContractsAwaitingPaymentMethod(ctx: Ctx, customerIds: string[]): Promise<string[]> {
  const rows = await ctx.tx.many(
    row({ contract: text }),
    sql`
    select s.platform_contract_id as contract
      from subscriptions s join members m on m.store_id = ${ctx.storeId} and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and m.platform_customer_id = any(${customerIds}::text[])
       and s.status = 'active' and (s.billing_due_at is null or s.declines > 0)
     order by s.id`
  )
  return rows.map(({ contract }) => contract)
}

/**
 * The payment method of these contracts (platform numbers) is new, or was renewed: charges that wait for one, or for their next
 * retry after a decline of the old one, are due at once. An open attempt is marked: nobody knows which method it uses, so a decline
 * is followed by another try at once.
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
 * These subscriptions have a new payment method: charges that wait are due at once. `others` are those that name another payment
 * method of their customer: where an attempt of theirs is open, a decline is followed by another try at once. A method that only
 * looks different was reported by its own message, which has marked the attempt.
 */
export async function retryWithNewMethod(ctx: Ctx, subscriptionIds: number[], others: number[]): Promise<void> {
  const concerned = [...new Set([...subscriptionIds, ...others])]
  if (concerned.length === 0) return
  // Locked before attempts are read: an attempt that is being settled is then read as it ended.
  const held = (await lockSubscriptions(ctx, concerned)).filter(isWaiting)
  const underWay = new Set(await listSubscriptionsInBilling(ctx, held))
  const errors = await listLastErrors(ctx, held)
  const ids = held.filter((s) => !isHeldForPerson(s, errors.get(s.id))).map(({ id }) => id)
  await markNewPaymentMethod(
    ctx,
    ids.filter((id) => underWay.has(id) && others.includes(id))
  )
  await retryNow(
    ctx,
    ids.filter((id) => !underWay.has(id))
  )
}

/** Whether a payment method can help: the charge is held, or waits for its next retry after a decline. */
const isWaiting = ({ status, billingDueAt, declines }: Subscription) =>
  status === 'active' && (billingDueAt === null || declines > 0)

/** Nothing is to follow by itself, since the order is at fault: another payment method would be declined too. */
const isHeldForPerson = ({ billingDueAt }: Subscription, lastError: string | undefined) =>
  billingDueAt === null && lastError !== undefined && isBeyondCards(lastError)

async function retryNow(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  await expediteRetries(ctx, subscriptionIds)
  await markDueNow(ctx, subscriptionIds)
}
