import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { compareWhole, type Finding } from './commit-rules.ts'

const Found = row({ subject: text, message: text })
const Count = row({ count: int })

/** The kept figures of analytics: each day is what the rows behind it say, and each state is that of the rows now. */
export async function auditMetrics(ctx: Ctx): Promise<{ checked: Record<string, number>; findings: Finding[] }> {
  await compareWhole(ctx)
  const days = await ctx.tx.one(Count, sql`select count(*) as count from daily_metrics where store_id = ${ctx.storeId}`)
  const wrong = await ctx.tx.many(
    Found,
    sql`
    select case plan_id when 0 then 'store' else 'plan_' || plan_id end || ' on ' || day as subject,
           metric || case detail when '' then '' else ' ' || detail end || ' is kept as ' || stored || ', the rows say '
             || expected as message
      from metric_differences(${ctx.storeId}) order by plan_id, day, metric, detail limit 100`
  )
  const states = await ctx.tx.many(
    row({ plan: text, metric: text, now: text, stored: text }),
    sql`
    with s as (select store_id, currency, timezone from stores where store_id = ${ctx.storeId}),
    now as (
      select m.plan_id, 'members_' || m.status as metric, count(*)::numeric as amount
        from members m where m.store_id = ${ctx.storeId} and m.status in ('active', 'paused') group by 1, 2
      union all
      select u.plan_id, 'yearly_value', sum(yearly_value(u.status, u.price_minor, u.interval, u.interval_count))
        from subscriptions u join s on s.currency = u.currency where u.store_id = ${ctx.storeId} group by 1
      union all
      select u.plan_id, 'at_risk', sum(u.price_minor)
        from subscriptions u join s on s.currency = u.currency
       where u.store_id = ${ctx.storeId} and u.status = 'active' and u.declines > 0 group by 1
      union all
      select a.plan_id, 'charges_pending', count(*)
        from billing_attempts a where a.store_id = ${ctx.storeId} and a.status = 'pending' group by 1),
    wanted as (
      select 0::bigint as plan_id, metric, sum(amount) as amount from now group by metric
      union all select plan_id, metric, amount from now where plan_id is not null),
    held as (
      select plan_id, metric, sum(amount) as amount
        from (select plan_id, metric, amount from metric_totals where store_id = ${ctx.storeId}
              union all
              select 0, metric, amount from metric_changes
               where store_id = ${ctx.storeId} and id > rolled_up_to(${ctx.storeId}, 'metrics')
              union all
              select plan_id, metric, amount from metric_changes
               where store_id = ${ctx.storeId} and id > rolled_up_to(${ctx.storeId}, 'metrics') and plan_id is not null) h
       where metric in ('members_active', 'members_paused', 'yearly_value', 'at_risk', 'charges_pending')
       group by plan_id, metric)
    select case plan_id when 0 then 'store' else 'plan_' || plan_id end as plan, metric,
           coalesce(wanted.amount, 0)::text as now, coalesce(held.amount, 0)::text as stored
      from wanted full join held using (plan_id, metric)
     where coalesce(wanted.amount, 0) <> coalesce(held.amount, 0) order by plan_id, metric limit 100`
  )
  return {
    checked: { metrics_consistent: days.count },
    findings: [
      ...wrong.map((found) => ({ check: 'metrics_consistent', ...found })),
      ...states.map(({ plan, metric, now, stored }) => ({
        check: 'metrics_consistent',
        subject: plan,
        message: `${metric} is ${now} by the rows, ${stored} by the kept figures`
      }))
    ]
  }
}
