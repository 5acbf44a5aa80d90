import { nullable, type Queries, row, sql, text } from '#kit/postgres'

/** A place for a file, until it expires. */
export async function insertStagedUpload(
  q: Queries,
  storeId: number,
  { key, mimeType, expiresAt }: { key: string; mimeType: string; expiresAt: Temporal.Instant }
): Promise<void> {
  await q.run(sql`
    insert into sandbox.staged_uploads (store_id, key, mime_type, expires_at)
    values (${storeId}, ${key}, ${mimeType}, ${expiresAt})`)
}

/** Stores the file; false if there is no such place, or no longer. */
export async function writeStagedUpload(
  q: Queries,
  storeId: number,
  { key, content }: { key: string; content: string },
  now: Temporal.Instant
): Promise<boolean> {
  const written = await q.run(sql`
    update sandbox.staged_uploads set content = ${content}
     where store_id = ${storeId} and key = ${key} and expires_at > ${now}`)
  return written > 0
}

/** The file of a key; null if nothing was uploaded. */
export async function findStagedUpload(q: Queries, storeId: number, key: string): Promise<string | null> {
  const found = await q.maybeOne(
    row({ content: nullable(text) }),
    sql`select content from sandbox.staged_uploads where store_id = ${storeId} and key = ${key}`
  )
  return found?.content ?? null
}
