import { type Ctx, int, row, sql } from '#kit/postgres'
import { markDueNow } from '#subscriptions'

/**
 * Takes up the charges that waited for a new payment method of these customers (platform numbers). A cycle whose attempt
 * is still under way is left to it.
 */
export async function retryHeldCharges(ctx: Ctx, customerIds: string[]): Promise<void> {
  const held = await ctx.tx.many(
    row({ id: int }),
    sql`
    select s.id from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and m.platform_customer_id = any(${customerIds}::text[])
       and s.status = 'active' and s.billing_due_at is null and s.declines > 0
       and not exists (select from billing_attempts a where a.store_id = s.store_id and a.subscription_id = s.id
                        and a.status = 'pending')`
  )
  await markDueNow(
    ctx,
    held.map((s) => s.id)
  )
}
