import { type Ctx, instant, int, type RowOf, row, sql, text } from '../postgres/index.ts'

/** Names a dead letter: the consumer that could not handle the fact, and the fact's id. */
export type DeadLetterKey = { consumer: string; factId: number }

const DeadLetter = row({
  consumer: text,
  factId: int,
  name: text,
  orderingKey: text,
  attempts: int,
  lastError: text,
  occurredAt: instant,
  deadAt: instant
})
/** A fact that a consumer could not handle in any of its tries. */
export type DeadLetter = RowOf<typeof DeadLetter>

/** The store's dead letters, those of the newest facts first. `before`: the one that the page before ended with. */
export function listDeadLetters(
  ctx: Ctx,
  { before = { factId: Number.MAX_SAFE_INTEGER, consumer: '' }, limit }: { before?: DeadLetterKey; limit: number }
): Promise<DeadLetter[]> {
  return ctx.tx.many(
    DeadLetter,
    sql`
    select r.consumer, r.fact_id, f.name, r.ordering_key, r.attempts, r.last_error, f.occurred_at, r.dead_at
      from fact_retries r join facts f on f.store_id = ${ctx.storeId} and f.id = r.fact_id
     where r.store_id = ${ctx.storeId} and r.dead_at is not null
       and (r.fact_id, r.consumer) < (${before.factId}::bigint, ${before.consumer}::text)
     order by r.fact_id desc, r.consumer desc limit ${limit}`
  )
}

/**
 * Has a dead letter tried once more, at once; when that fails it is dead again. Later facts of its ordering key have been
 * handled meanwhile, so it comes after them. Returns false when there is no such dead letter.
 */
export async function retryDeadLetter(ctx: Ctx, { consumer, factId }: DeadLetterKey): Promise<boolean> {
  const revived = await ctx.tx.run(sql`
    update fact_retries set dead_at = null, retry_at = ${ctx.now}
     where store_id = ${ctx.storeId} and consumer = ${consumer} and fact_id = ${factId} and dead_at is not null`)
  return revived > 0
}
