import { type Engine, nextDueBy } from '#kit/engines'
import type { Ctx, Database } from '#kit/postgres'
import { writeAccounts } from './change-credits.ts'
import { asLot, nothingElse, openAccounts } from './open-accounts.ts'
import { type Draft, emptyDraft, planExpiry } from './plan-change.ts'
import {
  countMissedEntries,
  dueExpiries,
  listDueLots,
  listMembersWithDueLots,
  lockAccounts,
  nextExpiry
} from './queries.ts'
import { listMembersWithLapsed } from './reservation-queries.ts'

const BATCH = 500

/** Expires credit as it passes its date on the store's clock, and ends reservations whose time is over. */
export function createCreditEngine({ db }: { db: Database }): Engine {
  return {
    name: 'credits',
    stage: 'others',
    due: dueExpiries,
    ...nextDueBy(db, nextExpiry),
    runOnce: (storeId) => db.inStore(storeId, expireCredits)
  }
}

/**
 * One batch of what is due in a store, and how much it was: reservations first, since what they held of lots past their date is
 * due to expire then.
 */
export async function expireCredits(ctx: Ctx): Promise<number> {
  return (await abortLapsedReservations(ctx)) + (await expireLots(ctx))
}

async function abortLapsedReservations(ctx: Ctx): Promise<number> {
  const memberIds = await listMembersWithLapsed(ctx, BATCH)
  if (memberIds.length === 0) return 0
  const { drafts } = await openAccounts(
    ctx,
    memberIds.map((memberId) => ({ memberId, isOwn: true })),
    nothingElse
  )
  await writeAccounts(ctx, drafts, [])
  return drafts.flatMap(({ reservations }) => reservations.filter((r) => r.isChanged)).length
}

/**
 * Expires lots whose date has passed, each by an entry of its own, for many accounts in one set of statements. A lot past its date
 * cannot be spent even before this: it only stays in the balance until then. What a reservation holds of it stays until that ends.
 */
async function expireLots(ctx: Ctx): Promise<number> {
  const memberIds = await listMembersWithDueLots(ctx, BATCH)
  if (memberIds.length === 0) return 0
  const accounts = await lockAccounts(ctx, memberIds)
  const behind = accounts.filter(({ entries, totalledEntries }) => totalledEntries < entries).map((a) => a.memberId)
  if (behind.length > 0) await countMissedEntries(ctx, behind)
  const lots = Map.groupBy(await listDueLots(ctx, memberIds, BATCH), (lot) => lot.memberId)
  const drafts = accounts.flatMap(({ totalledEntries, ...account }): Draft[] => {
    const due = lots.get(account.memberId)
    if (!due) return []
    const before = { balanceMinor: account.balanceMinor, reservedMinor: account.reservedMinor }
    return [{ ...emptyDraft(account.memberId), ...account, before, lots: due.map(asLot) }]
  })
  const entries = drafts.flatMap((draft) => planExpiry(draft, ctx.now))
  await writeAccounts(ctx, drafts, entries)
  return entries.length
}
