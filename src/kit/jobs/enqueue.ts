import { type Ctx, row, sql, text } from '../postgres/index.ts'
import type { DeclaredJob } from './define-job.ts'

/** As the table has them: the smallest comes first. */
const PRIORITIES = { high: 0, normal: 1, low: 2 } as const

/**
 * Adds jobs in the transaction of the change that needs them. A waiting job with the same key is moved forward instead and gets
 * the new input, since a job reads what is true when it runs; of inputs with the same key the last one counts. Throws when an
 * input does not fit the job's schema.
 */
export async function enqueue<Input>(ctx: Ctx, job: DeclaredJob<Input>, inputs: Input[]): Promise<void> {
  if (inputs.length === 0) return
  // One statement must not meet a row twice.
  const payloads = new Map(inputs.map((input) => [job.dedupeKey(input), JSON.stringify(job.parse(input))]))
  await ctx.tx.run(sql`
    insert into jobs (store_id, kind, dedupe_key, payload, priority, run_at)
    select ${ctx.storeId}, ${job.name}, j.key, j.payload::jsonb, ${PRIORITIES[job.priority]}::smallint, ${ctx.now}
      from unnest(${[...payloads.keys()]}::text[], ${[...payloads.values()]}::text[]) as j(key, payload)
    on conflict (store_id, kind, dedupe_key) do update
      set payload = excluded.payload, priority = excluded.priority, run_at = least(jobs.run_at, excluded.run_at), attempts = 0, version = jobs.version + 1`)
}

/** Which of these deduplication keys have a job of this kind that is still to be done. */
export async function waitingKeys(
  ctx: Ctx,
  { name }: Pick<DeclaredJob<never>, 'name'>,
  keys: string[]
): Promise<Set<string>> {
  const rows = await ctx.tx.many(
    row({ dedupeKey: text }),
    sql`
    select dedupe_key from jobs
     where store_id = ${ctx.storeId} and kind = ${name} and dedupe_key = any(${keys}::text[])`
  )
  return new Set(rows.map((r) => r.dedupeKey))
}
