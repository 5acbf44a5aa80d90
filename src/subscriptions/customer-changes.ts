import { record } from '#kit/outbox'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { changeHolder } from '#lifecycle'
import { lockSubscriptions, lockSubscriptionsOfContracts } from './lock-subscriptions.ts'
import { refreshMembershipStatuses } from './membership-status.ts'
import { applyTransitions, planCancel, planContextOf, pushContracts } from './transitions/transition-plans.ts'

/** Contracts of the live subscriptions of these customers (platform numbers). */
export async function listContractsOfCustomers(ctx: Ctx, customerIds: string[]): Promise<string[]> {
  const rows = await ctx.tx.many(
    row({ contractId: text }),
    sql`
    select s.platform_contract_id as contract_id
      from members m join subscriptions s on s.store_id = m.store_id and s.member_id = m.id
     where m.store_id = ${ctx.storeId} and m.platform_customer_id = any(${customerIds}::text[])
       and s.status in ('active', 'paused')
     order by s.id`
  )
  return rows.map(({ contractId }) => contractId)
}

/**
 * The customer behind these contracts is gone from the platform: their live subscriptions end, and what is still live there
 * is stopped. Returns those that ended.
 */
export async function endForDeletedCustomers(
  ctx: Ctx,
  contractIds: string[]
): Promise<{ id: number; contractId: string }[]> {
  const live = (await lockSubscriptionsOfContracts(ctx, contractIds)).filter(
    ({ status }) => status === 'active' || status === 'paused'
  )
  if (live.length === 0) return []
  const times = await planContextOf(ctx)
  await applyTransitions(
    ctx,
    live.map((s) => planCancel(s, 'customer_deleted', null, times)),
    'platform'
  )
  await pushContracts(
    ctx,
    live.map(({ id }) => id)
  )
  return live.map(({ id, platformContractId }) => ({ id, contractId: platformContractId }))
}

/**
 * Takes back what is given to customers who are gone from the platform: who pays holds it again.
 */
export async function revokeGiftsToDeleted(ctx: Ctx, customerIds: string[]): Promise<void> {
  const given = await ctx.tx.many(
    row({ id: int }),
    sql`
    select s.id from members m join subscriptions s on s.store_id = ${ctx.storeId} and s.receiver_member_id = m.id
     where m.store_id = ${ctx.storeId} and m.platform_customer_id = any(${customerIds}::text[])
       and s.status in ('active', 'paused')`
  )
  const subscriptions = await lockSubscriptions(
    ctx,
    given.map(({ id }) => id)
  )
  for (const subscription of subscriptions) await changeHolder(ctx, subscription, null, 'platform')
}

/**
 * Hands what one member has on to another, since the platform made their customers one: subscriptions with their history, and
 * what was given to them. A gift between the two is none any more. Both standings are brought in line: who has handed
 * everything on is a member no more.
 */
export async function reassignSubscriptions(ctx: Ctx, fromMember: number, toMember: number): Promise<void> {
  const moved = await ctx.tx.many(
    row({ id: int }),
    sql`
    with handed as (
      select id, case when member_id = ${fromMember} then ${toMember}::bigint else member_id end as giver,
             case when receiver_member_id = ${fromMember} then ${toMember}::bigint else receiver_member_id end as receiver
        from subscriptions
       where store_id = ${ctx.storeId} and (member_id = ${fromMember} or receiver_member_id = ${fromMember})
       order by id for update)
    update subscriptions s
       set member_id = h.giver, receiver_member_id = nullif(h.receiver, h.giver),
           gifted_at = case when h.receiver <> h.giver then s.gifted_at end, updated_at = ${ctx.now}
      from handed h where s.store_id = ${ctx.storeId} and s.id = h.id
    returning s.id`
  )
  await ctx.tx.run(sql`
    update contract_activities set member_id = ${toMember}
     where store_id = ${ctx.storeId} and member_id = ${fromMember}`)
  if (moved.length > 0) await record(ctx, ...(await refreshMembershipStatuses(ctx, [fromMember, toMember])))
}
