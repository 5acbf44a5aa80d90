import { activityBetween } from '#kit/clock'
import { record } from '#kit/outbox'
import { bool, type Ctx, instant, int, nullable, row, sql } from '#kit/postgres'
import { loyaltyTemplateChanged } from '../events/loyalty-template-changed.ts'

const BATCH = 100

/** Notes that templates have begun or ended by the store's clock. Returns how many. */
export async function beginAndEndTemplates(ctx: Ctx): Promise<number> {
  const due = await ctx.tx.many(
    row({ id: int, isEnabled: bool, startsAt: nullable(instant), endsAt: nullable(instant) }),
    sql`
    select id, is_enabled, starts_at, ends_at from loyalty_templates
     where store_id = ${ctx.storeId} and due_at <= ${ctx.now} order by id limit ${BATCH} for update`
  )
  if (due.length === 0) return 0
  const next = due.map((one) => activityBetween(one, ctx.now).dueAt)
  await ctx.tx.run(sql`
    update loyalty_templates t set due_at = n.due_at
      from unnest(${due.map(({ id }) => id)}::bigint[], ${next}::timestamptz[]) as n(id, due_at)
     where t.store_id = ${ctx.storeId} and t.id = n.id`)
  await record(ctx, ...due.map(loyaltyTemplateChanged))
  return due.length
}
