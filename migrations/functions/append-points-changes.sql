-- Records what a points entry means for the metrics.
create or replace function append_points_changes() returns trigger language plpgsql as $$
begin
  insert into metric_changes (store_id, plan_id, day, metric, amount)
  select n.store_id, n.plan_id, shop_day(n.created_at, s.timezone), f.metric, sum(f.amount)
    from new_rows n join stores s on s.store_id = n.store_id
   cross join lateral points_metrics(n.type, n.reversal, n.points) f
   group by 1, 2, 3, 4 having sum(f.amount) <> 0;
  return null;
end $$;

create or replace trigger append_metrics after insert on points_entries
  referencing new table as new_rows for each statement execute function append_points_changes();
