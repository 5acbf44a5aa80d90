import { createLeaseKeeper } from '../engines/index.ts'
import type { Ctx, Database } from '../postgres/index.ts'

/** How long a lease on a walk lasts in real time; it is extended while a page is read and recorded. */
export const WALK_LEASE_MS = 120_000

/** What a page came to, or why it did not come. */
type ReadPage<Page> = { ok: true; value: Page } | { ok: false; failure: { message: string } }

export type WalkOptions<Walk, Page> = {
  db: Database
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
  /** The walk that is due, at the page that it has reached; null when none is. */
  claim: (ctx: Ctx, leaseMs: number) => Promise<Walk | null>
  /** Extends the lease; false when another process has it. */
  extend: (ctx: Ctx, walk: Walk, leaseMs: number) => Promise<boolean>
  /** Reads the page and applies what it says. */
  read: (storeId: number, walk: Walk) => Promise<ReadPage<Page>>
  /** Records how far the walk is after a page. */
  record: (ctx: Ctx, walk: Walk, page: Page) => Promise<void>
  /** Puts a walk off whose page did not come. */
  putOff: (ctx: Ctx, walk: Walk, error: string) => Promise<void>
}

/**
 * Walks over what a platform has, a page at each call: memory is bounded, a crash costs one page, and other work runs in between. The
 * lease is kept meanwhile: two nodes that take a slow page from each other would read it again and again. Returns the walk and its
 * page where there was one.
 */
export function createWalker<Walk, Page>(options: WalkOptions<Walk, Page>) {
  const { db, leaseMs = WALK_LEASE_MS } = options
  const leases = createLeaseKeeper<Walk>({
    leaseMs,
    async extend(storeId, [walk]) {
      return (await db.inStore(storeId, (ctx) => options.extend(ctx, walk!, leaseMs))) ? [walk!] : []
    }
  })
  return async (storeId: number): Promise<{ walk: Walk; page: Page | null } | null> => {
    const from = performance.now()
    const walk = await db.inStore(storeId, (ctx) => options.claim(ctx, leaseMs))
    if (!walk) return null
    leases.keep(storeId, [walk], from)
    const putOff = (error: string) => db.inStore(storeId, (ctx) => options.putOff(ctx, walk, error))
    try {
      const page = await options.read(storeId, walk)
      if (page.ok) await db.inStore(storeId, (ctx) => options.record(ctx, walk, page.value))
      else await putOff(page.failure.message)
      return { walk, page: page.ok ? page.value : null }
    } catch (err) {
      await putOff((err as Error).message)
      throw err
    } finally {
      leases.letGo(storeId, [walk])
    }
  }
}
