-- Where the maintained metrics differ from metrics_of_rows; no rows when all is well. Plan 0 is the whole store.
create or replace function metric_differences(store bigint)
returns table (plan_id bigint, day date, metric text, detail text, expected numeric, stored numeric) language sql stable as $$
  with by_rows as (
    select r.plan_id, r.day, r.metric, r.detail, sum(r.amount) as amount
      from metrics_of_rows(store) r group by r.plan_id, r.day, r.metric, r.detail),
  wanted as (
    select 0::bigint as plan_id, r.day, r.metric, r.detail, sum(r.amount) as amount from by_rows r
     group by r.day, r.metric, r.detail
    union all
    select r.plan_id, r.day, r.metric, r.detail, r.amount from by_rows r where r.plan_id is not null),
  held as (
    select h.plan_id, h.day, h.metric, h.detail, sum(h.amount) as amount
      from (select d.plan_id, d.day, d.metric, d.detail, d.amount from rolled_up_metrics d where d.store_id = store
            union all
            select 0, c.day, c.metric, c.detail, c.amount from metric_changes c
             where c.store_id = store and c.id > rolled_up_to(store, 'metrics')
            union all
            select c.plan_id, c.day, c.metric, c.detail, c.amount from metric_changes c
             where c.store_id = store and c.id > rolled_up_to(store, 'metrics') and c.plan_id is not null) h
     group by h.plan_id, h.day, h.metric, h.detail)
  select coalesce(w.plan_id, h.plan_id), coalesce(w.day, h.day), coalesce(w.metric, h.metric),
         coalesce(w.detail, h.detail), coalesce(w.amount, 0), coalesce(h.amount, 0)
    from wanted w full join held h
      on h.plan_id = w.plan_id and h.day = w.day and h.metric = w.metric and h.detail = w.detail
   where coalesce(w.amount, 0) <> coalesce(h.amount, 0)
$$;
