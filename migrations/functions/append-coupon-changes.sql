-- Records what a coupon means for the metrics: it was given, or the platform refuses it and it never was to be had.
create or replace function append_coupon_changes() returns trigger language plpgsql as $$
begin
  insert into metric_changes (store_id, plan_id, day, metric, amount)
  select new.store_id, new.plan_id, shop_day(new.created_at, s.timezone), 'coupons_issued', case tg_op when 'INSERT' then 1 else -1 end
    from stores s where s.store_id = new.store_id;
  return null;
end $$;

create or replace trigger append_metrics after insert on loyalty_coupons for each row
  when (new.ended_by is distinct from 'refused') execute function append_coupon_changes();
create or replace trigger append_refused_metrics after update on loyalty_coupons for each row
  when (new.ended_by = 'refused' and old.ended_by is distinct from 'refused') execute function append_coupon_changes();
