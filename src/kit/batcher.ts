import { isOutage, isTemporary } from './postgres/index.ts'
import { Busy } from './refusal.ts'

/** Processes an item in a batch with others of the same key, and returns its outcome. */
export type Batcher<Key, Item, Outcome> = (key: Key, item: Item) => Promise<Outcome>

type Waiting<Item, Outcome> = {
  item: Item
  resolve: (outcome: Outcome) => void
  reject: (err: unknown) => void
}

/** Items of one key that may wait: more than a store ever has in flight, and few enough for memory. */
const MAX_WAITING = 10_000

/**
 * Processes items of the same key in batches: items that arrive while a batch is running wait and go into the next batch, at most
 * `maxItems` of them, in order of arrival. An item that finds no batch running starts at once. Refuses an item when
 * `maxWaiting` are already waiting. `work` is called as `runBatched` calls it. When a batch fails because the database is out of
 * reach, or because others keep what it needs, the items that wait fail with it, so that none waits for more than one batch and
 * its own.
 */
export function createBatcher<Key extends string | number, Item, Outcome>(options: {
  maxItems: number
  maxWaiting?: number
  work: (key: Key, items: Item[]) => Promise<Outcome[]>
}): Batcher<Key, Item, Outcome> {
  const { maxItems, maxWaiting = MAX_WAITING, work } = options
  const waitingByKey = new Map<Key, Waiting<Item, Outcome>[]>()

  const drain = async (key: Key, waiting: Waiting<Item, Outcome>[]) => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxItems)
      const items = batch.map(({ item }) => item)
      const outcomes = await runBatched(items, (part) => work(key, part), isTemporary)
      for (const [i, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[i]!
        if (outcome.status === 'fulfilled') resolve(outcome.value)
        else reject(outcome.reason)
      }
      const last = outcomes.at(-1)
      if (last?.status === 'rejected' && isTemporary(last.reason))
        for (const { reject } of waiting.splice(0)) reject(last.reason)
    }
    waitingByKey.delete(key)
  }

  return (key, item) =>
    new Promise((resolve, reject) => {
      const waiting = waitingByKey.get(key)
      if (waiting && waiting.length >= maxWaiting) return reject(tooManyWaiting())
      if (waiting) return void waiting.push({ item, resolve, reject })
      const first = [{ item, resolve, reject }]
      waitingByKey.set(key, first)
      void drain(key, first)
    })
}

/**
 * The outcome of each item, in order. `work` returns one outcome per item. If it throws, the items are tried one by one, so that a
 * bad item fails alone; throwing must undo everything that `work` did, as in a transaction. After an outage nothing more is
 * tried, since it is unknown what was committed and the other items would fail too. `affectsAll` decides which errors are outages.
 */
export async function runBatched<Item, Outcome>(
  items: Item[],
  work: (items: Item[]) => Promise<Outcome[]>,
  affectsAll: (err: unknown) => boolean = isOutage
): Promise<PromiseSettledResult<Outcome>[]> {
  try {
    const outcomes = await work(items)
    return items.map((_, i) => ({ status: 'fulfilled', value: outcomes[i]! }))
  } catch (reason) {
    if (items.length <= 1 || affectsAll(reason)) return items.map(() => ({ status: 'rejected', reason }))
    return oneByOne(items, work, affectsAll)
  }
}

async function oneByOne<Item, Outcome>(
  items: Item[],
  work: (items: Item[]) => Promise<Outcome[]>,
  affectsAll: (err: unknown) => boolean
) {
  const outcomes: PromiseSettledResult<Outcome>[] = []
  for (const item of items) {
    const last = outcomes.at(-1)
    if (last?.status === 'rejected' && affectsAll(last.reason)) outcomes.push(last)
    else outcomes.push(...(await runBatched([item], work, affectsAll)))
  }
  return outcomes
}

const tooManyWaiting = () => new Busy('Too many requests of this store are in progress; try again later')
