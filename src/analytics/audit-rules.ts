import { compareWholeTables, defineAuditRule, type Wrong } from '#kit/define-audit-rule'
import { type Ctx, int, row, sql, text } from '#kit/postgres'

export const metricsConsistent = defineAuditRule({
  name: 'metrics_consistent',
  severity: 'finding',
  help: 'A maintained metric of analytics is not what its rows add up to: [rebuild the metrics](analytics.md#rebuilding).',
  async check(ctx) {
    await compareWholeTables(ctx)
    const days = await ctx.tx.one(
      row({ count: int }),
      sql`select count(*) as count from daily_metrics where store_id = ${ctx.storeId}`
    )
    return { counted: days.count, wrong: [...(await wrongDays(ctx)), ...(await wrongStates(ctx))] }
  }
})

/** Days whose metrics are not those of the rows behind them. */
function wrongDays(ctx: Ctx): Promise<Wrong[]> {
  return ctx.tx.many(
    row({ subject: text, message: text }),
    sql`
    select case plan_id when 0 then 'store' else 'plan_' || plan_id end || ' on ' || day as subject,
           metric || case detail when '' then '' else ' ' || detail end || ' is ' || stored || ', the rows say ' || expected
             as message
      from metric_differences(${ctx.storeId}) order by plan_id, day, metric, detail limit 100`
  )
}

/** Metrics of the present state that are not those of the rows now. */
async function wrongStates(ctx: Ctx): Promise<Wrong[]> {
  const { currency } = await ctx.tx.one(
    row({ currency: text }),
    sql`select currency from stores where store_id = ${ctx.storeId}`
  )
  const { mark } = await ctx.tx.one(row({ mark: int }), sql`select rolled_up_to(${ctx.storeId}, 'metrics') as mark`)
  const found = await ctx.tx.many(
    row({ plan: text, metric: text, now: text, held: text }),
    sql`
    with now as (
      select m.plan_id, 'members_' || m.status as metric, count(*)::numeric as amount
        from members m where m.store_id = ${ctx.storeId} and m.status in ('active', 'paused') group by 1, 2
      union all
      select u.plan_id, 'yearly_value', sum(yearly_value(u.status, u.price_minor, u.interval, u.interval_count))
        from subscriptions u where u.store_id = ${ctx.storeId} and u.currency = ${currency} group by 1
      union all
      select u.plan_id, 'at_risk', sum(u.price_minor)
        from subscriptions u
       where u.store_id = ${ctx.storeId} and u.currency = ${currency} and u.status = 'active' and u.declines > 0 group by 1
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
              select 0, metric, amount from metric_changes where store_id = ${ctx.storeId} and id > ${mark}
              union all
              select plan_id, metric, amount from metric_changes
               where store_id = ${ctx.storeId} and id > ${mark} and plan_id is not null) h
       where metric in ('members_active', 'members_paused', 'yearly_value', 'at_risk', 'charges_pending')
       group by plan_id, metric)
    select case plan_id when 0 then 'store' else 'plan_' || plan_id end as plan, metric,
           coalesce(wanted.amount, 0)::text as now, coalesce(held.amount, 0)::text as held
      from wanted full join held using (plan_id, metric)
     where coalesce(wanted.amount, 0) <> coalesce(held.amount, 0) order by plan_id, metric limit 100`
  )
  return found.map(({ plan, metric, now, held }) => ({
    subject: plan,
    message: `${metric} is ${held}, the rows say ${now}`
  }))
}
