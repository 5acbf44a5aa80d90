import { dueQuery, type LeaseRelease } from '#kit/engines'
import { bool, type Ctx, directSql, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'

const ClaimedAccount = row({
  memberId: int,
  attempts: int,
  isCheck: bool,
  lastKey: nullable(text),
  /** Whether the customer has, or may have, an account of store credit there. */
  hasAccount: bool,
  isRestored: bool,
  leaseToken: int
})
/** The account of a customer that this process works on. */
export type ClaimedAccount = RowOf<typeof ClaimedAccount>

type Lease = { leaseOwner: number; leaseMs: number }

const membersOf = (accounts: { memberId: number }[]) => accounts.map(({ memberId }) => memberId)
const tokensOf = (accounts: ClaimedAccount[]) => accounts.map(({ leaseToken }) => leaseToken)

/**
 * Has the accounts of these customers compared with the platform; makes them where there are none. One that waits to be tried again goes on with
 * its tries: it begins anew only with an account that was as it should be, or with a problem. `isCheck`: only since it is time, not because
 * something changed.
 */
export async function markAccountsDue(ctx: Ctx, memberIds: number[], { isCheck = false } = {}): Promise<void> {
  if (memberIds.length === 0) return
  await ctx.tx.run(sql`
    insert into spending_accounts (store_id, member_id, due_at, is_check, changed_at)
    select ${ctx.storeId}, m.id, ${ctx.now}, ${isCheck}, ${ctx.now}
      from (select distinct id from unnest(${memberIds}::bigint[]) as m(id) offset 0) as m order by m.id
    on conflict (store_id, member_id) do update
      set due_at = least(spending_accounts.due_at, excluded.due_at), version = spending_accounts.version + 1,
          is_check = excluded.is_check and (spending_accounts.is_check or spending_accounts.due_at is null),
          attempts = case when spending_accounts.due_at is null then 0 else spending_accounts.attempts end,
          problem = null, changed_at = excluded.changed_at`)
}

/** The same, only for customers who have had credit there. */
export async function markKnownAccountsDue(ctx: Ctx, memberIds: number[]): Promise<void> {
  const known = await ctx.tx.many(
    row({ memberId: int }),
    sql`select member_id from spending_accounts
         where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[])`
  )
  await markAccountsDue(ctx, membersOf(known))
}

/** Leases accounts that are due, the longest due first; none of those `except`, which this process works on. */
export async function claimAccounts(
  { tx, storeId, now, isRestored }: Ctx,
  { leaseOwner, leaseMs, limit, except }: Lease & { limit: number; except: ClaimedAccount[] }
): Promise<ClaimedAccount[]> {
  if (isRestored) return []
  return tx.many(
    ClaimedAccount,
    sql`
    with due as (
      select member_id from spending_accounts
       where store_id = ${storeId} and due_at <= ${now} and (leased_until is null or leased_until < statement_timestamp())
         and (rests_until is null or rests_until < statement_timestamp())
         and member_id <> all(${membersOf(except)}::bigint[])
       order by is_check, due_at, member_id limit ${limit} for update skip locked)
    update spending_accounts a set lease_token = a.lease_token + 1, lease_owner = ${leaseOwner},
                    leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from due where a.store_id = ${storeId} and a.member_id = due.member_id
    returning a.member_id, a.attempts, a.is_check, a.last_key, a.is_restored, a.lease_token,
              a.platform_account_id is not null
                or exists (select from credit_pushes p
                            where p.store_id = ${storeId} and p.member_id = a.member_id and p.gift_card_id is null
                              and p.status in ('sent', 'unseen')) as has_account`
  )
}

/** Extends the leases on those accounts that no other process has, and returns these. */
export async function extendAccountLeases(
  { tx, storeId }: Ctx,
  accounts: ClaimedAccount[],
  { leaseOwner, leaseMs }: Lease
): Promise<ClaimedAccount[]> {
  const extended = await tx.many(
    row({ memberId: int }),
    sql`
    with held as (
      select a.member_id from spending_accounts a
        join unnest(${membersOf(accounts)}::bigint[], ${tokensOf(accounts)}::int[]) as h(id, token)
          on a.member_id = h.id and a.lease_token = h.token
       where a.store_id = ${storeId} for update of a skip locked)
    update spending_accounts a
       set lease_owner = ${leaseOwner}, leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from held where a.store_id = ${storeId} and a.member_id = held.member_id
    returning a.member_id`
  )
  const ids = new Set(membersOf(extended))
  return accounts.filter(({ memberId }) => ids.has(memberId))
}

const LockedAccount = row({
  memberId: int,
  version: int,
  mirroredMinor: int,
  isRestored: bool,
  orderAwaitedSince: nullable(instant)
})
export type LockedAccount = RowOf<typeof LockedAccount>

/** Locks those accounts that no other process has by now, and returns their present state. */
export async function lockClaimedAccounts(ctx: Ctx, accounts: ClaimedAccount[]): Promise<Map<number, LockedAccount>> {
  const rows = await ctx.tx.many(
    LockedAccount,
    sql`
    select a.member_id, a.version, a.mirrored_minor, a.is_restored, a.order_awaited_since from spending_accounts a
      join unnest(${membersOf(accounts)}::bigint[], ${tokensOf(accounts)}::int[]) as h(id, token)
        on a.member_id = h.id and a.lease_token = h.token
     where a.store_id = ${ctx.storeId} order by a.member_id for update of a`
  )
  return new Map(rows.map((one) => [one.memberId, one]))
}

/**
 * How the work on an account ended. `restMs`: in real time, before it is tried again. `awaitsOrderUntil`: in store time, when it is due
 * again, or as soon as an order is recorded. Both null: it is as it should be.
 */
export type AccountEnd = {
  account: ClaimedAccount
  version: number
  restMs: number | null
  awaitsOrderUntil: Temporal.Instant | null
  attempts: number
  error: string | null
  problem: string | null
}

/** Ends the leases. An account of which something changed meanwhile stays due. */
export async function endAccounts(ctx: Ctx, ends: AccountEnd[]): Promise<void> {
  if (ends.length === 0) return
  const accounts = ends.map(({ account }) => account)
  await ctx.tx.run(sql`
    update spending_accounts a
       set due_at = case when a.version = e.version and e.rest_ms is null then e.awaits_until else a.due_at end,
           order_awaited_since = case when e.awaits_until is not null then coalesce(a.order_awaited_since, ${ctx.now})
                                      when e.rest_ms is not null then a.order_awaited_since end,
           rests_until = statement_timestamp() + e.rest_ms * interval '1 millisecond',
           attempts = e.attempts, last_error = e.error,
           problem = case when a.version = e.version then e.problem else a.problem end,
           is_check = case when a.version = e.version and e.rest_ms is null then false else a.is_check end,
           is_restored = a.is_restored and not (a.version = e.version and e.rest_ms is null and e.awaits_until is null
                                                and e.problem is null),
           lease_owner = null, leased_until = null, lease_token = a.lease_token + 1
      from unnest(${membersOf(accounts)}::bigint[], ${tokensOf(accounts)}::int[], ${ends.map((e) => e.version)}::int[],
                  ${ends.map((e) => e.restMs)}::bigint[], ${ends.map((e) => e.awaitsOrderUntil)}::timestamptz[], ${ends.map((e) => e.attempts)}::int[],
                  ${ends.map((e) => e.error)}::text[], ${ends.map((e) => e.problem)}::text[])
             as e(id, token, version, rest_ms, awaits_until, attempts, error, problem)
     where a.store_id = ${ctx.storeId} and a.member_id = e.id and a.lease_token = e.token`)
}

const OwnerRow = row({ memberId: int, platformId: text, isDeleted: bool })

/** The platform's numbers of customers, and who is deleted there. */
export async function listAccountOwners(ctx: Ctx, memberIds: number[]): Promise<Map<number, RowOf<typeof OwnerRow>>> {
  const rows = await ctx.tx.many(
    OwnerRow,
    sql`
    select id as member_id, platform_customer_id as platform_id, platform_deleted_at is not null as is_deleted
      from members where store_id = ${ctx.storeId} and id = any(${memberIds}::bigint[])`
  )
  return new Map(rows.map((one) => [one.memberId, one]))
}

/** Forgets what customers had on the platform who are no more there. */
export async function closeAccounts(ctx: Ctx, memberIds: number[]): Promise<void> {
  if (memberIds.length === 0) return
  await ctx.tx.run(sql`
    delete from platform_credit_transactions where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[])`)
  await ctx.tx.run(sql`
    delete from credit_pushes
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[])
       and (gift_card_id is null
            or gift_card_id in (select id from spending_gift_cards
                                 where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[])))`)
  await ctx.tx.run(sql`
    update spending_accounts set mirrored_minor = 0, last_key = null, platform_account_id = null
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[])`)
}

/** What rested in real time has waited since the end of that, by whatever clock. */
export const dueAccounts = dueQuery(
  'spending_accounts_due',
  `select a.store_id,
          min(greatest(a.due_at, case when t.clock_at is null then a.rests_until
                                      else s.until - (statement_timestamp() - a.rests_until) end)) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join spending_accounts a on a.store_id = s.store_id and a.due_at <= s.until
     join stores t on t.store_id = s.store_id
    where (a.leased_until is null or a.leased_until < statement_timestamp())
      and (a.rests_until is null or a.rests_until < statement_timestamp())
    group by a.store_id`
)

/** What rests in real time is nothing that a clock could be moved to. */
export const nextAccount = directSql<[storeId: number]>(
  'next_spending_account',
  `select min(due_at) as at from spending_accounts
    where store_id = $1 and (rests_until is null or rests_until < statement_timestamp())`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseAccounts: LeaseRelease = (owners) => sql`
  update spending_accounts set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
