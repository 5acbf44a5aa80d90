-- Corrects the maintained metrics of a store from its rows and returns how many differed. Safe while others write: the
-- differences are found and corrected in one statement, by changes that count like any others.
create or replace function rebuild_metrics(store bigint) returns bigint language plpgsql as $$
declare corrected bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('metrics', store));
  delete from rollup_marks where store_id = store and changes = 'metrics';
  with wrong as materialized (
    select d.plan_id, d.day, d.metric, d.detail, d.expected - d.stored as amount from metric_differences(store) d),
  appended as (
    insert into metric_changes (store_id, plan_id, day, metric, detail, amount)
    select store, w.plan_id, w.day, w.metric, w.detail, w.amount from wrong w where w.plan_id > 0
    union all
    -- What a plan's correction brings to the whole store, taken off again.
    select store, null, w.day, w.metric, w.detail, sum(case when w.plan_id = 0 then w.amount else -w.amount end)
      from wrong w group by w.day, w.metric, w.detail
    having sum(case when w.plan_id = 0 then w.amount else -w.amount end) <> 0)
  select count(*) into corrected from wrong;
  delete from metric_totals t where t.store_id = store;
  insert into metric_totals (store_id, plan_id, metric, amount)
  select store, d.plan_id, d.metric, sum(d.amount) from rolled_up_metrics d
   where d.store_id = store group by d.plan_id, d.metric;
  return corrected;
end $$;
