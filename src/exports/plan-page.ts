import type { Database } from '#kit/postgres'
import type { ExportEndpoint, PageRequest, PlannedPage } from './endpoint.ts'
import { planCreditsPage } from './pages/plan-credits-page.ts'
import { planCursorPage, type Settled } from './pages/plan-cursor-page.ts'
import { planMembersPage } from './pages/plan-members-page.ts'

const settled = new WeakMap<Database, Settled>()

/**
 * What a request for a page of an endpoint copies, with its `meta`. A page past the end has no rows. Throws `Busy` when rows are
 * being written that belong before those that could be returned.
 */
export function planPage(
  db: Database,
  storeId: number,
  endpoint: ExportEndpoint,
  request: PageRequest
): Promise<PlannedPage> {
  return db.inStore(storeId, (ctx) => {
    if (endpoint.paging === 'cursor') return planCursorPage(ctx, endpoint, request, settledOf(db))
    return endpoint.name === 'members'
      ? planMembersPage(ctx, endpoint, request)
      : planCreditsPage(ctx, endpoint, request)
  })
}

function settledOf(db: Database): Settled {
  const known = settled.get(db) ?? new Map<string, number>()
  settled.set(db, known)
  return known
}
