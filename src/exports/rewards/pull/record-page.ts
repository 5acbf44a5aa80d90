import type { Ctx } from '#kit/postgres'
import { findCustomers, lookUpCustomers, parseCustomerId } from '#members'
import { storeContext } from '#stores'
import { storeBalances } from '../store-balances.ts'
import type { PulledBalance } from './balance-page.ts'
import type { FetchedPage } from './fetch-page.ts'
import { type ClaimedPull, lockClaimedPull, markNotPulled, markPulled, releasePull } from './pull-queries.ts'

/** A pull that has not ended after so many pages never does. */
const MAX_PAGES = 100_000
/** What a service answers where it does not know a cursor any more. */
const CURSOR_LOST = [400, 404, 410, 422]

/**
 * Writes what asking for a page came to: its balances and how far the pull is, in the transaction of `ctx`. Nothing when the pull was taken
 * over or changed meanwhile.
 */
export async function recordPage(ctx: Ctx, pull: ClaimedPull, fetched: FetchedPage): Promise<void> {
  if (!fetched.ok && fetched.isCutOff) return releasePull(ctx, pull)
  if (!(await lockClaimedPull(ctx, pull))) return
  if (!fetched.ok) {
    const { error, status, retryAfterSeconds: atLeastSeconds } = fetched
    const isAnew = pull.pageAfter !== null && CURSOR_LOST.includes(status ?? 0)
    return markNotPulled(ctx, pull, { error, isAnew, atLeastSeconds })
  }
  const { balances, nextCursor } = fetched.page
  if (nextCursor !== null && pull.pages + 1 >= MAX_PAGES) {
    return markNotPulled(ctx, pull, {
      error: `There are more pages after ${MAX_PAGES}: the cursors go in a circle`,
      isAnew: true
    })
  }
  const { points, unknown } = await resolve(ctx, balances)
  await storeBalances(ctx, pull.key, points)
  await markPulled(ctx, pull, { received: balances.length, stored: points.size, unknown, nextCursor })
}

/** The balances by our number of the customer; of several of one customer the last counts. An address that several share names nobody. */
async function resolve(ctx: Ctx, balances: PulledBalance[]): Promise<{ points: Map<number, number>; unknown: number }> {
  const { profile } = await storeContext(ctx)
  const nobody = { memberId: null, platformId: null }
  const byId = await findCustomers(
    ctx,
    balances.map(({ id }) => (id === null ? nobody : parseCustomerId(id, profile)))
  )
  const addressed = balances.flatMap(({ email }) => email ?? [])
  const named = await lookUpCustomers(
    ctx,
    addressed.map((email) => ({ ...nobody, email }))
  )
  const byEmail = new Map(addressed.map((email, i) => [email, named[i]!.length === 1 ? named[i]![0]! : null]))
  const customers = balances.map(({ email }, i) => (email === null ? byId[i] : byEmail.get(email)) ?? null)
  return {
    points: new Map(balances.flatMap((one, i) => (customers[i] ? [[customers[i].id, one.points] as const] : []))),
    unknown: customers.filter((customer) => customer === null).length
  }
}
