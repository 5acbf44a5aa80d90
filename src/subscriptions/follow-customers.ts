import { record } from '#kit/outbox'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { setStandings } from '#members'
import { carryOut, planCancel, pushContracts, timesOf } from './moves.ts'
import { lockSubscriptionsOfContracts, refreshStandings } from './queries.ts'

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

/** Whose these contracts are, of those that are live here: the platform's numbers of their customers. */
export async function customersOfContracts(ctx: Ctx, contractIds: string[]): Promise<Map<string, string>> {
  const rows = await ctx.tx.many(
    row({ contractId: text, customerId: text }),
    sql`
    select s.platform_contract_id as contract_id, m.platform_customer_id as customer_id
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.platform_contract_id = any(${contractIds}::text[])
       and s.status in ('active', 'paused')`
  )
  return new Map(rows.map(({ contractId, customerId }) => [contractId, customerId]))
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
  const times = await timesOf(ctx)
  await carryOut(
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
 * Hands what one member has on to another, since the platform made their customers one: subscriptions with their history.
 * Both standings are brought in line: who has handed everything on is a member no more.
 */
export async function handOnSubscriptions(ctx: Ctx, fromMember: number, toMember: number): Promise<void> {
  const moved = await ctx.tx.many(
    row({ id: int }),
    sql`
    update subscriptions set member_id = ${toMember}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and member_id = ${fromMember} returning id`
  )
  await ctx.tx.run(sql`
    update contract_activities set member_id = ${toMember}
     where store_id = ${ctx.storeId} and member_id = ${fromMember}`)
  if (moved.length === 0) return
  const told = await refreshStandings(ctx, [toMember])
  const nothing = { status: 'cancelled' as const, planId: null, memberSince: ctx.now, nextBillingAt: null }
  await record(ctx, ...(await setStandings(ctx, [{ memberId: fromMember, ...nothing }])), ...told)
}
