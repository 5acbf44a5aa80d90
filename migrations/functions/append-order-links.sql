-- Records the metrics of an order when it turns out to belong to a subscription. The order is locked while it is read, so
-- that a refund reported at the same time is counted once: here, or by append_order_changes, which then sees the link.
create or replace function append_order_links() returns trigger language plpgsql as $$
begin
  perform from orders o join new_rows n on n.store_id = o.store_id and n.order_id = o.id order by o.id for share of o;
  insert into metric_changes (store_id, plan_id, day, metric, amount)
  select n.store_id, n.plan_id, shop_day(o.processed_at, s.timezone), 'revenue',
         sum(checkout_revenue(o.financial_status, o.total_minor))
    from new_rows n join stores s on s.store_id = n.store_id
    join orders o on o.store_id = n.store_id and o.id = n.order_id and o.currency = s.currency
   where n.checkout and checkout_revenue(o.financial_status, o.total_minor) <> 0
   group by 1, 2, 3
  union all
  select n.store_id, n.plan_id, shop_day(r.known_at, s.timezone), 'refunds', sum(r.amount_minor)
    from new_rows n join stores s on s.store_id = n.store_id
    join orders o on o.store_id = n.store_id and o.id = n.order_id and o.currency = s.currency
    join order_refunds r on r.store_id = o.store_id and r.order_id = o.id
   group by 1, 2, 3;
  return null;
end $$;

create or replace trigger append_metrics after insert on subscription_orders
  referencing new table as new_rows for each statement execute function append_order_links();
