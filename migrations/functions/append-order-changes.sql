-- Records refunds, and what a change of a subscription's order means for the metrics. Amounts in another currency than the
-- store's are in no metric of money.
create or replace function append_order_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into order_refunds (store_id, order_id, amount_minor, known_at)
    select n.store_id, n.id, n.refunded_minor, n.updated_at from new_rows n where n.refunded_minor <> 0;
    return null;
  end if;
  insert into order_refunds (store_id, order_id, amount_minor, known_at)
  select b.store_id, b.id, sum(b.refunded), max(b.updated_at)
    from (select store_id, id, -refunded_minor as refunded, null::timestamptz as updated_at from old_rows
          union all select store_id, id, refunded_minor, updated_at from new_rows) b
   group by b.store_id, b.id having sum(b.refunded) <> 0;
  insert into metric_changes (store_id, plan_id, day, metric, amount)
  select b.store_id, l.plan_id, f.day, f.metric, sum(f.amount)
    from (select -1 as sign, store_id, id, currency, refunded_minor, financial_status, total_minor, processed_at,
                 null::timestamptz as updated_at from old_rows
          union all
          select 1, store_id, id, currency, refunded_minor, financial_status, total_minor, processed_at, updated_at
            from new_rows) b
    join stores s on s.store_id = b.store_id and s.currency = b.currency
    join subscription_orders l on l.store_id = b.store_id and l.order_id = b.id
   cross join lateral (
     select shop_day(b.processed_at, s.timezone) as day, 'revenue' as metric,
            b.sign * checkout_revenue(b.financial_status, b.total_minor) as amount where l.checkout) f
   group by b.store_id, l.plan_id, f.day, f.metric having sum(f.amount) <> 0;
  insert into metric_changes (store_id, plan_id, day, metric, amount)
  select b.store_id, l.plan_id, shop_day(b.updated_at, s.timezone), 'refunds', sum(b.refunded)
    from (select store_id, id, max(currency) as currency, sum(refunded) as refunded, max(updated_at) as updated_at
            from (select store_id, id, null as currency, -refunded_minor as refunded, null::timestamptz as updated_at
                    from old_rows
                  union all select store_id, id, currency, refunded_minor, updated_at from new_rows) sides
           group by store_id, id having sum(refunded) <> 0) b
    join stores s on s.store_id = b.store_id and s.currency = b.currency
    join subscription_orders l on l.store_id = b.store_id and l.order_id = b.id
   group by 1, 2, 3;
  return null;
end $$;

create or replace trigger append_metrics_new after insert on orders
  referencing new table as new_rows for each statement execute function append_order_changes();
create or replace trigger append_metrics after update on orders
  referencing old table as old_rows new table as new_rows for each statement execute function append_order_changes();
