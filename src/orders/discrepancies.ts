import { type Ctx, sql } from '#kit/postgres'

/** What the platform reported about an order that cannot be right. `subject` says what it is about, unlike every other of its kind. */
export type Discrepancy = {
  platformOrderId: string
  kind: DiscrepancyKind
  subject: string
  /** Continues the subject: `order 7 …`. */
  message: string
}

/** A later read of the order settles the first ones; the others are what the order is. */
export const CONTRADICTIONS = [
  'contradictory_messages',
  'moved_refund',
  'changed_transaction',
  'moved_dispute'
] as const
export const PECULIARITIES = ['negative_line', 'other_currency'] as const
export type DiscrepancyKind = (typeof CONTRADICTIONS)[number] | (typeof PECULIARITIES)[number]

/** Records what is not recorded yet, and opens again what was settled. */
export async function recordDiscrepancies(ctx: Ctx, found: Discrepancy[]): Promise<void> {
  const unlike = [...new Map(found.map((one) => [`${one.kind} ${one.subject}`, one])).values()]
  if (unlike.length === 0) return
  await ctx.tx.run(sql`
    insert into order_discrepancies as d (store_id, platform_order_id, kind, subject, message, found_at)
    select ${ctx.storeId}, t.platform_order_id, t.kind, t.subject, t.message, ${ctx.now}
      from unnest(${unlike.map((d) => d.platformOrderId)}::text[], ${unlike.map((d) => d.kind)}::text[],
                  ${unlike.map((d) => d.subject)}::text[], ${unlike.map((d) => d.message)}::text[])
             as t(platform_order_id, kind, subject, message)
     order by t.kind, t.subject
    on conflict (store_id, kind, subject) do update
       set message = excluded.message, found_at = excluded.found_at, settled_at = null
     where d.settled_at is not null`)
}

/** Ends contradictions about orders that were read. */
export async function settleContradictions(ctx: Ctx, platformOrderIds: string[]): Promise<void> {
  await ctx.tx.run(sql`
    update order_discrepancies set settled_at = ${ctx.now}
     where store_id = ${ctx.storeId} and platform_order_id = any(${platformOrderIds}::text[]) and settled_at is null
       and kind = any(${[...CONTRADICTIONS]}::text[])`)
}

/** Ends contradictions about disputes that were read. */
export async function settleDisputes(ctx: Ctx, disputeIds: string[]): Promise<void> {
  const subjects = disputeIds.map((id) => `dispute ${id}`)
  await ctx.tx.run(sql`
    update order_discrepancies set settled_at = ${ctx.now}
     where store_id = ${ctx.storeId} and kind = 'contradictory_messages' and subject = any(${subjects}::text[])
       and settled_at is null`)
}
