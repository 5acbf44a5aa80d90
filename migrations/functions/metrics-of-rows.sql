-- Every metric of a store, calculated from the rows behind it. Reads all of its history.
create or replace function metrics_of_rows(store bigint)
returns table (plan_id bigint, day date, metric text, detail text, amount numeric) language sql stable as $$
  with s as (select timezone, currency from stores where store_id = store)
  select c.plan_id, c.day, c.metric, c.detail, c.amount from status_changes c where c.store_id = store
  union all
  select a.plan_id, f.day, f.metric, '', f.amount
    from s cross join billing_attempts a
   cross join lateral attempt_metrics(a.status, a.error_code, case when a.currency = s.currency then a.amount_minor else 0 end,
     a.status = 'success' and a.attempt_number > 1 and cycle_declined(store, a.subscription_id, a.cycle_index, a.attempt_number),
     shop_day(a.created_at, s.timezone), shop_day(a.completed_at, s.timezone)) f
   where a.store_id = store
  union all
  select l.plan_id, shop_day(o.processed_at, s.timezone), 'revenue', '', checkout_revenue(o.financial_status, o.total_minor)
    from s cross join subscription_orders l
    join orders o on o.store_id = store and o.id = l.order_id and o.currency = s.currency
   where l.store_id = store and l.checkout
  union all
  select l.plan_id, shop_day(r.known_at, s.timezone), 'refunds', '', r.amount_minor
    from s cross join subscription_orders l
    join orders o on o.store_id = store and o.id = l.order_id and o.currency = s.currency
    join order_refunds r on r.store_id = store and r.order_id = o.id
   where l.store_id = store
  union all
  select e.plan_id, shop_day(e.created_at, s.timezone), f.metric, '', f.amount
    from s cross join credit_entries e cross join lateral credit_metrics(e.type, e.amount_minor) f where e.store_id = store
  union all
  select e.plan_id, shop_day(e.created_at, s.timezone), f.metric, '', f.amount
    from s cross join points_entries e cross join lateral points_metrics(e.type, e.reversal, e.points) f where e.store_id = store
  union all
  select c.plan_id, shop_day(c.created_at, s.timezone), 'coupons_issued', '', 1
    from s cross join loyalty_coupons c where c.store_id = store and c.ended_by is distinct from 'refused'
  union all
  select o.plan_id, shop_day(o.accepted_at, s.timezone), f.metric, '', f.amount
    from s cross join contract_offers o cross join lateral contract_offer_metrics(o.status, o.lost_at) f where o.store_id = store
  union all
  select null, w.day, 'offers_shown', '', w.times from churn_shown w where w.store_id = store and w.offer_id <> 0
$$;
