import { type Ctx, type Database, sql } from '#kit/postgres'
import { markTokenRefused, markTokenTaken } from '#stores'

/**
 * Records that the platform refuses the access token of a store; `message` is its answer. The connection is checked at once, in case
 * the refusal passes. False when it was known.
 */
export function tokenRefused(db: Database, storeId: number, message: string): Promise<boolean> {
  return db.inStore(storeId, async (ctx) => {
    const isNew = await markTokenRefused(ctx, message)
    if (isNew) await checkConnectionNow(ctx)
    return isNew
  })
}

/** Records that it takes the token again; `then` is done in the same transaction. False when it did all the time. */
export function tokenTaken(db: Database, storeId: number, onTaken: (ctx: Ctx) => Promise<unknown>): Promise<boolean> {
  return db.inStore(storeId, async (ctx) => {
    const isNew = await markTokenTaken(ctx)
    if (isNew) await onTaken(ctx)
    return isNew
  })
}

/** Not where it was tried in vain already: that has its own pauses. */
async function checkConnectionNow({ tx, storeId }: Ctx): Promise<void> {
  await tx.run(sql`
    update reconciliations set next_at = least(next_at, statement_timestamp())
     where store_id = ${storeId} and kind = 'webhooks' and failures = 0`)
}
