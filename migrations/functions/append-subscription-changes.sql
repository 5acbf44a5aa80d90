-- Records what a change of subscriptions means for the metrics. Amounts in another currency than the store's are in no
-- metric of money. Old and new rows are added up instead of joined, since the plan of a join of one row would be kept for
-- many.
create or replace function append_subscription_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into status_changes (store_id, subject, subject_id, at, plan_id, day, metric, detail, amount)
    select n.store_id, 'subscription', n.id, n.updated_at, f.*
      from new_rows n join stores s on s.store_id = n.store_id
     cross join lateral subscription_metric_changes(null, null, null, null, null, n.status, n.plan_id,
       case when n.currency = s.currency then yearly_value(n.status, n.price_minor, n.interval, n.interval_count) end,
       shop_day(n.trial_ends_at, s.timezone),
       case when n.currency = s.currency and n.status = 'active' and n.declines > 0 then n.price_minor end,
       n.cancel_reason, shop_day(least(n.created_at, n.updated_at), s.timezone)) f;
    insert into subscription_orders (store_id, order_id, plan_id, checkout)
    select distinct on (n.store_id, n.origin_order_id) n.store_id, n.origin_order_id, n.plan_id, true
      from new_rows n where n.origin_order_id is not null
     order by n.store_id, n.origin_order_id, n.id
    on conflict do nothing;
  else
    insert into status_changes (store_id, subject, subject_id, at, plan_id, day, metric, detail, amount)
    select n.store_id, 'subscription', n.id, n.updated_at, f.*
      from (select b.store_id, b.id, max(b.updated_at) as updated_at, max(b.cancel_reason) as cancel_reason,
                   max(b.status) filter (where b.old) as was, max(b.status) filter (where not b.old) as status,
                   max(b.plan_id) filter (where b.old) as was_plan, max(b.plan_id) filter (where not b.old) as plan_id,
                   max(b.value) filter (where b.old) as was_value, max(b.value) filter (where not b.old) as value,
                   max(b.from_day) filter (where b.old) as was_from, max(b.from_day) filter (where not b.old) as from_day,
                   max(b.risk) filter (where b.old) as was_risk, max(b.risk) filter (where not b.old) as risk,
                   max(b.timezone) as timezone
              from (select x.store_id, x.id, x.old, x.status, x.plan_id, x.updated_at, x.cancel_reason, s.timezone,
                           case when x.currency = s.currency
                             then yearly_value(x.status, x.price_minor, x.interval, x.interval_count) end as value,
                           shop_day(x.trial_ends_at, s.timezone) as from_day,
                           case when x.currency = s.currency and x.status = 'active' and x.declines > 0
                             then x.price_minor end as risk
                      from (select true as old, store_id, id, status, plan_id, price_minor, currency, interval, interval_count,
                                   trial_ends_at, declines, null::timestamptz as updated_at, null as cancel_reason
                              from old_rows
                            union all
                            select false, store_id, id, status, plan_id, price_minor, currency, interval, interval_count,
                                   trial_ends_at, declines, updated_at, cancel_reason
                              from new_rows) x
                      join stores s on s.store_id = x.store_id) b
             group by b.store_id, b.id) n
     cross join lateral subscription_metric_changes(n.was, n.was_plan, n.was_value, n.was_from, n.was_risk,
       n.status, n.plan_id, n.value, n.from_day, n.risk, n.cancel_reason, shop_day(n.updated_at, n.timezone)) f
     where (n.was, n.was_plan, n.was_value, n.was_from, n.was_risk)
           is distinct from (n.status, n.plan_id, n.value, n.from_day, n.risk);
  end if;
  return null;
end $$;

create or replace trigger append_metrics_new after insert on subscriptions
  referencing new table as new_rows for each statement execute function append_subscription_changes();
create or replace trigger append_metrics after update on subscriptions
  referencing old table as old_rows new table as new_rows for each statement execute function append_subscription_changes();
