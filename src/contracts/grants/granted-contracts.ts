import { dueQuery, type LeaseRelease } from '#kit/engines'
import { bool, type Ctx, directSql, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'

/** Has these contracts looked at now. */
export async function markContractsDue(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  const ids = [...new Set(subscriptionIds)].sort((a, b) => a - b)
  await ctx.tx.run(sql`
    insert into granted_contracts as c (store_id, subscription_id, due_at)
    select ${ctx.storeId}, s.id, ${ctx.now} from unnest(${ids}::bigint[]) as s(id) order by s.id
    on conflict (store_id, subscription_id) do update
      set due_at = least(c.due_at, excluded.due_at), version = c.version + 1, attempts = 0`)
}

/** How often a contract is looked at that has grants: nobody reports that somebody else has changed its discounts. */
export const LOOKED_AT_EVERY_HOURS = 24

/** What is wanted of this contract was done: the next look is a regular one, unless something else is wanted of it. */
export async function scheduleLook(ctx: Ctx, subscriptionId: number): Promise<void> {
  await ctx.tx.run(sql`
    update granted_contracts c set due_at = ${ctx.now.add({ hours: LOOKED_AT_EVERY_HOURS })}, rests_until = null, settles_at = null
     where c.store_id = ${ctx.storeId} and c.subscription_id = ${subscriptionId} and c.leased_until is null
       and not exists (select from contract_grants g where g.store_id = ${ctx.storeId} and g.subscription_id = ${subscriptionId}
                          and (g.status = 'pending' or (g.status = 'ended' and g.is_on)))`)
}

/** Has those of these contracts looked at now that have or may have grants. */
export async function markGrantedDue(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  await ctx.tx.run(sql`
    with granted as (
      select subscription_id from granted_contracts
       where store_id = ${ctx.storeId} and subscription_id = any(${subscriptionIds}::bigint[]) order by subscription_id for update)
    update granted_contracts c set due_at = least(c.due_at, ${ctx.now}), version = c.version + 1, attempts = 0
      from granted where c.store_id = ${ctx.storeId} and c.subscription_id = granted.subscription_id`)
}

const ClaimedContract = row({
  subscriptionId: int,
  version: int,
  leaseToken: int,
  attempts: int,
  /** When the calls before have ended whose answers were lost; null: there is none. */
  settlesAt: nullable(instant),
  isSettled: bool,
  contractId: text,
  memberId: int,
  /** It has ended for good here: it cannot be changed on the platform any more. */
  isOver: bool,
  /** It is not renewed any more, and can be changed there: retries were exhausted. */
  hasFailed: bool
})
/** A contract that this process works on. `version`: as it was claimed. */
export type ClaimedContract = RowOf<typeof ClaimedContract>

type Lease = { leaseOwner: number; leaseMs: number }

const idsOf = (contracts: { subscriptionId: number }[]) => contracts.map(({ subscriptionId }) => subscriptionId)
const tokensOf = (contracts: { leaseToken: number }[]) => contracts.map(({ leaseToken }) => leaseToken)

/**
 * Leases contracts that are due, the longest due first; none of those `except`. From here on a call may change it, whose answer is lost with this
 * process: `settleMs` from now it has ended.
 */
export async function claimContracts(
  ctx: Ctx,
  {
    leaseOwner,
    leaseMs,
    limit,
    except,
    settleMs
  }: Lease & { limit: number; except: ClaimedContract[]; settleMs: number }
): Promise<ClaimedContract[]> {
  if (ctx.isRestored) return []
  const { tx, storeId, now } = ctx
  const settlesAt = Temporal.Instant.fromEpochMilliseconds(Math.ceil(ctx.realNowMs + settleMs))
  return tx.many(
    ClaimedContract,
    sql`
    with due as (
      select c.subscription_id, c.settles_at, c.settles_at is null or c.settles_at < statement_timestamp() as is_settled
        from granted_contracts c
       where c.store_id = ${storeId} and c.due_at <= ${now}
         and (c.leased_until is null or c.leased_until < statement_timestamp())
         and (c.rests_until is null or c.rests_until < statement_timestamp())
         and c.subscription_id <> all(${idsOf(except)}::bigint[])
       order by c.due_at, c.subscription_id limit ${limit} for update skip locked)
    update granted_contracts c
       set lease_token = c.lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond', settles_at = ${settlesAt}
      from due, subscriptions s
     where c.store_id = ${storeId} and c.subscription_id = due.subscription_id and s.store_id = ${storeId} and s.id = due.subscription_id
    returning c.subscription_id, c.version, c.lease_token, c.attempts, due.settles_at, due.is_settled,
              s.platform_contract_id as contract_id, s.member_id,
              s.status in ('cancelled', 'expired') and s.grace_ends_at is null as is_over, s.status = 'failed' as has_failed`
  )
}

/** Extends the leases on those contracts that no other process has, and returns these. */
export async function extendContractLeases(
  ctx: Ctx,
  contracts: ClaimedContract[],
  { leaseOwner, leaseMs }: Lease
): Promise<ClaimedContract[]> {
  const extended = await ctx.tx.many(
    row({ subscriptionId: int }),
    sql`
    with held as (
      select c.subscription_id from granted_contracts c
        join unnest(${idsOf(contracts)}::bigint[], ${tokensOf(contracts)}::int[]) as h(id, token)
          on c.subscription_id = h.id and c.lease_token = h.token
       where c.store_id = ${ctx.storeId} for update of c skip locked)
    update granted_contracts c
       set lease_owner = ${leaseOwner}, leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from held where c.store_id = ${ctx.storeId} and c.subscription_id = held.subscription_id
    returning c.subscription_id`
  )
  const ids = new Set(idsOf(extended))
  return contracts.filter(({ subscriptionId }) => ids.has(subscriptionId))
}

/** Locks those contracts that no other process has by now, and returns their numbers. */
export async function lockClaimedContracts(ctx: Ctx, contracts: ClaimedContract[]): Promise<Set<number>> {
  const rows = await ctx.tx.many(
    row({ subscriptionId: int }),
    sql`
    select c.subscription_id from granted_contracts c
      join unnest(${idsOf(contracts)}::bigint[], ${tokensOf(contracts)}::int[]) as h(id, token)
        on c.subscription_id = h.id and c.lease_token = h.token
     where c.store_id = ${ctx.storeId} order by c.subscription_id for update of c`
  )
  return new Set(idsOf(rows))
}

/** How a look at a contract ended. */
export type ContractEnd = {
  contract: ClaimedContract
  /** Store time; when it is looked at again. */
  dueAt: Temporal.Instant
  /** In real time, before it is looked at again. */
  restMs: number | null
  attempts: number
  error: string | null
  /** A call may have changed it whose answer was lost. */
  isUncertain: boolean
}

/**
 * Ends the leases. One of which something else is wanted since it was claimed stays due; so does one that a call may still change, until that has
 * ended. One that has no grants and is to have none is forgotten.
 */
export async function endContracts(ctx: Ctx, ends: ContractEnd[]): Promise<void> {
  if (ends.length === 0) return
  const contracts = ends.map(({ contract }) => contract)
  const restsUntil = ends.map(({ restMs }) =>
    restMs === null ? null : Temporal.Instant.fromEpochMilliseconds(Math.ceil(ctx.realNowMs + restMs))
  )
  // What was uncertain before this look stays so until its time is over.
  const settles = ends.map(({ contract, isUncertain }) =>
    isUncertain ? 'claimed' : contract.isSettled ? 'none' : 'before'
  )
  await ctx.tx.run(sql`
    update granted_contracts c
       set due_at = case when c.version <> e.version then c.due_at when e.settles = 'none' then e.due_at
                         else least(e.due_at, ${ctx.now}::timestamptz) end,
           rests_until = case when c.version <> e.version then null
                              when e.settles = 'before' then coalesce(e.rests_until, e.settles_at) else e.rests_until end,
           settles_at = case e.settles when 'none' then null when 'before' then e.settles_at else c.settles_at end,
           attempts = case when c.version = e.version then e.attempts else c.attempts end, last_error = e.error,
           lease_owner = null, leased_until = null, lease_token = c.lease_token + 1
      from unnest(${idsOf(contracts)}::bigint[], ${tokensOf(contracts)}::int[], ${contracts.map(({ version }) => version)}::int[],
                  ${contracts.map(({ settlesAt }) => settlesAt)}::timestamptz[], ${settles}::text[],
                  ${ends.map((e) => e.dueAt)}::timestamptz[], ${restsUntil}::timestamptz[],
                  ${ends.map((e) => e.attempts)}::int[], ${ends.map((e) => e.error)}::text[])
             as e(id, token, version, settles_at, settles, due_at, rests_until, attempts, error)
     where c.store_id = ${ctx.storeId} and c.subscription_id = e.id and c.lease_token = e.token`)
  await ctx.tx.run(sql`
    delete from granted_contracts c
     where c.store_id = ${ctx.storeId} and c.subscription_id = any(${idsOf(contracts)}::bigint[]) and c.settles_at is null
       and c.leased_until is null and c.last_error is null
       and not exists (select from contract_grants g where g.store_id = ${ctx.storeId} and g.subscription_id = c.subscription_id
                          and (g.status <> 'ended' or g.is_on))`)
}

/** What rested in real time has waited since the end of that, by whatever clock. */
export const dueGrantedContracts = dueQuery(
  'granted_contracts_due',
  `select c.store_id,
          min(greatest(c.due_at, case when t.clock_at is null then c.rests_until
                                      else s.until - (statement_timestamp() - c.rests_until) end)) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join granted_contracts c on c.store_id = s.store_id and c.due_at <= s.until
     join stores t on t.store_id = s.store_id
    where (c.leased_until is null or c.leased_until < statement_timestamp())
      and (c.rests_until is null or c.rests_until < statement_timestamp())
    group by c.store_id`
)

/** What rests in real time is nothing that a clock could be moved to. */
export const nextGrantedContract = directSql<[storeId: number]>(
  'next_granted_contract',
  `select min(due_at) as at from granted_contracts
    where store_id = $1 and (rests_until is null or rests_until < statement_timestamp())`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseGrantedContracts: LeaseRelease = (owners) => sql`
  update granted_contracts set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
