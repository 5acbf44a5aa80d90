import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { Grant, type GrantTerms, termColumns } from './grant.ts'

/** A grant that is wanted. `subscriptionId`: null where it waits for a contract of the customer. */
export type NewGrant = {
  memberId: number
  subscriptionId: number | null
  operationId: string
  label: string
  key: string
  terms: GrantTerms
  isTransferable: boolean
}

/** Returns the id of each, by its operation. */
export async function insertGrants(ctx: Ctx, grants: NewGrant[]): Promise<Map<string, number>> {
  const columns = grants.map(({ terms }) => termColumns(terms))
  const rows = await ctx.tx.many(
    row({ id: int, operationId: text }),
    sql`
    insert into contract_grants (store_id, member_id, subscription_id, operation_id, label, key, kind, percent, amount_minor,
                                 is_of_each_item, product_id, cycles, is_transferable, created_at, updated_at)
    select ${ctx.storeId}, g.member_id, g.subscription_id, g.operation_id, g.label, g.key, g.kind, g.percent, g.amount_minor,
           g.is_of_each_item, g.product_id, g.cycles, g.is_transferable, ${ctx.now}, ${ctx.now}
      from unnest(${grants.map((g) => g.memberId)}::bigint[], ${grants.map((g) => g.subscriptionId)}::bigint[],
                  ${grants.map((g) => g.operationId)}::text[], ${grants.map((g) => g.label)}::text[],
                  ${grants.map((g) => g.key)}::text[], ${columns.map((c) => c.kind)}::text[],
                  ${columns.map((c) => c.percent)}::int[], ${columns.map((c) => c.amountMinor)}::bigint[],
                  ${columns.map((c) => c.isOfEachItem)}::boolean[], ${columns.map((c) => c.productId)}::text[], ${columns.map((c) => c.cycles)}::int[],
                  ${grants.map((g) => g.isTransferable)}::boolean[])
           with ordinality as g(member_id, subscription_id, operation_id, label, key, kind, percent, amount_minor, is_of_each_item, product_id, cycles,
                                is_transferable, place)
     order by g.place
    returning id, operation_id`
  )
  return new Map(rows.map(({ operationId, id }) => [operationId, id]))
}

/** Whether the store has ever given one: most have not, and their facts cost one look. */
export async function hasGrants(ctx: Ctx): Promise<boolean> {
  const found = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`select id from contract_grants where store_id = ${ctx.storeId} limit 1`
  )
  return found !== null
}

/**
 * Gives waiting grants of these customers to a contract: their oldest active product subscription that will be renewed, else their oldest
 * membership. A contract without a plan is one of products. Who pays counts, also of a gift. Returns the contracts that have another grant.
 */
export async function assignWaiting(ctx: Ctx, memberIds: number[]): Promise<number[]> {
  if (memberIds.length === 0) return []
  const rows = await ctx.tx.many(
    row({ subscriptionId: int }),
    sql`
    with chosen as (
      select distinct on (s.member_id) s.member_id, s.id
        from subscriptions s
        left join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id
       where s.store_id = ${ctx.storeId} and s.member_id = any(${memberIds}::bigint[]) and s.status = 'active'
         and s.next_billing_at is not null
       order by s.member_id, coalesce(p.type, 'product') <> 'product', s.created_at, s.id)
    update contract_grants g set subscription_id = c.id, updated_at = ${ctx.now}
      from chosen c
     where g.store_id = ${ctx.storeId} and g.member_id = c.member_id and g.status = 'pending' and g.subscription_id is null
    returning g.subscription_id`
  )
  return [...new Set(rows.map(({ subscriptionId }) => subscriptionId))]
}

/**
 * What these subscriptions have or may have of grants on the platform. A renewal had a free product where the order of its charge has a line of
 * it that costs nothing; where the lines are not known yet, where the charge was sent after the contract had it. Messages do not say to which
 * contract a line belongs.
 */
export function listGrantsOf(ctx: Ctx, subscriptionIds: number[]): Promise<Grant[]> {
  return ctx.tx.many(
    Grant,
    sql`
    select g.id, g.member_id, g.subscription_id, g.label, g.key, g.kind, g.percent, g.amount_minor, g.is_of_each_item, g.product_id, g.cycles,
           g.is_transferable, g.status, g.ended_by, g.is_on, g.used_cycles, g.used_before,
           coalesce(used.times, 0) as ordered_times
      from contract_grants g
      left join lateral (
        select count(*)::int as times
          from billing_attempts a
          join subscriptions s on s.store_id = ${ctx.storeId} and s.id = a.subscription_id
          left join orders o on o.store_id = ${ctx.storeId} and o.id = a.order_id
         where g.kind = 'free_product' and a.store_id = ${ctx.storeId} and a.subscription_id = g.subscription_id
           and a.status = 'success' and a.completed_at >= g.applied_at
           and case when o.lines is null then a.submitted_at >= g.applied_at
                    else exists (select from jsonb_array_elements(o.lines) line
                                  where line->>'productId' = g.product_id and (line->>'priceMinor')::bigint = 0
                                    and coalesce(line->>'contractId', s.platform_contract_id) = s.platform_contract_id) end) used on true
     where g.store_id = ${ctx.storeId} and g.subscription_id = any(${subscriptionIds}::bigint[]) and (g.status <> 'ended' or g.is_on)
     order by g.id`
  )
}

/** What a look at a contract has found of a grant. */
export type SeenGrant = {
  id: number
  subscriptionId: number
  status: 'active' | 'ended'
  endedBy: 'used' | 'removed' | 'refused' | null
  isOn: boolean
  platformId: string | null
  usedCycles: number | null
  problem: string | null
}

/** Writes what was found of grants. One that has ended meanwhile, by another reason, stays so; one that has another contract is left alone. */
export async function writeSeen(ctx: Ctx, seen: SeenGrant[]): Promise<void> {
  if (seen.length === 0) return
  await ctx.tx.run(sql`
    update contract_grants g
       set status = case when g.status = 'ended' then 'ended' else s.status end,
           ended_by = case when g.status = 'ended' then g.ended_by else s.ended_by end,
           ended_at = case when g.status = 'ended' then g.ended_at when s.status = 'ended' then ${ctx.now}::timestamptz end,
           problem = case when g.status = 'ended' then g.problem else s.problem end,
           is_on = s.is_on, platform_id = coalesce(s.platform_id, g.platform_id),
           applied_at = case when s.is_on then coalesce(g.applied_at, ${ctx.now}::timestamptz) else g.applied_at end,
           used_cycles = greatest(g.used_cycles, s.used_cycles),
           updated_at = case when (g.status, g.is_on, g.used_cycles)
                                  is distinct from (s.status, s.is_on, coalesce(s.used_cycles, g.used_cycles))
                             then ${ctx.now}::timestamptz else g.updated_at end
      from unnest(${seen.map((s) => s.id)}::bigint[], ${seen.map((s) => s.subscriptionId)}::bigint[],
                  ${seen.map((s) => s.status)}::text[], ${seen.map((s) => s.endedBy)}::text[], ${seen.map((s) => s.isOn)}::boolean[],
                  ${seen.map((s) => s.platformId)}::text[], ${seen.map((s) => s.usedCycles)}::int[],
                  ${seen.map((s) => s.problem)}::text[])
             as s(id, subscription_id, status, ended_by, is_on, platform_id, used_cycles, problem)
     where g.store_id = ${ctx.storeId} and g.id = s.id and g.subscription_id = s.subscription_id`)
}

/**
 * The contracts of these subscriptions have ended: what is left of a grant that can be transferred waits for another contract, any other is
 * over.
 */
export async function leaveContracts(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  await ctx.tx.run(sql`
    update contract_grants
       set status = case when status <> 'ended' and is_transferable then 'pending' else 'ended' end,
           ended_by = case when status = 'ended' then ended_by when not is_transferable then 'over' end,
           ended_at = case when status = 'ended' then ended_at when not is_transferable then ${ctx.now}::timestamptz end,
           subscription_id = case when status <> 'ended' and is_transferable then null else subscription_id end,
           used_before = used_cycles, is_on = false, platform_id = null, applied_at = null, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and subscription_id = any(${subscriptionIds}::bigint[]) and (status <> 'ended' or is_on)`)
}

/** Ends those of these grants that have not ended. Returns the contracts that may have them. */
export async function markRevoked(ctx: Ctx, ids: number[]): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ subscriptionId: (value: unknown) => (value === null ? null : int(value)) }),
    sql`
    update contract_grants set status = 'ended', ended_by = 'revoked', ended_at = ${ctx.now}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[]) and status <> 'ended'
    returning subscription_id`
  )
  return [...new Set(rows.flatMap(({ subscriptionId }) => subscriptionId ?? []))]
}

/** Gives the grants of a customer whom the platform has merged to the one that was kept. */
export async function reassignGrants(ctx: Ctx, from: number, to: number): Promise<void> {
  await ctx.tx.run(sql`
    update contract_grants set member_id = ${to}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and member_id = ${from}`)
}
