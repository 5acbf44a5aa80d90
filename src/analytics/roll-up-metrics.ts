import { type Ctx, int, row, sql } from '#kit/postgres'

const Count = row({ count: int })

/** Rolls up one batch of changes and returns how many they were; 0 also while another process does it. */
export async function rollUpMetrics({ tx, storeId }: Ctx): Promise<number> {
  const { count } = await tx.one(Count, sql`select roll_up_metrics(${storeId}) as count`)
  return count
}

/** Computes the metrics of all days again from the raw rows: in another time zone they belong to other days. */
export async function rebuildMetrics({ tx, storeId }: Ctx): Promise<void> {
  await tx.run(sql`select rebuild_metrics(${storeId})`)
}
