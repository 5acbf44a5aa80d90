import { transferCredit } from '#credits'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { followMerges } from '#members'
import { reassignCodes } from './codes/code-queries.ts'

/**
 * Moves what merged customers still have to those who were kept: earlier versions could add credit, and make codes, for them after the merge.
 * `memberIds`: of either.
 */
export async function gatherMergedCredit(ctx: Ctx, memberIds: number[]): Promise<void> {
  const holders = await ctx.tx.many(
    row({ id: int, entries: int }),
    sql`
    select m.id, a.entries from members m
      join credit_accounts a on a.store_id = ${ctx.storeId} and a.member_id = m.id and a.balance_minor > 0
     where m.store_id = ${ctx.storeId} and m.merged_into is not null
       and (m.id = any(${memberIds}::bigint[]) or m.merged_into = any(${memberIds}::bigint[]))
     order by m.id`
  )
  if (holders.length === 0) return
  const keptOf = await followMerges(
    ctx,
    holders.map(({ id }) => id)
  )
  for (const { id, entries } of holders) {
    const to = keptOf.get(id)!
    await reassignCodes(ctx, id, to)
    // The merge itself has moved what there was then: each time is a cause of its own.
    await transferCredit(ctx, id, to, `gather:${id}:${to}:${entries}`)
  }
}
