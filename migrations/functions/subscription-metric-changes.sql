-- The metrics of a change of a subscription on a day. Its value counts from the day its trial ends, known ahead.
create or replace function subscription_metric_changes(
  was text, was_plan bigint, was_value numeric, was_from date, was_risk bigint,
  is_now text, plan bigint, value numeric, value_from date, risk bigint, reason text, today date)
returns table (plan_id bigint, day date, metric text, detail text, amount numeric) language sql immutable as $$
  select m.plan_id, m.day, m.metric, m.detail, sum(m.amount)
    from (values
      (was_plan, greatest(today, was_from), 'yearly_value', '', -was_value),
      (plan, greatest(today, value_from), 'yearly_value', '', value),
      (was_plan, today, 'at_risk', '', -was_risk::numeric),
      (plan, today, 'at_risk', '', risk::numeric),
      (plan, today, 'cancellations', coalesce(reason, ''),
        (was in ('active', 'paused') and is_now not in ('active', 'paused'))::int::numeric)
    ) m(plan_id, day, metric, detail, amount)
   where m.amount <> 0
   group by m.plan_id, m.day, m.metric, m.detail having sum(m.amount) <> 0
$$;
