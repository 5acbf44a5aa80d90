-- Records for the metrics how often offers were shown; a reason that was shown without one is none.
create or replace function append_shown_changes() returns trigger language plpgsql as $$
begin
  insert into metric_changes (store_id, plan_id, day, metric, amount)
  select new.store_id, null, new.day, 'offers_shown', new.times - case tg_op when 'UPDATE' then old.times else 0 end;
  return null;
end $$;

create or replace trigger append_metrics after insert on churn_shown for each row
  when (new.offer_id <> 0) execute function append_shown_changes();
create or replace trigger append_changed_metrics after update on churn_shown for each row
  when (new.offer_id <> 0 and new.times <> old.times) execute function append_shown_changes();
