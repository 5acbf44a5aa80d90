import { type Database, instant, int, row } from '../postgres/index.ts'
import { dueStores } from './due-query.ts'
import type { Engine } from './engine.ts'
import { canWork, nowMsOf, type StoreStatus } from './store-status.ts'

const Due = row({ storeId: int, dueAt: instant })
const CHUNK = 2_000
/** How many due times that an engine does not know over many stores are looked up one by one. */
const MAX_LOOKUPS = 100

/** Work of one engine in one store that is due and not done. */
export type WaitingWork = {
  engine: string
  storeId: number
  /** When the oldest of it became due, by the clock of the engine. */
  dueAt: Temporal.Instant
  waitsMs: number
  /** It does not wait for its turn: the engine cannot work in the store at present. */
  isHeldBack: boolean
}

/**
 * What has been due for at least `atLeastMs` in these stores and is not done, also where its engine cannot work. What a running
 * process has leased is left out. An engine whose due times are not known is left out too.
 */
export async function findWaitingWork(
  db: Database,
  engines: readonly Engine[],
  stores: StoreStatus[],
  atLeastMs: number
): Promise<WaitingWork[]> {
  const found: WaitingWork[] = []
  for (let i = 0; i < stores.length; i += CHUNK) {
    const chunk = stores.slice(i, i + CHUNK)
    const asked = await Promise.all(engines.map((engine) => waitingOf(db, engine, chunk)))
    found.push(...asked.flat().filter(({ waitsMs }) => waitsMs >= atLeastMs))
  }
  return found.toSorted((a, b) => b.waitsMs - a.waitsMs)
}

async function waitingOf(db: Database, engine: Engine, stores: StoreStatus[]): Promise<WaitingWork[]> {
  const nowOf = (status: StoreStatus) => (engine.realTime ? status.realNowMs : nowMsOf(status))
  const until = (status: StoreStatus) => Temporal.Instant.fromEpochMilliseconds(nowOf(status)).toString()
  const statement = engine.due(dueStores(stores.map((status) => ({ storeId: status.storeId, until: until(status) }))))
  const oldest = new Map<number, Temporal.Instant>()
  for (const { storeId, dueAt } of await db.acrossStores.many(Due, statement)) {
    const known = oldest.get(storeId)
    if (!known || Temporal.Instant.compare(dueAt, known) < 0) oldest.set(storeId, dueAt)
  }
  const statusOf = new Map(stores.map((status) => [status.storeId, status]))
  const waiting: WaitingWork[] = []
  let lookups = 0
  for (const [storeId, due] of oldest) {
    // An engine may say that something is due without its time, which the store itself knows.
    const dueAt = isUnknown(due) && lookups++ < MAX_LOOKUPS ? await engine.nextDueAt(storeId) : due
    if (!dueAt || isUnknown(dueAt)) continue
    const status = statusOf.get(storeId)!
    const waitsMs = nowOf(status) - dueAt.epochMilliseconds
    waiting.push({ engine: engine.name, storeId, dueAt, waitsMs, isHeldBack: !canWork(engine, status) })
  }
  return waiting
}

const isUnknown = (dueAt: Temporal.Instant) => dueAt.epochMilliseconds <= 0
