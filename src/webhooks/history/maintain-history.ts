import type { Database } from '#kit/postgres'
import {
  countDay,
  createPartition,
  dropPartition,
  listPartitions,
  listUncountedDays,
  moveOpenDeliveries
} from './retention-queries.ts'

/** Partitions are made so many days ahead, so that housekeeping may fail for a while without stopping deliveries. */
const DAYS_AHEAD = 7

/**
 * Keeps the history of the last `days` days, today beside them: drops older ones whole and makes the coming ones. A
 * delivery that is still open moves to the present day with its tries. Days that have ended are counted. Each day in a
 * transaction; safe to repeat and for several processes at once. Days are UTC days of real time.
 */
export async function maintainHistory(db: Database, days: number): Promise<void> {
  const { today, known } = await db.inInstallation(listPartitions)
  const has = new Set(known.map(String))
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
    const wanted = today.add({ days: ahead })
    if (!has.has(wanted.toString())) await db.inInstallation((tx) => createPartition(tx, wanted))
  }
  const first = today.subtract({ days })
  for (const old of known.filter((d) => Temporal.PlainDate.compare(d, first) < 0)) {
    await db.inInstallation(async (tx) => {
      await moveOpenDeliveries(tx, old, today)
      await dropPartition(tx, old)
    })
  }
  for (const ended of await db.inInstallation(listUncountedDays)) await db.inInstallation((tx) => countDay(tx, ended))
}
