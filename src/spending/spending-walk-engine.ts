import { type Engine, nextDueBy } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { gatherMergedCredit } from './gather-merged-credit.ts'
import { restoreOrdersOf } from './redemptions/restore-orders.ts'
import { refreshAccounts } from './refresh-accounts.ts'
import { dueSpendingWalks, moveWalk, nextSpendingWalkAt, takeWalkPage } from './spending-walks.ts'

const PAGE = 500

/**
 * Once a day, by the store's clock, every customer with credit is compared with the platform, since somebody may change an account by hand
 * and messages get lost; what their orders should have given back is restored, which matters for orders from before the service did so; and
 * what merged customers still have moves to those who were kept. It calls nobody: it makes accounts due, a page at a time.
 */
export function createSpendingWalkEngine({ db }: { db: Database }): Engine {
  return {
    name: 'spending-walk',
    stage: 'others',
    needsPlatform: true,
    restsAfterRestore: true,
    due: dueSpendingWalks,
    ...nextDueBy(db, nextSpendingWalkAt),
    runOnce: (storeId) =>
      db.inStore(storeId, async (ctx) => {
        if (ctx.isRestored) return 0
        const page = await takeWalkPage(ctx, PAGE)
        if (!page) return 0
        await gatherMergedCredit(ctx, page)
        await refreshAccounts(ctx, page, { isCheck: true })
        await restoreOrdersOf(ctx, page)
        await moveWalk(ctx, page.length < PAGE ? null : page.at(-1)!)
        return 1
      })
  }
}
