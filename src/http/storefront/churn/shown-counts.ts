import { addShown, type ReasonAlias, type ShownTimes } from '#churn'
import type { HttpDeps } from '../../shared/deps.ts'

const WRITTEN_AFTER_MS = 1_000

/** What an answer shows. */
type Matched = { reason: { alias: ReasonAlias }; offers: { offer: { id: number } }[] }

/**
 * Counts what is shown, and writes it a moment later, apart from the reads: a row for each would make all readers of a store wait for each other. What the
 * database does not take is tried again; a process that is killed loses the last second.
 */
export function createShownCounts({ db, logger }: Pick<HttpDeps, 'db' | 'logger'>) {
  const counts = new Map<number, Map<string, ShownTimes>>()
  let writing = Promise.resolve()
  let timer: NodeJS.Timeout | null = null

  const add = (storeId: number, { alias, offerId, times }: ShownTimes) => {
    const ofStore = counts.get(storeId) ?? new Map<string, ShownTimes>()
    counts.set(storeId, ofStore)
    const key = `${alias}:${offerId}`
    ofStore.set(key, { alias, offerId, times: (ofStore.get(key)?.times ?? 0) + times })
    timer ??= setTimeout(writeNext, WRITTEN_AFTER_MS).unref()
  }

  const write = async () => {
    for (const [storeId, ofStore] of [...counts]) {
      counts.delete(storeId)
      const shown = [...ofStore.values()]
      try {
        await db.inStore(storeId, (ctx) => addShown(ctx, shown))
      } catch (err) {
        for (const one of shown) add(storeId, one)
        logger.warn({ err }, `How often offers were shown was not written: ${(err as Error).message}`)
      }
    }
  }
  const writeNext = () => {
    if (timer) clearTimeout(timer)
    timer = null
    writing = writing.then(write)
    return writing
  }

  return {
    count(storeId: number, matched: Matched[]): void {
      for (const { reason, offers } of matched) {
        const ids = offers.length === 0 ? [0] : offers.map(({ offer }) => offer.id)
        for (const offerId of ids) add(storeId, { alias: reason.alias, offerId, times: 1 })
      }
    },
    async close(): Promise<void> {
      await writeNext()
      if (timer) clearTimeout(timer)
    }
  }
}
