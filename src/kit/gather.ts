/** Has an item carried out in its lane and tells what came of it. */
export type Gatherer<Item, Outcome> = (lane: number, item: Item) => Promise<Outcome>

type Waiting<Item, Outcome> = {
  item: Item
  resolve: (outcome: Outcome) => void
  reject: (err: unknown) => void
}

/**
 * Carries items of one lane out together: those that come while a batch is under way wait and go with the next, at most
 * `most` of them, in the order in which they came. One item alone waits for nobody. `work` answers with an outcome per
 * item; when it throws, its items are tried one by one, so that a bad one harms no other. What `work` did must be undone
 * by its throwing, as in a transaction.
 */
export function createGatherer<Item, Outcome>(options: {
  most: number
  work: (lane: number, items: Item[]) => Promise<Outcome[]>
}): Gatherer<Item, Outcome> {
  const { most, work } = options
  const lanes = new Map<number, Waiting<Item, Outcome>[]>()

  const carryOut = async (lane: number, batch: Waiting<Item, Outcome>[]): Promise<void> => {
    try {
      const outcomes = await work(
        lane,
        batch.map(({ item }) => item)
      )
      for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i]!)
    } catch (err) {
      if (batch.length === 1) return batch[0]!.reject(err)
      for (const one of batch) await carryOut(lane, [one])
    }
  }

  const drain = async (lane: number, waiting: Waiting<Item, Outcome>[]) => {
    while (waiting.length > 0) await carryOut(lane, waiting.splice(0, most))
    lanes.delete(lane)
  }

  return (lane, item) =>
    new Promise((resolve, reject) => {
      const waiting = lanes.get(lane)
      if (waiting) return void waiting.push({ item, resolve, reject })
      const first = [{ item, resolve, reject }]
      lanes.set(lane, first)
      void drain(lane, first)
    })
}
