import { dueQuery, type LeaseRelease } from '#kit/engines'
import { bool, type Ctx, directSql, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import type { Judged } from './judge-transactions.ts'

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

const LockedAccount = row({ memberId: int, version: int, mirroredMinor: int, isRestored: bool })
export type LockedAccount = RowOf<typeof LockedAccount>

/** Locks those accounts that no other process has by now, and returns their present state. */
export async function lockClaimedAccounts(ctx: Ctx, accounts: ClaimedAccount[]): Promise<Map<number, LockedAccount>> {
  const rows = await ctx.tx.many(
    LockedAccount,
    sql`
    select a.member_id, a.version, a.mirrored_minor, a.is_restored from spending_accounts a
      join unnest(${membersOf(accounts)}::bigint[], ${tokensOf(accounts)}::int[]) as h(id, token)
        on a.member_id = h.id and a.lease_token = h.token
     where a.store_id = ${ctx.storeId} order by a.member_id for update of a`
  )
  return new Map(rows.map((one) => [one.memberId, one]))
}

/** How the work on an account ended. `restMs`: in real time, before it is tried again; null: it is as it should be. */
export type AccountEnd = {
  account: ClaimedAccount
  version: number
  restMs: number | null
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
       set due_at = case when a.version = e.version and e.rest_ms is null then null else a.due_at end,
           rests_until = statement_timestamp() + e.rest_ms * interval '1 millisecond',
           attempts = e.attempts, last_error = e.error,
           problem = case when a.version = e.version then e.problem else a.problem end,
           is_check = case when a.version = e.version and e.rest_ms is null then false else a.is_check end,
           is_restored = a.is_restored and not (a.version = e.version and e.rest_ms is null and e.problem is null),
           lease_owner = null, leased_until = null, lease_token = a.lease_token + 1
      from unnest(${membersOf(accounts)}::bigint[], ${tokensOf(accounts)}::int[], ${ends.map((e) => e.version)}::int[],
                  ${ends.map((e) => e.restMs)}::bigint[], ${ends.map((e) => e.attempts)}::int[],
                  ${ends.map((e) => e.error)}::text[], ${ends.map((e) => e.problem)}::text[])
             as e(id, token, version, rest_ms, attempts, error, problem)
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

/** Which of these transactions are recorded. */
export async function listKnownTransactions(ctx: Ctx, keys: string[]): Promise<Set<string>> {
  const rows = await ctx.tx.many(
    row({ transactionKey: text }),
    sql`select transaction_key from platform_credit_transactions
         where store_id = ${ctx.storeId} and transaction_key = any(${keys}::text[])`
  )
  return new Set(rows.map(({ transactionKey }) => transactionKey))
}

const PushRow = row({
  id: int,
  memberId: int,
  giftCardId: nullable(int),
  reference: nullable(text),
  amountMinor: int,
  sentAt: instant,
  isOpen: bool,
  isSettled: bool
})
type KnownPush = RowOf<typeof PushRow>

/**
 * The pushes of these customers that may still turn up on the platform: the open one, and those that were given up lately. Those of a
 * gift card belong to who has it now.
 */
export function listPushes(ctx: Ctx, memberIds: number[], giftCardIds: number[]): Promise<KnownPush[]> {
  return ctx.tx.many(
    PushRow,
    sql`
    select p.id, coalesce(g.member_id, p.member_id) as member_id, p.gift_card_id, p.reference, p.amount_minor, p.sent_at,
           p.status = 'sent' as is_open, p.settles_at < statement_timestamp() as is_settled
      from credit_pushes p left join spending_gift_cards g on g.store_id = ${ctx.storeId} and g.id = p.gift_card_id
     where p.store_id = ${ctx.storeId}
       and (p.gift_card_id is null and p.member_id = any(${memberIds}::bigint[]) or p.gift_card_id = any(${giftCardIds}::bigint[]))
       and (p.status = 'sent' or p.status = 'unseen' and p.sent_at > ${ctx.now.subtract({ hours: 48 })})
     order by p.id`
  )
}

/** Records credits and debits before they are sent. Returns their numbers by member. */
export async function insertPushes(
  ctx: Ctx,
  pushes: { memberId: number; amountMinor: number; giftCardId: number | null; reference: string | null }[],
  settleMs: number
): Promise<Map<number, number>> {
  if (pushes.length === 0) return new Map()
  const rows = await ctx.tx.many(
    row({ id: int, memberId: int }),
    sql`
    insert into credit_pushes (store_id, member_id, amount_minor, gift_card_id, reference, sent_at, settles_at)
    select ${ctx.storeId}, p.id, p.amount, p.card_id, p.reference, ${ctx.now},
           statement_timestamp() + ${settleMs} * interval '1 millisecond'
      from unnest(${membersOf(pushes)}::bigint[], ${pushes.map((p) => p.amountMinor)}::bigint[],
                  ${pushes.map((p) => p.giftCardId)}::bigint[], ${pushes.map((p) => p.reference)}::text[])
             as p(id, amount, card_id, reference)
     order by p.id
    returning id, member_id`
  )
  return new Map(rows.map(({ id, memberId }) => [memberId, id]))
}

/** Ends pushes, also those that were given up and have arrived after all. */
export async function endPushes(ctx: Ctx, ids: number[], status: 'done' | 'refused' | 'unseen'): Promise<void> {
  if (ids.length === 0) return
  await ctx.tx.run(sql`
    update credit_pushes set status = ${status}, ended_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[])`)
}

export type JudgedTransaction = Judged & {
  memberId: number
  orderId: number | null
  giftCardId: number | null
  orderTransactionId: number | null
}
/** What an account, or a gift card, comes to. `lastKey`: null leaves the known one. */
export type AddedUp = {
  memberId: number
  giftCardId: number | null
  accountId: string
  addedMinor: number
  lastKey: string | null
}

/** Records transactions, and what the accounts and cards come to with them. */
export async function recordTransactions(ctx: Ctx, judged: JudgedTransaction[], added: AddedUp[]): Promise<void> {
  if (judged.length > 0) {
    await ctx.tx.run(sql`
      insert into platform_credit_transactions (store_id, transaction_key, member_id, amount_minor, event, kind, order_id, push_id,
                                                gift_card_id, order_transaction_id, happened_at, recorded_at)
      select ${ctx.storeId}, t.key, t.member_id, t.amount, t.event, t.kind, t.order_id, t.push_id,
             t.card_id, t.payment_id, t.happened_at, ${ctx.now}
        from unnest(${judged.map((j) => j.transaction.key)}::text[], ${membersOf(judged)}::bigint[],
                    ${judged.map((j) => j.transaction.amountMinor)}::bigint[], ${judged.map((j) => j.transaction.event)}::text[],
                    ${judged.map((j) => j.kind)}::text[], ${judged.map((j) => j.orderId)}::bigint[],
                    ${judged.map((j) => j.pushId)}::bigint[], ${judged.map((j) => j.giftCardId)}::bigint[],
                    ${judged.map((j) => j.orderTransactionId)}::bigint[], ${judged.map((j) => j.transaction.createdAt)}::timestamptz[])
               as t(key, member_id, amount, event, kind, order_id, push_id, card_id, payment_id, happened_at)
      returning transaction_key`)
  }
  const [accounts, cards] = [added.filter(({ giftCardId }) => giftCardId === null), added.filter(isOfCard)]
  if (cards.length > 0) {
    await ctx.tx.run(sql`
      update spending_gift_cards g
         set mirrored_minor = g.mirrored_minor + u.added, last_key = coalesce(u.last_key, g.last_key)
        from unnest(${cards.map((c) => c.giftCardId)}::bigint[], ${cards.map((c) => c.addedMinor)}::bigint[],
                    ${cards.map((c) => c.lastKey)}::text[]) as u(id, added, last_key)
       where g.store_id = ${ctx.storeId} and g.id = u.id`)
  }
  if (accounts.length === 0) return
  await ctx.tx.run(sql`
    update spending_accounts a
       set mirrored_minor = a.mirrored_minor + u.added, platform_account_id = u.account,
           last_key = coalesce(u.last_key, a.last_key)
      from unnest(${membersOf(accounts)}::bigint[], ${accounts.map((a) => a.accountId)}::text[],
                  ${accounts.map((a) => a.addedMinor)}::bigint[], ${accounts.map((a) => a.lastKey)}::text[])
             as u(id, account, added, last_key)
     where a.store_id = ${ctx.storeId} and a.member_id = u.id`)
}

const isOfCard = ({ giftCardId }: AddedUp) => giftCardId !== null

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

/** Our numbers of orders, by the platform's. */
export async function listOrderIds(ctx: Ctx, platformOrderIds: string[]): Promise<Map<string, number>> {
  if (platformOrderIds.length === 0) return new Map()
  const rows = await ctx.tx.many(
    row({ id: int, platformOrderId: text }),
    sql`
    select id, platform_order_id from orders
     where store_id = ${ctx.storeId} and platform_order_id = any(${platformOrderIds}::text[])`
  )
  return new Map(rows.map(({ id, platformOrderId }) => [platformOrderId, id]))
}

const RedemptionRow = row({ id: int, orderId: int, leftMinor: int })

/** The redemptions on orders that came from the platform's accounts, newest first, with what is left to restore of each. */
export function listRedemptions(ctx: Ctx, orderIds: number[]) {
  return ctx.tx.many(
    RedemptionRow,
    sql`
    select e.id, e.order_id, -e.amount_minor - coalesce((
             select sum(r.amount_minor) from credit_entries r
              where r.store_id = ${ctx.storeId} and r.reverses_id = e.id and r.amount_minor > 0), 0)::bigint as left_minor
      from credit_entries e
     where e.store_id = ${ctx.storeId} and e.order_id = any(${orderIds}::bigint[]) and e.type = 4
       and e.operation_id like 'platform-credit:%'
     order by e.id desc`
  )
}

const SpentOnOrder = row({ orderId: int, leftMinor: int })

/** What orders have taken from accounts and cards, less what they gave back before these transactions. */
export function listSpentOnOrders(ctx: Ctx, orderIds: number[], but: string[]) {
  return ctx.tx.many(
    SpentOnOrder,
    sql`
    select order_id, -sum(amount_minor)::bigint as left_minor from platform_credit_transactions
     where store_id = ${ctx.storeId} and order_id = any(${orderIds}::bigint[]) and kind in ('spent', 'returned')
       and transaction_key <> all(${but}::text[])
     group by order_id`
  )
}

export const dueAccounts = dueQuery(
  'spending_accounts_due',
  `select a.store_id, min(a.due_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join spending_accounts a on a.store_id = s.store_id and a.due_at <= s.until
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
