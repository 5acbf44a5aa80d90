import type { Engine } from './engine.ts'
import type { StoreStatus } from './store-status.ts'

/** Which stores wait for an engine that works in few at once (`storesAtOnce`), in the order in which they came. */
export type Turns = {
  /** Whether the engine may begin in one more store. */
  hasPlace(engine: Engine): boolean
  /** It begins in a store, which no longer waits. */
  begin(engine: Engine, storeId: number): void
  end(engine: Engine): void
  wait(engine: Engine, status: StoreStatus): void
  isWaiting(engine: Engine, storeId: number): boolean
  waiting(engine: Engine): StoreStatus[]
  leave(engine: Engine, storeId: number): void
}

export function createTurns(): Turns {
  const counts = new Map<Engine, number>()
  const queues = new Map<Engine, Map<number, StoreStatus>>()
  const countOf = (engine: Engine) => counts.get(engine) ?? 0
  const leave = (engine: Engine, storeId: number) => void queues.get(engine)?.delete(storeId)
  return {
    hasPlace: (engine) => countOf(engine) < (engine.storesAtOnce ?? Number.POSITIVE_INFINITY),
    begin(engine, storeId) {
      leave(engine, storeId)
      counts.set(engine, countOf(engine) + 1)
    },
    end: (engine) => void counts.set(engine, countOf(engine) - 1),
    wait: (engine, status) => void queues.set(engine, (queues.get(engine) ?? new Map()).set(status.storeId, status)),
    isWaiting: (engine, storeId) => queues.get(engine)?.has(storeId) ?? false,
    waiting: (engine) => [...(queues.get(engine)?.values() ?? [])],
    leave
  }
}
