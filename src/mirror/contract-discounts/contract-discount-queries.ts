import { dueQuery, type LeaseRelease } from '#kit/engines'
import { bool, type Ctx, directSql, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { TIERS, type Tier } from '#plans/pricing'
import { MAX_RETRIED } from '../retry-after.ts'

/** What renewals get of a tier that has a main plan; a null hash: nothing. */
export type TierTerms = { tier: Tier; termsHash: string | null }

/** Replaces what renewals get of the tiers; false where they get the same as before. The store's walk must be locked. */
export async function writeTerms(ctx: Ctx, terms: TierTerms[]): Promise<boolean> {
  const before = await ctx.tx.many(
    row({ tier: oneOf(...TIERS), termsHash: nullable(text) }),
    sql`select tier, terms_hash from contract_discount_terms where store_id = ${ctx.storeId}`
  )
  const hashes = new Map(before.map(({ tier, termsHash }) => [tier, termsHash]))
  // A tier without a plan is another thing than one whose plan gives nothing.
  const isSame = ({ tier, termsHash }: TierTerms): boolean => hashes.get(tier) === termsHash
  if (before.length === terms.length && terms.every(isSame)) return false
  const tiers = terms.map(({ tier }) => tier)
  await ctx.tx.run(sql`
    delete from contract_discount_terms where store_id = ${ctx.storeId} and tier <> all(${tiers}::text[])`)
  await ctx.tx.run(sql`
    insert into contract_discount_terms (store_id, tier, terms_hash)
    select ${ctx.storeId}, t.tier, t.hash
      from unnest(${tiers}::text[], ${terms.map(({ termsHash }) => termsHash)}::text[]) as t(tier, hash)
    on conflict (store_id, tier) do update set terms_hash = excluded.terms_hash`)
  return true
}

/** Whether any contract of the store can have a discount of ours: a tier gives one, or one was given before. */
export async function hasContractDiscounts(ctx: Ctx): Promise<boolean> {
  const { has } = await ctx.tx.one(
    row({ has: bool }),
    sql`
    select exists (select from contract_discount_terms where store_id = ${ctx.storeId} and terms_hash is not null)
        or exists (select from contract_discounts where store_id = ${ctx.storeId})
        or exists (select from subscriptions where store_id = ${ctx.storeId} and member_discount_minor > 0) as has`
  )
  return has
}

// Pages of customers are read in a loop, perhaps by plans that were made while the store was empty. Then a key that is compared by `=` looks no
// cheaper than any other index of the store, which is read whole for each customer; a condition on the status does so too. A range that is
// sorted by the key leaves only the index of the key.

/** A page of the members by id after `afterId`; `isConcerned`: a contract of theirs can have a discount of ours. */
export function listMembersPage(
  ctx: Ctx,
  afterId: number,
  limit: number
): Promise<{ id: number; isConcerned: boolean }[]> {
  return ctx.tx.many(
    row({ id: int, isConcerned: bool }),
    sql`
    select k.id,
           exists (select from (select id, plan_id, status, member_discount_minor from subscriptions
                                 where store_id = ${ctx.storeId} and member_id between k.id and k.id order by member_id offset 0) s
                     left join lateral (
                       select type from plans where store_id = ${ctx.storeId} and id = s.plan_id offset 0) p on true
                     left join lateral (
                       select subscription_id from contract_discounts
                        where store_id = ${ctx.storeId} and subscription_id between s.id and s.id order by subscription_id offset 0) d on true
                    where d.subscription_id is not null or s.member_discount_minor > 0
                       or coalesce(p.type = 'product', true) and s.status in ('active', 'paused')
                   offset 0) as is_concerned
      from (select id from members where store_id = ${ctx.storeId} and id > ${afterId} order by id limit ${limit}) k
     order by k.id`
  )
}

/**
 * Derives anew which tier counts for the active and paused product contracts of these customers, and has those compared for which it is
 * another, or means another discount; and those that were read with one of which nothing is known here, as after a restored backup. A
 * contract without a plan of ours is one of products. The holder of a membership counts: of a gift its receiver. Elite is before VIP, where
 * Elite has a main plan. `isComparing`: all that have or may have a discount are compared.
 */
export async function deriveWanted(ctx: Ctx, memberIds: number[], isComparing: boolean): Promise<void> {
  await ctx.tx.run(sql`
    insert into contract_discounts (store_id, subscription_id, tier, terms_hash, due_at)
    select ${ctx.storeId}, w.id, w.tier, w.terms_hash, ${ctx.now}
      from (
        select c.id, t.tier, t.terms_hash
          from unnest(${memberIds}::bigint[]) as m(id)
          -- By name, elite is before vip.
          cross join lateral (
            select min(t.tier) as tier
              from ((select plan_id, status, receiver_member_id is null as is_own from subscriptions
                      where store_id = ${ctx.storeId} and member_id between m.id and m.id order by member_id)
                    union all
                    (select plan_id, status, true from subscriptions
                      where store_id = ${ctx.storeId} and receiver_member_id between m.id and m.id order by receiver_member_id)
                    offset 0) h
             cross join lateral (
               select type from plans where store_id = ${ctx.storeId} and id = h.plan_id offset 0) p
              join contract_discount_terms t on t.store_id = ${ctx.storeId} and t.tier = p.type
             where h.is_own and h.status = 'active') h
          cross join lateral (
            select s.id, coalesce(p.type = 'product', true) and s.status in ('active', 'paused') as counts,
                   s.member_discount_minor > 0
                     and (s.status not in ('cancelled', 'expired') or s.grace_ends_at is not null) as is_reduced
              from (select id, plan_id, status, grace_ends_at, member_discount_minor from subscriptions
                     where store_id = ${ctx.storeId} and member_id between m.id and m.id order by member_id offset 0) s
              left join lateral (
                select type from plans where store_id = ${ctx.storeId} and id = s.plan_id offset 0) p on true offset 0) c
          left join lateral (
            select subscription_id, tier, terms_hash from contract_discounts
             where store_id = ${ctx.storeId} and subscription_id between c.id and c.id order by subscription_id offset 0) d on true
          left join contract_discount_terms t
            on t.store_id = ${ctx.storeId} and t.tier = h.tier and c.counts and t.terms_hash is not null
         where t.tier is distinct from d.tier or t.terms_hash is distinct from d.terms_hash
            or d.subscription_id is null and c.is_reduced or d.subscription_id is not null and ${isComparing}::boolean
         order by c.id offset 0) w
    on conflict (store_id, subscription_id) do update
      set tier = excluded.tier, terms_hash = excluded.terms_hash, due_at = excluded.due_at,
          version = contract_discounts.version + 1, attempts = 0, problem = null, last_error = null`)
}

/** Has the contracts of these subscriptions compared that have or may have a discount of ours. */
export async function markContractDiscountsDue(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  await ctx.tx.run(sql`
    update contract_discounts
       set due_at = least(due_at, ${ctx.now}), version = version + 1, attempts = 0
     where store_id = ${ctx.storeId} and subscription_id = any(${subscriptionIds}::bigint[])`)
}

/** Has the contracts compared now that wait after a failure, or whose change the platform has refused. */
export async function retryContractDiscountsNow(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    with waiting as (
      select subscription_id from contract_discounts
       where store_id = ${ctx.storeId} and (attempts > 0 or problem is not null)
       order by due_at limit ${MAX_RETRIED} for update skip locked)
    update contract_discounts d set due_at = ${ctx.now}, version = d.version + 1
      from waiting w where d.store_id = ${ctx.storeId} and d.subscription_id = w.subscription_id`)
}

const Claimed = row({
  subscriptionId: int,
  tier: nullable(oneOf(...TIERS)),
  isOn: bool,
  attempts: int,
  version: int,
  leaseToken: int,
  contractId: text,
  /** Ended for good here: its contract cannot be changed on the platform any more. */
  isOver: bool
})
/** A contract that this process works on. `version`: as it was claimed. */
export type ClaimedContract = RowOf<typeof Claimed>

type Lease = { leaseOwner: number; leaseMs: number }

/** Leases contracts that are due, the longest due first; none of those `except`, which this process works on. */
export async function claimContracts(
  { tx, storeId, now, isRestored }: Ctx,
  { leaseOwner, leaseMs, limit, except }: Lease & { limit: number; except: ClaimedContract[] }
): Promise<ClaimedContract[]> {
  if (isRestored) return []
  return tx.many(
    Claimed,
    sql`
    with due as (
      select subscription_id from contract_discounts
       where store_id = ${storeId} and due_at <= ${now} and (leased_until is null or leased_until < statement_timestamp())
         and subscription_id <> all(${except.map(({ subscriptionId }) => subscriptionId)}::bigint[])
       order by due_at, subscription_id limit ${limit} for update skip locked),
    claimed as (
      update contract_discounts d
         set lease_token = d.lease_token + 1, lease_owner = ${leaseOwner},
             leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
        from due where d.store_id = ${storeId} and d.subscription_id = due.subscription_id
      returning d.subscription_id, d.tier, d.is_on, d.attempts, d.version, d.lease_token)
    select c.subscription_id, c.tier, c.is_on, c.attempts, c.version, c.lease_token, s.platform_contract_id as contract_id,
           s.status in ('cancelled', 'expired') and s.grace_ends_at is null as is_over
      from claimed c join subscriptions s on s.store_id = ${storeId} and s.id = c.subscription_id`
  )
}

const idsOf = (contracts: { subscriptionId: number }[]) => contracts.map(({ subscriptionId }) => subscriptionId)
const tokensOf = (contracts: { leaseToken: number }[]) => contracts.map(({ leaseToken }) => leaseToken)

/** Extends the leases on those contracts that no other process has, and returns these. */
export async function extendContractLeases(
  { tx, storeId }: Ctx,
  contracts: ClaimedContract[],
  { leaseOwner, leaseMs }: Lease
): Promise<ClaimedContract[]> {
  const extended = await tx.many(
    row({ subscriptionId: int }),
    sql`
    with held as (
      select d.subscription_id from contract_discounts d
        join unnest(${idsOf(contracts)}::bigint[], ${tokensOf(contracts)}::int[]) as h(id, token)
          on d.subscription_id = h.id and d.lease_token = h.token
       where d.store_id = ${storeId} for update of d skip locked)
    update contract_discounts d
       set lease_owner = ${leaseOwner}, leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from held where d.store_id = ${storeId} and d.subscription_id = held.subscription_id
    returning d.subscription_id`
  )
  const ids = new Set(extended.map(({ subscriptionId }) => subscriptionId))
  return contracts.filter(({ subscriptionId }) => ids.has(subscriptionId))
}

/** How a comparison ended. `isForgotten`: the contract has no discount of ours, and is to have none. */
export type ContractEnd = {
  contract: ClaimedContract
  isForgotten: boolean
  isOn: boolean
  dueAt: Temporal.Instant
  attempts: number
  error: string | null
  problem: string | null
  isCompared: boolean
}

/** Ends the leases. A contract of which something else is wanted since it was claimed stays due. */
export async function endContracts(ctx: Ctx, ends: ContractEnd[]): Promise<void> {
  const gone = ends.filter(({ isForgotten }) => isForgotten).map(({ contract }) => contract)
  await ctx.tx.run(sql`
    delete from contract_discounts d
     using unnest(${idsOf(gone)}::bigint[], ${tokensOf(gone)}::int[], ${gone.map(({ version }) => version)}::int[])
             as g(id, token, version)
     where d.store_id = ${ctx.storeId} and d.subscription_id = g.id and d.lease_token = g.token and d.version = g.version`)
  const contracts = ends.map(({ contract }) => contract)
  await ctx.tx.run(sql`
    update contract_discounts d
       set is_on = e.is_on, last_error = e.error,
           due_at = case when d.version = e.version then e.due_at else d.due_at end,
           attempts = case when d.version = e.version then e.attempts else d.attempts end,
           problem = case when d.version = e.version then e.problem else d.problem end,
           compared_at = case when e.is_compared then ${ctx.now}::timestamptz else d.compared_at end,
           lease_owner = null, leased_until = null, lease_token = d.lease_token + 1
      from unnest(${idsOf(contracts)}::bigint[], ${tokensOf(contracts)}::int[], ${contracts.map((c) => c.version)}::int[],
                  ${ends.map((e) => e.isOn)}::boolean[], ${ends.map((e) => e.dueAt)}::timestamptz[],
                  ${ends.map((e) => e.attempts)}::int[], ${ends.map((e) => e.error)}::text[],
                  ${ends.map((e) => e.problem)}::text[], ${ends.map((e) => e.isCompared)}::boolean[])
             as e(id, token, version, is_on, due_at, attempts, error, problem, is_compared)
     where d.store_id = ${ctx.storeId} and d.subscription_id = e.id and d.lease_token = e.token`)
}

/** Contracts (platform numbers) that are recorded with our discounts where they have none, or the other way round. */
export async function listOtherwiseRecorded(
  ctx: Ctx,
  compared: { subscriptionId: number; isOn: boolean }[]
): Promise<string[]> {
  const rows = await ctx.tx.many(
    row({ contractId: text }),
    sql`
    select s.platform_contract_id as contract_id
      from unnest(${idsOf(compared)}::bigint[], ${compared.map(({ isOn }) => isOn)}::boolean[]) as c(id, is_on)
      join subscriptions s on s.store_id = ${ctx.storeId} and s.id = c.id and (s.member_discount_minor > 0) <> c.is_on`
  )
  return rows.map(({ contractId }) => contractId)
}

export const dueContractDiscounts = dueQuery(
  'contract_discounts_due',
  `select d.store_id, min(d.due_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join contract_discounts d on d.store_id = s.store_id and d.due_at <= s.until
    where d.leased_until is null or d.leased_until < statement_timestamp()
    group by d.store_id`
)

export const nextContractDiscount = directSql<[storeId: number]>(
  'next_contract_discount',
  'select min(due_at) as at from contract_discounts where store_id = $1'
)

/** Releases what these nodes have leased, in all stores. */
export const releaseContractDiscounts: LeaseRelease = (owners) => sql`
  update contract_discounts set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
