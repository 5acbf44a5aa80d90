import type { Ctx, Database } from '#kit/postgres'
import { sha256 } from '#kit/secrets'
import { checkName } from '../check-store.ts'
import { readIsSandbox } from '../queries.ts'
import { keyEnded, keyNotFound, unusableKeyOverlap } from '../refusals.ts'
import { scopesFrom } from '../scopes.ts'
import { evictKey } from './authenticate-key.ts'
import { type ApiKey, insertKey, lockKey, markRevoked, setKeyEnd } from './key-queries.ts'
import { keyHint, makeKeyText } from './key-text.ts'

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
    return makeKey(ctx, checkName(input.name), scopes)
  })
}

/** A week. */
const LONGEST_OVERLAP_HOURS = 168

/**
 * Creates a key with the name and the scopes of another, which goes on working for `overlapHours` of real time, so that programs can change to
 * the new one meanwhile; with 0 it ends at once. Rolling a key again creates another one and begins the overlap anew.
 */
export async function rollKey(
  db: Database,
  { storeId, keyId, overlapHours = 24 }: { storeId: number; keyId: number; overlapHours?: number }
): Promise<ApiKey & { key: string }> {
  if (!Number.isInteger(overlapHours) || overlapHours < 0 || overlapHours > LONGEST_OVERLAP_HOURS) {
    throw unusableKeyOverlap(LONGEST_OVERLAP_HOURS)
  }
  const rolled = await db.inStore(storeId, async (ctx) => {
    const old = await lockKey(ctx, keyId)
    if (!old) throw keyNotFound(keyId)
    if (!old.isLive) throw keyEnded(keyId)
    await setKeyEnd(ctx, keyId, overlapHours)
    return makeKey(ctx, old.name, old.scopes)
  })
  evictKey(db, storeId, keyId)
  return rolled
}

async function makeKey(ctx: Ctx, name: string, scopes: string[]): Promise<ApiKey & { key: string }> {
  const mode = (await readIsSandbox(ctx)) ? 'test' : 'live'
  const key = makeKeyText(mode, ctx.storeId)
  const created = await insertKey(ctx, { name, mode, hash: sha256(key), hint: keyHint(key), scopes })
  return { ...created, key }
}

/** Revokes a key: immediately in this process, within two seconds in the others. Revoking it again changes nothing. */
export async function revokeKey(db: Database, storeId: number, keyId: number): Promise<ApiKey> {
  const revoked = await db.inStore(storeId, (ctx) => markRevoked(ctx, keyId))
  if (!revoked) throw keyNotFound(keyId)
  evictKey(db, storeId, keyId)
  return revoked
}
