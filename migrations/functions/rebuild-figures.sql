-- Corrects the maintained figures of a store from its rows and returns how many differed. Safe while others write: the
-- differences are found and corrected in one statement, by changes that count like any others.
create or replace function rebuild_figures(store bigint) returns bigint language plpgsql as $$
declare corrected bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('figures', store));
  delete from fold_marks where store_id = store and changes = 'figures';
  with wrong as materialized (
    select d.plan_id, d.day, d.figure, d.detail, d.expected - d.kept as amount from figure_differences(store) d),
  appended as (
    insert into figure_changes (store_id, plan_id, day, figure, detail, amount)
    select store, w.plan_id, w.day, w.figure, w.detail, w.amount from wrong w where w.plan_id > 0
    union all
    -- What a plan's correction brings to the whole store, taken off again.
    select store, null, w.day, w.figure, w.detail, sum(case when w.plan_id = 0 then w.amount else -w.amount end)
      from wrong w group by w.day, w.figure, w.detail
    having sum(case when w.plan_id = 0 then w.amount else -w.amount end) <> 0)
  select count(*) into corrected from wrong;
  delete from figure_totals t where t.store_id = store;
  insert into figure_totals (store_id, plan_id, figure, amount)
  select store, d.plan_id, d.figure, sum(d.amount) from folded_figures d
   where d.store_id = store group by d.plan_id, d.figure;
  return corrected;
end $$;
