import { setTimeout as wait } from 'node:timers/promises'
import { type Ctx, sql } from '#kit/postgres'
import type { BuiltStore } from './store-builder.ts'

/**
 * Begins the second when the first has done its work and has not committed; commits when the second waits for it or is done.
 * Returns what became of the second. `look` runs in the first while the second waits.
 */
export async function atOnce<T>(
  { inStore }: Pick<BuiltStore, 'inStore'>,
  first: (ctx: Ctx) => Promise<unknown>,
  second: (ctx: Ctx) => Promise<T>,
  look?: (ctx: Ctx) => Promise<unknown>
): Promise<PromiseSettledResult<T>> {
  const { outcome } = await inStore(async (ctx) => {
    await first(ctx)
    let isDone = false
    const outcome = Promise.allSettled([inStore(second)]).then(([one]) => {
      isDone = true
      return one!
    })
    const waiting = sql`select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`
    while (!isDone && (await ctx.tx.run(waiting)) === 0) await wait(2)
    if (!isDone) await look?.(ctx)
    // Within an object, since the transaction would wait for a promise.
    return { outcome }
  })
  return outcome
}
