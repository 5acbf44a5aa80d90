import { type Database, instant, int, row } from '../postgres/index.ts'
import { dueStores } from './due-query.ts'
import type { Engine } from './engine.ts'
import { canWork, nowMsOf, type StoreStatus } from './store-status.ts'

/** How far ahead a look finds what becomes due. It is longer than the time between two looks at all stores. */
const AHEAD_MS = 15_000

const Due = row({ storeId: int, dueAt: instant })

/** Work of one engine in one store. `inMs` is how long it is still ahead; 0: it is due. */
export type DueWork = { engine: Engine; status: StoreStatus; inMs: number }

/**
 * What is due or soon will be in these stores: one statement per engine, whatever their number. `isWanted` leaves out
 * stores that an engine need not look at. `failed` are the engines whose statement failed.
 */
export async function findDueWork(
  db: Database,
  engines: Engine[],
  stores: StoreStatus[],
  isWanted: (engine: Engine, storeId: number) => boolean
): Promise<{ found: DueWork[]; failed: { engine: Engine; err: unknown }[] }> {
  const untilOf = untilTexts()
  const asks = engines.map(async (engine): Promise<DueWork[]> => {
    const wanted = stores.filter((status) => canWork(engine, status) && isWanted(engine, status.storeId))
    if (wanted.length === 0) return []
    const statement = engine.due(
      dueStores(wanted.map((status) => ({ storeId: status.storeId, until: untilOf(engine, status) })))
    )
    const byId = new Map(wanted.map((status) => [status.storeId, status]))
    return (await db.acrossStores.many(Due, statement)).map(({ storeId, dueAt }) => {
      const status = byId.get(storeId)!
      // Claims compare with a time that is cut to milliseconds, so a part of one counts as a whole.
      const dueMs = Math.ceil(Number(dueAt.epochNanoseconds) / 1e6)
      return { engine, status, inMs: Math.max(0, dueMs - (engine.realTime ? status.realNowMs : nowMsOf(status))) }
    })
  })
  const ends = await Promise.allSettled(asks)
  return {
    found: ends.flatMap((end) => (end.status === 'fulfilled' ? end.value : [])),
    failed: ends.flatMap((end, i) => (end.status === 'rejected' ? { engine: engines[i]!, err: end.reason } : []))
  }
}

/** Until when the work of a store counts, as text. Stores in real time share theirs, which costs one conversion a look. */
function untilTexts() {
  const texts = new Map<number, string>()
  const ahead = (ms: number) => {
    let text = texts.get(ms)
    if (text === undefined) texts.set(ms, (text = Temporal.Instant.fromEpochMilliseconds(ms + AHEAD_MS).toString()))
    return text
  }
  return (engine: Engine, { clockAt, realNowMs }: StoreStatus) =>
    clockAt && !engine.realTime ? clockAt.toString() : ahead(realNowMs)
}
