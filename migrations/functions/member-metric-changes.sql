-- The metrics of a change of a member's status or plan on a day. One who was no member before (`was` is null) became one
-- on `since`.
create or replace function member_metric_changes(was text, was_plan bigint, is_now text, plan bigint, since date, today date)
returns table (plan_id bigint, day date, metric text, detail text, amount numeric) language sql immutable as $$
  select m.plan_id, m.day, m.metric, ''::text, sum(m.amount)::numeric
    from (values
      (was_plan, today, 'members_active', -(was = 'active')::int),
      (was_plan, today, 'members_paused', -(was = 'paused')::int),
      (was_plan, today, 'members_cancelled', (was in ('active', 'paused') and is_now = 'cancelled')::int),
      (plan, case when was is null then least(since, today) else today end, 'members_active', (is_now = 'active')::int),
      (plan, case when was is null then least(since, today) else today end, 'members_paused', (is_now = 'paused')::int),
      (plan, least(since, today), 'members_new', (was is null)::int)
    ) m(plan_id, day, metric, amount)
   where m.amount <> 0
   group by m.plan_id, m.day, m.metric having sum(m.amount) <> 0
$$;
