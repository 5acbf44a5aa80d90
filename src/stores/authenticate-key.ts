import { realNow } from '#kit/clock'
import type { Database } from '#kit/postgres'
import { sha256 } from '#kit/secrets'
import { findLiveKey, writeLastUses } from './key-queries.ts'
import { storeIdInKey } from './key-text.ts'
import type { PlatformProfileName, RatePlan } from './store.ts'

/** Who calls: the store that the key opens, what the key may do, and what every answer needs to know of the store. */
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

/** How long another process may still take a key that was revoked here. */
const CACHED_MS = 2_000
const MAX_CACHED = 20_000
const LAST_USE_EVERY_MS = 60_000

type Use = { storeId: number; keyId: number; at: Temporal.Instant | null; writtenMs: number }
type KeyMemory = {
  callers: Map<string, { caller: Caller; untilMs: number }>
  uses: Map<string, Use>
  /** Raised by every revocation: a look-up that began before it is not remembered. */
  revocations: number
}

const memories = new WeakMap<Database, KeyMemory>()

function memoryOf(db: Database): KeyMemory {
  let memory = memories.get(db)
  if (!memory) memories.set(db, (memory = { callers: new Map(), uses: new Map(), revocations: 0 }))
  return memory
}

/**
 * Whose key this is; null when it is none, is revoked, or its store took the service off. One statement bound to the
 * store in the key, and for two seconds none. Notes the use, which `writeKeyUses` brings to the table.
 */
export async function authenticateKey(db: Database, presented: string): Promise<Caller | null> {
  const storeId = storeIdInKey(presented)
  if (storeId === null) return null
  const memory = memoryOf(db)
  const hash = sha256(presented)
  const remembered = memory.callers.get(hash.toString('latin1'))
  const caller =
    remembered && remembered.untilMs > performance.now() ? remembered.caller : await lookUp(db, storeId, hash)
  if (caller) noteUse(memory, caller)
  return caller
}

/** Called once a revocation is committed. */
export function evictKey(db: Database, storeId: number, keyId: number): void {
  const memory = memoryOf(db)
  memory.revocations++
  for (const [hash, { caller }] of memory.callers) {
    if (caller.storeId === storeId && caller.keyId === keyId) memory.callers.delete(hash)
  }
}

/**
 * Writes the last uses that this process has seen, each key at most once a minute unless `all`; for a timer and for the
 * shutdown. Uses that could not be written are kept for the next time.
 */
export async function writeKeyUses(db: Database, options: { all?: boolean } = {}): Promise<number> {
  const { uses } = memoryOf(db)
  const nowMs = performance.now()
  const due = [...uses.values()].flatMap((use) =>
    use.at && (options.all || nowMs - use.writtenMs >= LAST_USE_EVERY_MS) ? [{ ...use, at: use.at }] : []
  )
  if (due.length === 0) return 0
  await db.inInstallation((tx) => writeLastUses(tx, due))
  for (const { storeId, keyId, at } of due) {
    const use = uses.get(`${storeId}:${keyId}`)!
    use.writtenMs = nowMs
    if (use.at === at) use.at = null
  }
  return due.length
}

async function lookUp(db: Database, storeId: number, hash: Buffer): Promise<Caller | null> {
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

function noteUse(memory: KeyMemory, { storeId, keyId }: Caller) {
  const use = memory.uses.get(`${storeId}:${keyId}`)
  if (use) use.at = realNow()
  else memory.uses.set(`${storeId}:${keyId}`, { storeId, keyId, at: realNow(), writtenMs: Number.NEGATIVE_INFINITY })
}
