import { bytes, type Ctx, instant, nullable, row, sql, text } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { openCode } from './platform-account/gift-card-codes.ts'

const Found = row({
  lastCharacters: text,
  code: nullable(bytes),
  reference: text,
  createdAt: instant,
  notifiedAt: nullable(instant)
})

/** The gift card that a customer spends credit with. `code`: null where it is not known here. */
export type SpendingGiftCard = {
  lastCharacters: string
  code: string | null
  createdAt: Temporal.Instant
  notifiedAt: Temporal.Instant | null
}

/** The card of a customer that exists on the platform and can be spent; null where there is none. */
export async function findGiftCard(ctx: Ctx, vault: Vault, memberId: number): Promise<SpendingGiftCard | null> {
  const found = await ctx.tx.maybeOne(
    Found,
    sql`
    select last_characters, code, reference, created_at, notified_at from spending_gift_cards
     where store_id = ${ctx.storeId} and member_id = ${memberId} and status = 'active'`
  )
  if (!found) return null
  const { code: sealed, reference, ...card } = found
  return { ...card, code: sealed && openCode(vault, ctx.storeId, { reference, code: sealed }) }
}
