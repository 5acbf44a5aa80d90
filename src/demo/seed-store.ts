import type { Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { listPlans } from '#plans'
import { storeNow } from '#stores'
import { listSubscriptions } from '#views'
import type { DemoSandbox } from './demo-sandbox.ts'
import { generateCustomerActions } from './generate-customer-actions.ts'

export type SeedProgress = { done: number; total: number; at: Temporal.Instant }

export type SeedDeps = {
  db: Database
  sandbox: DemoSandbox
  /** Moves the store's test clock to an instant, and does everything that falls due on the way. */
  advanceClock(storeId: number, advance: { to: string }): Promise<{ now: Temporal.Instant }>
}

/**
 * Gives a sandbox store a past: members join over `months`, are billed, have declined cards and new ones, pause, cancel and
 * shop, all through the sandbox platform and the test clock. The same numbers give the same past. Ends `months` after the
 * store's present time. Refuses a store without plans. `subscriptions`: how many of the members' have become known here, which are
 * fewer where messages of the shop are lost.
 */
export async function seedStore(
  deps: SeedDeps,
  storeId: number,
  { members, months }: { members: number; months: number },
  onProgress: (progress: SeedProgress) => void
): Promise<{ members: number; months: number; now: Temporal.Instant; subscriptions: number }> {
  const { db, sandbox, advanceClock } = deps
  const countKnown = async () => (await listSubscriptions(db.direct, storeId, { limit: 1, offset: 0 })).total
  const all = await db.inStore(storeId, listPlans)
  const plans = all.filter(({ status, type }) => status === 'enabled' && type !== 'product')
  if (plans.length === 0)
    throw new Refusal('conflict', 'The store has no enabled membership plan that members could join; create one first')

  const before = await countKnown()
  const start = await storeNow(db, storeId)
  const end = start.toZonedDateTimeISO('UTC').add({ months }).toInstant()
  const planNames = plans.map((plan) => plan.name)
  const actions = generateCustomerActions({ db, sandbox, storeId, planNames }, { members, start, end })
  const total = actions.length + 1
  for (const [i, action] of actions.entries()) {
    await advanceClock(storeId, { to: action.at.toString() })
    await action.act()
    onProgress({ done: i + 1, total, at: action.at })
  }
  const { now } = await advanceClock(storeId, { to: end.toString() })
  onProgress({ done: total, total, at: now })
  return { members, months, now, subscriptions: (await countKnown()) - before }
}
