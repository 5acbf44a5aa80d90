-- Standing changes are changes of figures.
create or replace function append_standing_changes() returns trigger language plpgsql as $$
begin
  insert into figure_changes (store_id, plan_id, day, figure, detail, amount)
  select n.store_id, n.plan_id, n.day, n.figure, n.detail, sum(n.amount) from new_rows n
   group by n.store_id, n.plan_id, n.day, n.figure, n.detail having sum(n.amount) <> 0;
  return null;
end $$;

create or replace trigger append_figures after insert on standing_changes
  referencing new table as new_rows for each statement execute function append_standing_changes();
