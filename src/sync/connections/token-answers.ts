import { type Ctx, type Database, sql } from '#kit/postgres'
import { markTokenRefused, markTokenTaken } from '#stores'
import { retryWhatWaits } from './retry-what-waits.ts'

export type TokenAnswers = {
  /** The platform refuses the access token of a store; `message` is its answer. */
  onTokenRefused(storeId: number, message: string): Promise<void>
  /** It takes the token. */
  onTokenTaken(storeId: number): Promise<void>
}

/**
 * Records whether platforms take the access tokens of stores. At the first refusal the connection is checked at once, in case it
 * passes. `onConnectionChange` is notified of both, with a sentence for the log.
 */
export function recordTokenAnswers({
  db,
  onConnectionChange
}: {
  db: Database
  onConnectionChange: (storeId: number, message: string) => void
}): TokenAnswers {
  return {
    async onTokenRefused(storeId, message) {
      const isNew = await db.inStore(storeId, async (ctx) => {
        const isMarked = await markTokenRefused(ctx, message)
        if (isMarked) await checkConnectionNow(ctx)
        return isMarked
      })
      if (isNew) onConnectionChange(storeId, `${message}: nothing can be billed until it takes one`)
    },

    async onTokenTaken(storeId) {
      const isNew = await db.inStore(storeId, noteTokenTaken)
      if (isNew) onConnectionChange(storeId, 'The platform takes the access token of the store again')
    }
  }
}

/** Marks that the platform takes the access token again, and has done what waited for that. False when it did all the time. */
export async function noteTokenTaken(ctx: Ctx): Promise<boolean> {
  if (!(await markTokenTaken(ctx))) return false
  await retryWhatWaits(ctx)
  return true
}

/** Has the connection checked at once. Not where it was tried in vain already: that has its own pauses. */
export async function checkConnectionNow({ tx, storeId }: Ctx): Promise<void> {
  await tx.run(sql`
    update reconciliations set next_at = least(next_at, statement_timestamp())
     where store_id = ${storeId} and kind = 'webhooks' and failures = 0`)
}
