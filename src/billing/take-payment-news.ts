import { bool, type Ctx, int, row, sql } from '#kit/postgres'
import { markDueNow } from '#subscriptions'
import { noteNewPaymentMethod } from './attempt.ts'

/**
 * A new payment method of these customers (platform numbers): the charges that waited for one are due at once. Where an
 * attempt is under way, it is noted there: nobody knows which method that attempt meets, so a decline is followed by another
 * try at once.
 */
export async function retryHeldCharges(ctx: Ctx, customerIds: string[]): Promise<void> {
  const held = await ctx.tx.many(
    row({ id: int, isUnderWay: bool }),
    sql`
    select s.id, exists (select from billing_attempts a
                          where a.store_id = s.store_id and a.subscription_id = s.id and a.cycle_index = s.next_cycle
                            and a.status = 'pending') as is_under_way
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and m.platform_customer_id = any(${customerIds}::text[])
       and s.status = 'active' and s.billing_due_at is null`
  )
  const idsOf = (isUnderWay: boolean) => held.filter((s) => s.isUnderWay === isUnderWay).map((s) => s.id)
  await noteNewPaymentMethod(ctx, idsOf(true))
  await markDueNow(ctx, idsOf(false))
}
