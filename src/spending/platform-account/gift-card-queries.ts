import { bool, bytes, type Ctx, instant, int, nullable, oneOf, row, sql, text } from '#kit/postgres'
import { markAccountsDue } from './account-queries.ts'

const GiftCard = row({
  id: int,
  memberId: int,
  status: oneOf('making', 'active', 'spare', 'closed'),
  code: nullable(bytes),
  lastCharacters: text,
  reference: text,
  platformId: nullable(text),
  mirroredMinor: int,
  lastKey: nullable(text),
  isNotified: bool,
  createdAt: instant,
  notifiedAt: nullable(instant),
  /** What we last asked the platform to make it with; null where we have not. */
  askedMinor: nullable(int)
})
/** A gift card that was made for a customer, or may have been. */
export type GiftCard = ReturnType<typeof GiftCard>

/** All cards of these customers, the oldest first. */
export function listGiftCards(ctx: Ctx, memberIds: number[]): Promise<GiftCard[]> {
  if (memberIds.length === 0) return Promise.resolve([])
  return ctx.tx.many(
    GiftCard,
    sql`
    select g.id, g.member_id, g.status, g.code, g.last_characters, g.reference, g.platform_gift_card_id as platform_id,
           g.mirrored_minor, g.last_key, g.notified_at is not null as is_notified, g.created_at, g.notified_at,
           (select p.amount_minor from credit_pushes p
             where p.store_id = ${ctx.storeId} and p.gift_card_id = g.id and g.platform_gift_card_id is null and p.status <> 'refused'
             order by p.id desc limit 1) as asked_minor
      from spending_gift_cards g
     where g.store_id = ${ctx.storeId} and g.member_id = any(${memberIds}::bigint[]) order by g.id`
  )
}

type NewGiftCard = {
  memberId: number
  status: 'making' | 'active' | 'spare'
  code: Buffer | null
  lastCharacters: string
  reference: string
  platformId: string | null
}

/** Records cards: ours before they are made, or such that are found on the platform. Returns their numbers in that order. */
export async function insertGiftCards(ctx: Ctx, cards: NewGiftCard[]): Promise<number[]> {
  if (cards.length === 0) return []
  const rows = await ctx.tx.many(
    row({ id: int, reference: text }),
    sql`
    insert into spending_gift_cards (store_id, member_id, status, code, last_characters, reference, platform_gift_card_id, created_at)
    select ${ctx.storeId}, c.member_id, c.status, c.code, c.last_characters, c.reference, c.platform_id, ${ctx.now}
      from unnest(${cards.map((c) => c.memberId)}::bigint[], ${cards.map((c) => c.status)}::text[],
                  ${cards.map((c) => c.code)}::bytea[], ${cards.map((c) => c.lastCharacters)}::text[],
                  ${cards.map((c) => c.reference)}::text[], ${cards.map((c) => c.platformId)}::text[])
             as c(member_id, status, code, last_characters, reference, platform_id)
    returning id, reference`
  )
  const ids = new Map(rows.map(({ id, reference }) => [reference, id]))
  return cards.map(({ reference }) => ids.get(reference)!)
}

/** Cards that were made: their numbers on the platform. */
export async function markGiftCardsMade(ctx: Ctx, made: { cardId: number; platformId: string }[]): Promise<void> {
  if (made.length === 0) return
  await ctx.tx.run(sql`
    update spending_gift_cards g
       set platform_gift_card_id = m.platform_id, status = case when g.status = 'making' then 'active' else g.status end
      from unnest(${made.map((m) => m.cardId)}::bigint[], ${made.map((m) => m.platformId)}::text[]) as m(id, platform_id)
     where g.store_id = ${ctx.storeId} and g.id = m.id and g.platform_gift_card_id is null`)
}

/** Cards that cannot be spent any more. */
export async function closeGiftCards(ctx: Ctx, cardIds: number[]): Promise<void> {
  if (cardIds.length === 0) return
  await ctx.tx.run(sql`
    update spending_gift_cards set status = 'closed', closed_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = any(${cardIds}::bigint[]) and status <> 'closed'`)
}

/** The platform is asked to send these to their customers: null, it could not be asked after all. */
export async function markGiftCardsSent(ctx: Ctx, cardIds: number[], at: Temporal.Instant | null): Promise<void> {
  if (cardIds.length === 0) return
  await ctx.tx.run(sql`
    update spending_gift_cards set notified_at = ${at} where store_id = ${ctx.storeId} and id = any(${cardIds}::bigint[])`)
}

/** Forgets the codes of customers who are no more there, and what was on their cards. */
export async function eraseGiftCards(ctx: Ctx, memberIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    update spending_gift_cards set status = 'closed', code = null, mirrored_minor = 0, last_key = null,
           closed_at = coalesce(closed_at, ${ctx.now})
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[])`)
}

/**
 * Gives the cards of a customer to the one with whom the platform has merged them. Who has a card already keeps it, and the other is
 * kept empty.
 */
export async function reassignGiftCards(ctx: Ctx, from: number, to: number): Promise<void> {
  await markAccountsDue(ctx, [from, to])
  const cards = await listGiftCards(ctx, [from, to])
  const isInUse = ({ status }: GiftCard) => status === 'making' || status === 'active'
  const hasOne = cards.some((card) => card.memberId === to && isInUse(card))
  await ctx.tx.run(sql`
    update spending_gift_cards
       set member_id = ${to}, status = case when ${hasOne} and status in ('making', 'active') then 'spare' else status end
     where store_id = ${ctx.storeId} and member_id = ${from}`)
  await ctx.tx.run(sql`
    update platform_credit_transactions set member_id = ${to}
     where store_id = ${ctx.storeId} and gift_card_id = any(${cards.map(({ id }) => id)}::bigint[]) and member_id = ${from}`)
}

const Payment = row({
  id: int,
  orderId: int,
  cardId: text,
  isRefund: bool,
  amountMinor: int,
  isOrderCancelled: bool
})
/** A payment with a gift card, or a refund to it, that an order reports. */
export type CardPayment = ReturnType<typeof Payment>

/** What orders report of these cards that is not known to be one of their transactions, the earliest first. */
export function listOpenPayments(ctx: Ctx, platformCardIds: string[]): Promise<CardPayment[]> {
  if (platformCardIds.length === 0) return Promise.resolve([])
  return ctx.tx.many(
    Payment,
    sql`
    select t.id, t.order_id, t.gift_card_id as card_id, t.kind = 'refund' as is_refund, t.amount_minor,
           coalesce(t.kind = 'refund' and o.cancelled_at <= t.processed_at + interval '5 minutes', false) as is_order_cancelled
      from order_transactions t join orders o on o.store_id = ${ctx.storeId} and o.id = t.order_id
     where t.store_id = ${ctx.storeId} and t.gift_card_id = any(${platformCardIds}::text[]) and t.gateway = 'gift_card'
       and t.kind in ('sale', 'capture', 'refund') and t.status = 'success'
       and not exists (select from platform_credit_transactions p
                        where p.store_id = ${ctx.storeId} and p.order_transaction_id = t.id)
     order by t.processed_at, t.id`
  )
}
