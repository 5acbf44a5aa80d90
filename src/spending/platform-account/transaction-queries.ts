import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { ACCOUNT_OPERATIONS } from './account-operations.ts'
import type { Judged } from './judge-transactions.ts'

const membersOf = (of: { memberId: number }[]) => of.map(({ memberId }) => memberId)

/** Which of these transactions are recorded. */
export async function listKnownTransactions(ctx: Ctx, keys: string[]): Promise<Set<string>> {
  const rows = await ctx.tx.many(
    row({ transactionKey: text }),
    sql`select transaction_key from platform_credit_transactions
         where store_id = ${ctx.storeId} and transaction_key = any(${keys}::text[])`
  )
  return new Set(rows.map(({ transactionKey }) => transactionKey))
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
       and e.operation_id like ${ACCOUNT_OPERATIONS}
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
