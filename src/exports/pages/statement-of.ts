import { createHash } from 'node:crypto'
import { type Ctx, type Statement, sql } from '#kit/postgres'

/**
 * A statement whose text is put together for an endpoint and its filters. It stays prepared under a name made of the text, so there may
 * be few texts: all values are parameters, `$1` is the store.
 */
export function statementOf(text: string, values: unknown[]): Statement {
  return { name: `x_${createHash('sha1').update(text).digest('base64url').slice(0, 20)}`, text, values }
}

/**
 * For the rest of the transaction rows are merged with those that are left out. Where statistics are missing or old, PostgreSQL would look through
 * all of these for each row.
 */
export async function withoutLoops(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`set local enable_nestloop = off`)
}
