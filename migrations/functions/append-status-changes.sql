-- Status changes are changes of metrics.
create or replace function append_status_changes() returns trigger language plpgsql as $$
begin
  insert into metric_changes (store_id, plan_id, day, metric, detail, amount)
  select n.store_id, n.plan_id, n.day, n.metric, n.detail, sum(n.amount) from new_rows n
   group by n.store_id, n.plan_id, n.day, n.metric, n.detail having sum(n.amount) <> 0;
  return null;
end $$;

create or replace trigger append_metrics after insert on status_changes
  referencing new table as new_rows for each statement execute function append_status_changes();
