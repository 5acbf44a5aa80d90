-- The store credit that a paid cycle issues, by the version of the plan that the subscription has. Null: none.
create or replace function cycle_credit(store bigint, subscription bigint) returns bigint language sql stable as $$
  select v.credit_minor
    from subscriptions s
    join plans p on p.store_id = s.store_id and p.id = s.plan_id
    join plan_versions v on v.store_id = s.store_id and v.plan_id = s.plan_id and v.version = s.plan_version
    join stores t on t.store_id = s.store_id and t.currency = p.currency
   where s.store_id = store and s.id = subscription and p.credit_type = 'storecredit' and v.credit_minor > 0
$$;
