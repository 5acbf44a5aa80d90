import { type Ctx, int, row, sql, text } from '#kit/postgres'
import type { Finding } from './commit-rules.ts'

/** Failures in a row until a person should look; the tries lie minutes and then hours apart. */
const MAX_FAILURES = 5

/** Looks at the platform that keep failing, or that nobody has got to the end of for days. */
export async function auditReconciling(ctx: Ctx): Promise<{ checked: Record<string, number>; findings: Finding[] }> {
  const { checked } = await ctx.tx.one(
    row({ checked: int }),
    sql`select count(*) as checked from reconciliations where store_id = ${ctx.storeId}`
  )
  const late = await ctx.tx.many(
    row({ subject: text, message: text }),
    sql`
    select r.kind as subject,
           case when r.failures >= ${MAX_FAILURES}
                then 'failed ' || r.failures || ' times in a row: ' || coalesce(r.last_error, '')
                else 'was due at ' || r.next_at || ' and did not come to an end' end as message
      from reconciliations r join stores s on s.store_id = r.store_id
     where r.store_id = ${ctx.storeId} and s.status = 'active'
       and (r.failures >= ${MAX_FAILURES} or r.next_at < clock_timestamp() - interval '2 days')
     order by r.kind`
  )
  const check = 'platform_looked_at'
  return { checked: { [check]: checked }, findings: late.map((finding) => ({ check, ...finding })) }
}
