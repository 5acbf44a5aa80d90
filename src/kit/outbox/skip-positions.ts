import { type Ctx, sql } from '../postgres/index.ts'

/**
 * Gives the next fact of the store a position that is `count` higher than it would be. A consumer that has passed every fact has
 * passed the skipped positions too; for one that is behind nothing changes.
 */
export async function skipPositions({ tx, storeId }: Ctx, count: number): Promise<void> {
  // No sequencer is at work in the store until the transaction ends.
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('sequence of facts', ${storeId}))`)
  await tx.run(sql`
    update fact_consumers
       set position = case when position = last_position then position + ${count}::bigint else position end,
           furthest = case when furthest = last_position then furthest + ${count}::bigint else furthest end,
           last_position = last_position + ${count}::bigint
     where store_id = ${storeId}`)
}
