import type { Database, Queries } from '#kit/postgres'
import { sha256 } from '#kit/secrets'
import { LastUses } from '../last-uses.ts'
import type { PlatformProfileName, RatePlan } from '../store.ts'
import { findLiveKey, writeLastUses } from './key-queries.ts'
import { storeIdInKey } from './key-text.ts'

/** The caller of a request: the store of its key, the key's scopes, and the facts of the store that every response needs. */
export type Caller = {
  storeId: number
  keyId: number
  scopes: ReadonlySet<string>
  timezone: string
  currency: string
  ratePlan: RatePlan
  profile: PlatformProfileName
  sandbox: boolean
}

/** How long another process may still accept a key that was revoked here. */
const CACHED_MS = 2_000
const MAX_CACHED = 20_000

type KeyMemory = {
  callers: Map<string, { caller: Caller; untilMs: number }>
  uses: LastUses<{ storeId: number; keyId: number }>
  /** Increased by every revocation: a lookup that began before one is not cached. */
  revocations: number
}

/** One for each database, whatever kind of work it is used for: all of them share its direct statements. */
const memories = new WeakMap<Queries, KeyMemory>()

function memoryOf(db: Database): KeyMemory {
  let memory = memories.get(db.direct)
  if (!memory) memories.set(db.direct, (memory = { callers: new Map(), uses: new LastUses(), revocations: 0 }))
  return memory
}

/**
 * The caller of a key; null when the text is no key, the key is revoked, or its store is disconnected. It is one statement,
 * limited to the store in the key; for the next two seconds the answer is cached. `writeKeyUses` writes the use later.
 */
export async function authenticateKey(db: Database, presented: string): Promise<Caller | null> {
  const storeId = storeIdInKey(presented)
  if (storeId === null) return null
  const memory = memoryOf(db)
  const hash = sha256(presented)
  const remembered = memory.callers.get(hash.toString('latin1'))
  const caller =
    remembered && remembered.untilMs > performance.now() ? remembered.caller : await findCaller(db, storeId, hash)
  if (caller) {
    const { storeId, keyId } = caller
    memory.uses.note(`${storeId}:${keyId}`, { storeId, keyId })
  }
  return caller
}

/** Removes a key from the cache; called after its revocation is committed. */
export function evictKey(db: Database, storeId: number, keyId: number): void {
  const memory = memoryOf(db)
  memory.revocations++
  for (const [hash, { caller }] of memory.callers) {
    if (caller.storeId === storeId && caller.keyId === keyId) memory.callers.delete(hash)
  }
}

/**
 * Writes the last uses that this process has seen, for each key at most once a minute unless `all` is set. Called regularly
 * and at shutdown. After a failure the uses are written the next time.
 */
export function writeKeyUses(db: Database, options: { all?: boolean } = {}): Promise<number> {
  return memoryOf(db).uses.write((uses) => db.inInstallation((tx) => writeLastUses(tx, uses)), options)
}

async function findCaller(db: Database, storeId: number, hash: Buffer): Promise<Caller | null> {
  const memory = memoryOf(db)
  const revocationsBefore = memory.revocations
  const found = await findLiveKey(db.direct, storeId, hash)
  if (!found) return null
  const { id, platformProfile: profile, scopes, ...store } = found
  const caller = { ...store, profile, keyId: id, scopes: new Set(scopes) }
  if (memory.revocations === revocationsBefore) {
    if (memory.callers.size >= MAX_CACHED) memory.callers.clear()
    memory.callers.set(hash.toString('latin1'), { caller, untilMs: performance.now() + CACHED_MS })
  }
  return caller
}
