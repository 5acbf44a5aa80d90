import { bool, type Ctx, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'

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
      from unnest(${pushes.map((p) => p.memberId)}::bigint[], ${pushes.map((p) => p.amountMinor)}::bigint[],
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
