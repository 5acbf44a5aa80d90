import type { Database } from './database.ts'
import { bool, row } from './row.ts'
import { sql } from './sql.ts'

const ANSWER_MS = 3_000

/** Whether the database can be worked with: `ok`, or what is wrong, after three seconds at most. */
export async function databaseState(db: Database): Promise<string> {
  const asked = db.direct.one(
    row({ readsOnly: bool }),
    sql`select current_setting('transaction_read_only')::boolean as reads_only`
  )
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`No answer within ${ANSWER_MS / 1_000} s`)), ANSWER_MS)
  try {
    const { readsOnly } = await Promise.race([asked, late.promise])
    return readsOnly ? 'It only reads: it is a standby, or was set to read only' : 'ok'
  } catch (err) {
    return (err as Error).message || String((err as { code?: unknown }).code)
  } finally {
    clearTimeout(timer)
  }
}
