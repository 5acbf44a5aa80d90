import { Busy } from '../refusal.ts'
import type { Database } from './database.ts'

const LOCK_NOT_AVAILABLE = '55P03'
const ANSWER_TIMEOUT_MS = 5_000

/**
 * Runs `work` while nobody else in this database, in whatever process, runs anything under the same name. Throws `Busy` with
 * `busy` when others keep the name for `waitMs`. The lock belongs to a connection of its own, so that no transaction stays open; when this
 * machine is gone, the server frees it within half a minute.
 */
export async function holdName<T>(
  db: Database,
  name: string,
  { waitMs, busy }: { waitMs: number; busy: string },
  work: () => Promise<T>
): Promise<T> {
  const session = await db.session()
  try {
    await session.within(ANSWER_TIMEOUT_MS, () => session.query(`set lock_timeout = ${waitMs}`))
    const lock = () => session.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
    await session.within(waitMs + ANSWER_TIMEOUT_MS, lock).catch((err: { code?: string }) => {
      throw err.code === LOCK_NOT_AVAILABLE ? new Busy(busy) : err
    })
    return await work()
  } finally {
    await session.end().catch(() => {})
  }
}
