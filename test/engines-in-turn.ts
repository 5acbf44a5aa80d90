import type { Engine } from '#kit/engines'

/** Runs several engines as if they were one: each once per turn, in their order. */
export function enginesInTurn(engines: readonly Engine[]): Pick<Engine, 'runOnce' | 'nextDueAt'> {
  return {
    async runOnce(storeId) {
      let done = 0
      for (const engine of engines) done += await engine.runOnce(storeId)
      return done
    },
    async nextDueAt(storeId) {
      const dues = await Promise.all(engines.map((engine) => engine.nextDueAt(storeId)))
      return dues.flatMap((due) => due ?? []).sort(Temporal.Instant.compare)[0] ?? null
    }
  }
}
