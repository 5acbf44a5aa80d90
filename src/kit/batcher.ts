import { isOutage } from './postgres/index.ts'
import { Refusal } from './refusal.ts'

/** Has an item carried out in its lane and tells what came of it. */
export type Batcher<Key, Item, Outcome> = (key: Key, item: Item) => Promise<Outcome>

type Waiting<Item, Outcome> = {
  item: Item
  resolve: (outcome: Outcome) => void
  reject: (err: unknown) => void
}

/** So many may wait in a lane: more than a store has under way at any time, and little enough to be kept in memory. */
const MAX_WAITING = 10_000

/**
 * Carries items of one lane out together: those that come while a batch is under way wait and go with the next, at most
 * `maxItems` of them, in the order in which they came. One item alone waits for nobody; one that finds `maxWaiting` before it
 * is refused. `work` is called as `runBatched` calls it.
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
      const outcomes = await runBatched(items, (some) => work(key, some))
      for (const [i, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[i]!
        if (outcome.status === 'fulfilled') resolve(outcome.value)
        else reject(outcome.reason)
      }
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
 * What comes of each item, in order. `work` answers with an outcome per item; when it throws, the items are tried one by
 * one, so that a bad one harms no other. What `work` did must be undone by its throwing, as in a transaction; after an
 * outage that is not known, and the others would fail as well, so then nothing more is tried. `isOfAll` says what counts as one.
 */
export async function runBatched<Item, Outcome>(
  items: Item[],
  work: (items: Item[]) => Promise<Outcome[]>,
  isOfAll: (err: unknown) => boolean = isOutage
): Promise<PromiseSettledResult<Outcome>[]> {
  try {
    const outcomes = await work(items)
    return items.map((_, i) => ({ status: 'fulfilled', value: outcomes[i]! }))
  } catch (reason) {
    if (items.length <= 1 || isOfAll(reason)) return items.map(() => ({ status: 'rejected', reason }))
    return oneByOne(items, work, isOfAll)
  }
}

async function oneByOne<Item, Outcome>(
  items: Item[],
  work: (items: Item[]) => Promise<Outcome[]>,
  isOfAll: (err: unknown) => boolean
) {
  const outcomes: PromiseSettledResult<Outcome>[] = []
  for (const item of items) {
    const last = outcomes.at(-1)
    if (last?.status === 'rejected' && isOfAll(last.reason)) outcomes.push(last)
    else outcomes.push(...(await runBatched([item], work, isOfAll)))
  }
  return outcomes
}

const tooManyWaiting = () =>
  new Refusal('unavailable', 'Too many requests of this store are under way: try again later')
