import type { Ctx, Tx } from '../postgres/index.ts'
import type { Consumer, StoredFact } from './consumer.ts'

/**
 * Has the consumer handle the facts. Its first statement after its time (`maxMs`) is up throws, and so ends the transaction. The
 * transaction's `statement_timeout` ends a single statement that lasts as long.
 */
export function handleInTime(
  ctx: Ctx,
  consumer: Consumer,
  facts: StoredFact[],
  how: { isRepeat: boolean }
): Promise<void> {
  const endsAt = performance.now() + consumer.maxMs
  const inTime = (): Tx => {
    if (performance.now() <= endsAt) return ctx.tx
    throw new Error(
      `The consumer ${consumer.name} took longer than ${consumer.maxMs / 1_000} s for ${facts.length} facts`
    )
  }
  const tx: Tx = {
    many: async (row, statement) => inTime().many(row, statement),
    one: async (row, statement) => inTime().one(row, statement),
    maybeOne: async (row, statement) => inTime().maybeOne(row, statement),
    run: async (statement) => inTime().run(statement),
    send: (statement) => inTime().send(statement)
  }
  return consumer.handle({ ...ctx, tx }, facts, how)
}
