-- Records what a billing attempt means for the metrics. Amounts in another currency than the store's are in no metric of
-- money.
create or replace function append_attempt_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into metric_changes (store_id, plan_id, day, metric, amount)
    select n.store_id, n.plan_id, f.day, f.metric, sum(f.amount)
      from new_rows n join stores s on s.store_id = n.store_id
     cross join lateral attempt_metrics(n.status, n.error_code, case when n.currency = s.currency then n.amount_minor else 0 end,
       n.status = 'success' and n.attempt_number > 1
         and cycle_declined(n.store_id, n.subscription_id, n.cycle_index, n.attempt_number),
       shop_day(n.created_at, s.timezone), shop_day(n.completed_at, s.timezone)) f
     group by n.store_id, n.plan_id, f.day, f.metric having sum(f.amount) <> 0;
    insert into subscription_orders (store_id, order_id, plan_id, checkout)
    select n.store_id, n.order_id, n.plan_id, false from new_rows n where n.order_id is not null
    on conflict do nothing;
  else
    -- An attempt ends once, and gets its order then: what has ended and had not, less what had ended before.
    insert into metric_changes (store_id, plan_id, day, metric, amount)
    select n.store_id, n.plan_id, f.day, f.metric, sum(f.amount * n.sign)
      from (select 1 as sign, store_id, plan_id, subscription_id, cycle_index, attempt_number, status, error_code, currency,
                   amount_minor, completed_at from new_rows where status <> 'pending'
            union all
            select -1, store_id, plan_id, subscription_id, cycle_index, attempt_number, status, error_code, currency,
                   amount_minor, completed_at from old_rows where status <> 'pending') n
      join stores s on s.store_id = n.store_id
     cross join lateral attempt_metrics(n.status, n.error_code, case when n.currency = s.currency then n.amount_minor else 0 end,
       n.status = 'success' and n.attempt_number > 1
         and cycle_declined(n.store_id, n.subscription_id, n.cycle_index, n.attempt_number),
       null, shop_day(n.completed_at, s.timezone)) f
     group by n.store_id, n.plan_id, f.day, f.metric having sum(f.amount * n.sign) <> 0;
    insert into subscription_orders (store_id, order_id, plan_id, checkout)
    select n.store_id, n.order_id, n.plan_id, false from new_rows n where n.order_id is not null
    on conflict do nothing;
  end if;
  return null;
end $$;

create or replace trigger append_metrics_new after insert on billing_attempts
  referencing new table as new_rows for each statement execute function append_attempt_changes();
create or replace trigger append_metrics after update on billing_attempts
  referencing old table as old_rows new table as new_rows for each statement execute function append_attempt_changes();
