import { type Ctx, instant, int, json, type RowOf, row, text } from '../postgres/index.ts'

/** A recorded fact as consumers get it. `data` is the JSON text of the snapshot. */
export const StoredFact = row({
  id: int,
  position: int,
  name: text,
  orderingKey: text,
  data: text,
  refs: json<Record<string, number>>(),
  occurredAt: instant
})
export type StoredFact = RowOf<typeof StoredFact>

/**
 * Handles facts of one store, in order per ordering key. It runs after the commit of the change, in the transaction that
 * moves this consumer's position: what it writes through `ctx` happens once per fact. It may run twice for a fact when
 * that transaction fails, so it does nothing outside the database. A throw puts the fact aside for a later retry, and so
 * does a statement that comes more than `maxMs` after its beginning, or lasts that long.
 *
 * `isRepeat`: it may have handled some of the facts before, since its position was set back. It then does only what is missing.
 */
export type HandleFacts = (ctx: Ctx, facts: StoredFact[], how: { isRepeat: boolean }) => Promise<void>

export type Consumer = {
  /** Stored with its position, so it stays the same between versions. */
  name: string
  /** The names of the facts that it receives. */
  facts: readonly string[]
  handle: HandleFacts
  /**
   * Where it begins in a store that had facts before this consumer was added: with the first one that follows (`now`), or
   * with the first one that is still kept (`beginning`).
   */
  from: 'now' | 'beginning'
  /**
   * Names that it received in an earlier version and needs no more; they stay here. Facts of a name that is in neither list would
   * be kept for a node that receives them.
   */
  dropped: readonly string[]
  /** How long it may take for the facts of one transaction, in milliseconds. */
  maxMs: number
}

const MAX_MS = 15_000

/** Declares a consumer of facts. It may take 15 seconds where `maxMs` is left out. */
export function consumer(
  name: string,
  facts: readonly string[],
  handle: HandleFacts,
  { from, dropped = [], maxMs = MAX_MS }: Pick<Consumer, 'from'> & Partial<Pick<Consumer, 'dropped' | 'maxMs'>>
): Consumer {
  return { name, facts, handle, from, dropped, maxMs }
}
