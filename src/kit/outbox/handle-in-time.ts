import type { Ctx, Tx } from '../postgres/index.ts'
import type { Consumer, StoredFact } from './consumer.ts'

/**
 * How long a consumer may take for the facts of one transaction. Each statement is ended after that time too, by a setting of the
 * transaction.
 */
export const MAX_HANDLE_MS = 15_000

/** Has the consumer handle the facts. Its first statement after its time is up throws, and so ends the transaction. */
export function handleInTime(
  ctx: Ctx,
  consumer: Consumer,
  facts: StoredFact[],
  how: { isRepeat: boolean }
): Promise<void> {
  const endsAt = performance.now() + MAX_HANDLE_MS
  const inTime = (): Tx => {
    if (performance.now() <= endsAt) return ctx.tx
    throw new Error(
      `The consumer ${consumer.name} took longer than ${MAX_HANDLE_MS / 1_000} s for ${facts.length} facts`
    )
  }
  const tx: Tx = {
    many: async (row, statement) => inTime().many(row, statement),
    one: async (row, statement) => inTime().one(row, statement),
    maybeOne: async (row, statement) => inTime().maybeOne(row, statement),
    run: async (statement) => inTime().run(statement)
  }
  return consumer.handle({ ...ctx, tx }, facts, how)
}
