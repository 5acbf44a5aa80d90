import type { Engine } from '#kit/engines'
import { type Ctx, type Database, instant, nullable, row } from '#kit/postgres'
import { writeEntries } from './change-credits.ts'
import { type Draft, planExpiry } from './plan-change.ts'
import { dueExpiries, listDueLots, listMembersWithDueLots, lockAccounts, nextExpiry } from './queries.ts'

const BATCH = 500

/** Expires credit as it passes its date on the store's clock. */
export function createCreditEngine({ db }: { db: Database }): Engine {
  return {
    name: 'credits',
    stage: 'others',
    due: dueExpiries,
    async nextDueAt(storeId) {
      return (await db.direct.one(row({ at: nullable(instant) }), nextExpiry(storeId))).at
    },
    runOnce: (storeId) => db.inStore(storeId, expireCredits)
  }
}

/**
 * Expires lots whose date has passed, each by an entry of its own, and returns how many. A lot past its date cannot be spent even
 * before this: it only stays in the balance until then.
 */
async function expireCredits(ctx: Ctx): Promise<number> {
  const memberIds = await listMembersWithDueLots(ctx, BATCH)
  if (memberIds.length === 0) return 0
  const accounts = await lockAccounts(ctx, memberIds)
  const lots = Map.groupBy(await listDueLots(ctx, memberIds, BATCH), (lot) => lot.memberId)
  const drafts = accounts.flatMap((account): Draft[] => {
    const due = lots.get(account.memberId)
    if (!due) return []
    return [{ ...account, dueMinor: 0, lots: due.map((lot) => ({ ...lot, operationId: null, isChanged: false })) }]
  })
  const entries = drafts.flatMap((draft) => planExpiry(draft, ctx.now))
  await writeEntries(ctx, drafts, entries)
  return entries.length
}
