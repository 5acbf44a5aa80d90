import { type Ctx, sql } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { realTimeOf } from './pull/real-time.ts'
import { findRewardIntegration } from './reward-integrations.ts'

/** Has the balances of an integration pulled now. A pull that is under way goes on, and one that waits after a failure is tried again. */
export async function pullRewardBalancesNow(ctx: Ctx, key: string): Promise<void> {
  const { isActive, url } = await findRewardIntegration(ctx, key)
  if (url === null)
    throw new Refusal('conflict', `The integration ${key} has no URL from which its balances are pulled`)
  if (!isActive) throw new Refusal('conflict', `The integration ${key} is inactive: nothing is pulled`)
  const now = realTimeOf(ctx)
  await ctx.tx.run(sql`
    update reward_pulls set next_at = ${now} where store_id = ${ctx.storeId} and key = ${key} and next_at > ${now}`)
}
