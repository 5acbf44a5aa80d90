import { revokeGrants } from '#contracts'
import { bool, type Ctx, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { lockMembers } from '#members'
import { subscriptionRewardNotFound } from '../refusals.ts'

const SubscriptionRewardRow = row({
  id: int,
  memberId: int,
  customerId: text,
  ruleId: int,
  label: text,
  subscriptionId: nullable(int),
  kind: oneOf('discount', 'free_product'),
  percent: nullable(int),
  amountMinor: nullable(int),
  productId: nullable(text),
  cycles: int,
  usedCycles: int,
  status: oneOf('pending', 'active', 'ended'),
  endedBy: nullable(text),
  isOn: bool,
  problem: nullable(text),
  createdAt: instant,
  updatedAt: instant
})
/** A reward on renewals: the grant that an award has given. `subscriptionId`: null while it waits for a contract. */
export type SubscriptionReward = RowOf<typeof SubscriptionRewardRow>

/** Which rewards are listed; what is null is not asked. `beforeId`: only older ones. */
export type SubscriptionRewardFilter = {
  memberId: number | null
  status: SubscriptionReward['status'] | null
  beforeId: number | null
  limit: number
}

/** Newest first, those that are over included. */
export function listSubscriptionRewards(
  ctx: Ctx,
  { memberId, status, beforeId, limit }: SubscriptionRewardFilter
): Promise<SubscriptionReward[]> {
  return ctx.tx.many(
    SubscriptionRewardRow,
    sql`
    select g.id, g.member_id, m.platform_customer_id as customer_id, a.rule_id, g.label, g.subscription_id, g.kind, g.percent,
           g.amount_minor, g.product_id, g.cycles, g.used_cycles, g.status, g.ended_by, g.is_on, g.problem, g.created_at, g.updated_at
      from contract_grants g
      join loyalty_awards a on a.store_id = ${ctx.storeId} and a.grant_id = g.id
      join members m on m.store_id = ${ctx.storeId} and m.id = g.member_id
     where g.store_id = ${ctx.storeId} and (${memberId}::bigint is null or g.member_id = ${memberId}::bigint)
       and (${status}::text is null or g.status = ${status}::text)
       and (${beforeId}::bigint is null or g.id < ${beforeId}::bigint)
     order by g.id desc limit ${limit}`
  )
}

/** Ends a reward by hand: what is left of it is taken off its contract a moment later. The renewals that had it stay as they are. */
export async function endSubscriptionReward(ctx: Ctx, id: number): Promise<SubscriptionReward> {
  const find = async () =>
    (await listSubscriptionRewards(ctx, { memberId: null, status: null, beforeId: id + 1, limit: 1 })).find(
      (one) => one.id === id
    )
  const found = await find()
  if (!found) throw subscriptionRewardNotFound(id)
  // As everything that changes the rewards of a customer.
  await lockMembers(ctx, [found.memberId])
  await revokeGrants(ctx, [id])
  const reward = (await find())!
  if (reward.endedBy !== 'revoked') {
    throw new Refusal('conflict', `Subscription reward ${id} is over: it ended as ${reward.endedBy}`)
  }
  return reward
}
