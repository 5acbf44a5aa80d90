import type { Database } from '#kit/postgres'
import { sha256 } from '#kit/secrets'
import { evictKey } from './authenticate-key.ts'
import { checkName } from './check-store.ts'
import { type ApiKey, insertKey, markRevoked } from './key-queries.ts'
import { keyHint, makeKeyText } from './key-text.ts'
import { readIsSandbox } from './queries.ts'
import { keyNotFound } from './refusals.ts'
import { scopesFrom } from './scopes.ts'

/**
 * Creates an API key, with all scopes unless some are given. The key is only in the result: its SHA-256 is stored, which is
 * safe because a key has 190 random bits.
 */
export function createKey(
  db: Database,
  input: { storeId: number; name: string; scopes?: string[] }
): Promise<ApiKey & { key: string }> {
  return db.inStore(input.storeId, async (ctx) => {
    const scopes = scopesFrom(input.scopes)
    const name = checkName(input.name)
    const mode = (await readIsSandbox(ctx)) ? 'test' : 'live'
    const key = makeKeyText(mode, ctx.storeId)
    const created = await insertKey(ctx, { name, mode, hash: sha256(key), hint: keyHint(key), scopes })
    return { ...created, key }
  })
}

/** Revokes a key: immediately in this process, within two seconds in the others. Revoking it again changes nothing. */
export async function revokeKey(db: Database, storeId: number, keyId: number): Promise<ApiKey> {
  const revoked = await db.inStore(storeId, (ctx) => markRevoked(ctx, keyId))
  if (!revoked) throw keyNotFound(keyId)
  evictKey(db, storeId, keyId)
  return revoked
}
