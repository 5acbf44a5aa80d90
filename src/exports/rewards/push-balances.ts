import { type Ctx, row, sql, text } from '#kit/postgres'
import { type CustomerIdReference, findCustomers } from '#members'
import { noSuchIntegration } from './reward-integrations.ts'
import { storeBalances } from './store-balances.ts'

/** The balance of a customer at an integration, in points; `given` is what the caller calls the customer. */
export type PushedBalance = { given: string; customer: CustomerIdReference; points: number }

/**
 * Stores balances that an integration has pushed: the last one of a customer counts. Returns the customers, as they were given, whom the
 * store does not have; their balances are left out.
 */
export async function pushRewardBalances(
  ctx: Ctx,
  key: string,
  pushed: PushedBalance[]
): Promise<{ stored: number; unknown: string[] }> {
  const known = await ctx.tx.maybeOne(
    row({ key: text }),
    sql`select key from reward_integrations where store_id = ${ctx.storeId} and key = ${key} for no key update`
  )
  if (!known) throw noSuchIntegration(key)
  const customers = await findCustomers(
    ctx,
    pushed.map(({ customer }) => customer)
  )
  const points = new Map(pushed.flatMap((one, i) => (customers[i] ? [[customers[i].id, one.points] as const] : [])))
  const unknown = pushed.filter((_, i) => !customers[i]).map(({ given }) => given)
  await storeBalances(ctx, key, points)
  return { stored: points.size, unknown }
}
