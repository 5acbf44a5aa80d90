import { record } from '#kit/outbox'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { findErased } from '#platform'
import { transferKeptTags } from './customer-tags/keep-tags.ts'
import { customerChanged } from './events/customer-changed.ts'
import { lockKeptCustomer } from './follow-merges.ts'
import { lockCustomers } from './queries.ts'

/**
 * Marks customers that were deleted on the platform. They stay members here, because a member's history belongs to the store, but
 * nothing is pushed to the platform for them any more. Returns those that were not marked before.
 */
export async function markCustomersDeleted(ctx: Ctx, customerIds: string[]): Promise<string[]> {
  const rows = await ctx.tx.many(
    row({ platformCustomerId: text }),
    sql`
    update members set platform_deleted_at = ${ctx.now}, profile_pending = '{}'
     where store_id = ${ctx.storeId} and platform_customer_id = any(${customerIds}::text[]) and platform_deleted_at is null
    returning platform_customer_id`
  )
  return rows.map(({ platformCustomerId }) => platformCustomerId)
}

/** Two customers that the platform has merged, by its numbers. */
export type MergedCustomers = { keptId: string; deletedId: string }

/**
 * Follows a merge on the platform. When only one of the two is known here, it continues under the number that was kept, and the
 * result is null. When both are known, both rows stay, `merged_into` leads from one to the other, and the caller transfers what
 * they own: `from` and `to` are our numbers. Where the one that was kept is merged already, since messages come in any order, `to` is who
 * remains; and whoever was merged into `from` leads to `to` as well, so that one step leads to who remains.
 */
export async function markCustomersMerged(
  ctx: Ctx,
  { keptId, deletedId }: MergedCustomers
): Promise<{ from: number; to: number } | null> {
  const known = new Map((await lockCustomers(ctx, [keptId, deletedId])).map((c) => [c.platformCustomerId, c.id]))
  const [from, kept] = [known.get(deletedId), known.get(keptId)]
  if (from === undefined) return null
  if (kept === undefined) {
    // The one who was kept was erased: nobody comes back under that number.
    if ((await findErased(ctx, [`customer:${keptId}`])).size > 0) return null
    // The platform's times were those of the deleted customer: whatever is reported of the one that was kept is newer.
    await ctx.tx.run(sql`
      update members set platform_customer_id = ${keptId}, platform_updated_at = null, account_state_at = null,
             email_consent_at = null, sms_consent_at = null, updated_at = ${ctx.now}
       where store_id = ${ctx.storeId} and id = ${from}`)
    await record(ctx, customerChanged({ id: from }))
    return null
  }
  const to = await lockKeptCustomer(ctx, kept)
  if (to === from) return null
  const merged = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`
    update members set merged_into = ${to}, platform_deleted_at = ${ctx.now}, profile_pending = '{}', updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${from} and merged_into is null
    returning id`
  )
  if (!merged) return null
  await ctx.tx.run(
    sql`update members set merged_into = ${to} where store_id = ${ctx.storeId} and merged_into = ${from}`
  )
  await fillUnknown(ctx, from, to)
  await transferKeptTags(ctx, from, to)
  // The row of the one is gone, and what the caller transfers is shown with the other.
  await record(ctx, customerChanged({ id: from }), customerChanged({ id: to }))
  return { from, to }
}

/** The account and consents of who remains stay; what is unknown of them is taken from who was merged. */
async function fillUnknown(ctx: Ctx, from: number, to: number): Promise<void> {
  await ctx.tx.run(sql`
    update members k
       set email_consent = coalesce(k.email_consent, m.email_consent),
           email_consent_at = case when k.email_consent is null then m.email_consent_at else k.email_consent_at end,
           sms_consent = coalesce(k.sms_consent, m.sms_consent),
           sms_consent_at = case when k.sms_consent is null then m.sms_consent_at else k.sms_consent_at end,
           account_state = coalesce(k.account_state, m.account_state),
           account_state_at = case when k.account_state is null then m.account_state_at else k.account_state_at end,
           account_enabled_at = case when k.account_state is null then m.account_enabled_at else k.account_enabled_at end
      from members m
     where k.store_id = ${ctx.storeId} and k.id = ${to} and m.store_id = ${ctx.storeId} and m.id = ${from}
       and (k.email_consent is null or k.sms_consent is null or k.account_state is null)`)
}
