import { type CreditChange, changeCredits } from '#credits'
import { publicId } from '#kit/ids'
import { type Ctx, int, nullable, type RowOf, row, sql } from '#kit/postgres'
import { notify } from '#stores'
import { holderOf, type Subscription } from '#subscriptions'
import type { Attempt } from '../attempts/attempt.ts'
import type { Settlement } from '../attempts/settlement.ts'

/** The store credit of one paid cycle. `operationId` names the payment, so that a repeated report issues it once. */
export type CycleCredit = Pick<CreditChange, 'amountMinor' | 'operationId'> & {
  subscription: Subscription
  orderId: number | null
}

/** The store credit that a settled attempt issues, as its row says; none where the row says none. */
export function cycleCreditOf(
  { id }: Attempt,
  subscription: Subscription,
  { orderId }: Pick<Settlement, 'orderId'>,
  written: { creditMinor: number | null } | undefined
): CycleCredit[] {
  const amountMinor = written?.creditMinor ?? null
  return amountMinor === null ? [] : [{ subscription, amountMinor, orderId, operationId: `charge:ba_${id}` }]
}

/** Issues the store credit of paid cycles to who holds the subscriptions, in the transaction that makes them paid. */
export async function issueCycleCredits(ctx: Ctx, credits: CycleCredit[]): Promise<void> {
  const outcomes = await changeCredits(
    ctx,
    credits.map(({ subscription, ...change }) => ({
      ...change,
      memberId: holderOf(subscription),
      type: 'membership_charge',
      reason: 'membership charge'
    }))
  )
  for (const [i, { refusal }] of outcomes.entries()) {
    if (!refusal) continue
    const { subscription, operationId } = credits[i]!
    await notify(ctx, {
      kind: 'credit_not_issued',
      subject: 'Store credit of a paid cycle was not issued',
      message: `The store credit of a paid cycle of subscription ${publicId('sub', subscription.id)} (${operationId}) was not issued: ${refusal.message}.`
    })
  }
}

/** The same for first cycles that a checkout has paid: they have no attempt here, so the contract names the payment. */
export async function issueCheckoutCredits(ctx: Ctx, subscriptions: Subscription[]): Promise<void> {
  const ofPlans = subscriptions.filter(({ planId }) => planId !== null)
  if (ofPlans.length === 0) return
  const byId = new Map(ofPlans.map((s) => [s.id, s]))
  const credits = await listCycleCredits(ctx, [...byId.keys()])
  await issueCycleCredits(
    ctx,
    credits.map(({ subscriptionId, amountMinor, originOrderId: orderId }) => {
      const subscription = byId.get(subscriptionId)!
      return { subscription, amountMinor, orderId, operationId: `charge:contract_${subscription.platformContractId}` }
    })
  )
}

const CreditOfCycle = row({ subscriptionId: int, amountMinor: int, originOrderId: nullable(int) })

/**
 * The store credit that a paid cycle of these subscriptions issues, by the version of the plan that each has, in order of id.
 * Subscriptions whose cycles issue none are left out.
 */
export function listCycleCredits(ctx: Ctx, subscriptionIds: number[]): Promise<RowOf<typeof CreditOfCycle>[]> {
  return ctx.tx.many(
    CreditOfCycle,
    sql`
    select s.id as subscription_id, v.credit_minor as amount_minor, s.origin_order_id
      from subscriptions s
      join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id
      join plan_versions v on v.store_id = ${ctx.storeId} and v.plan_id = s.plan_id and v.version = s.plan_version
           and v.credit_minor > 0
      join stores o on o.store_id = ${ctx.storeId} and o.currency = p.currency
     where s.store_id = ${ctx.storeId} and s.id = any(${subscriptionIds}::bigint[])
     order by s.id`
  )
}
