import { type Ctx, int, row, sql } from '#kit/postgres'

/** Our number of a customer, by the platform's; null for one that is not known here. */
export async function findCustomer(ctx: Ctx, customer: string): Promise<number | null> {
  const found = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`select id from members where store_id = ${ctx.storeId} and platform_customer_id = ${customer}`
  )
  return found?.id ?? null
}
