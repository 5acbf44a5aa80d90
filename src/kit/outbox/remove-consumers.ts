import { type Database, sql } from '../postgres/index.ts'
import type { Consumer } from './consumer.ts'

/**
 * Removes what is left of consumers that are no more: their positions, their parked facts and their dead letters, in all stores.
 * To be repeated while nodes with older code may run, which start such a consumer anew. Throws when one of them is also in use.
 */
export async function removeConsumers(
  db: Database,
  removed: readonly string[],
  inUse: readonly Pick<Consumer, 'name'>[]
): Promise<void> {
  const both = inUse.find(({ name }) => removed.includes(name))
  if (both) throw new Error(`The consumer ${both.name} is in use and removed`)
  if (removed.length === 0) return
  await db.inInstallation(async (tx) => {
    await tx.run(sql`delete from known_consumers where name = any(${removed}::text[])`)
    await tx.run(sql`delete from fact_retries where consumer = any(${removed}::text[])`)
    await tx.run(sql`delete from fact_consumers where consumer = any(${removed}::text[])`)
  })
}
