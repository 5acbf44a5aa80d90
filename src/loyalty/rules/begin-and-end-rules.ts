import { record } from '#kit/outbox'
import { bool, type Ctx, day, int, nullable, row, sql } from '#kit/postgres'
import { storeContext } from '#stores'
import { loyaltyRuleChanged } from '../events/loyalty-rule-changed.ts'
import { ruleActivity } from './rule.ts'

const BATCH = 100

/** Notes that rules have begun or ended by the store's clock. Returns how many. */
export async function beginAndEndRules(ctx: Ctx): Promise<number> {
  const due = await ctx.tx.many(
    row({ id: int, isEnabled: bool, startsOn: day, endsOn: nullable(day) }),
    sql`
    select id, is_enabled, starts_on, ends_on from loyalty_rules
     where store_id = ${ctx.storeId} and due_at <= ${ctx.now} order by id limit ${BATCH} for update`
  )
  if (due.length === 0) return 0
  const { timezone } = await storeContext(ctx)
  const next = due.map((one) => ruleActivity(one, ctx.now, timezone).dueAt)
  await ctx.tx.run(sql`
    update loyalty_rules r set due_at = n.due_at
      from unnest(${due.map(({ id }) => id)}::bigint[], ${next}::timestamptz[]) as n(id, due_at)
     where r.store_id = ${ctx.storeId} and r.id = n.id`)
  await record(ctx, ...due.map(loyaltyRuleChanged))
  return due.length
}
