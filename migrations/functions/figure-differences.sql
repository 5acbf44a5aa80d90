-- Where the maintained figures differ from figures_of_rows; no rows when all is well. Plan 0 is the whole store.
create or replace function figure_differences(store bigint)
returns table (plan_id bigint, day date, figure text, detail text, expected numeric, kept numeric) language sql stable as $$
  with by_rows as (
    select r.plan_id, r.day, r.figure, r.detail, sum(r.amount) as amount
      from figures_of_rows(store) r group by r.plan_id, r.day, r.figure, r.detail),
  wanted as (
    select 0::bigint as plan_id, r.day, r.figure, r.detail, sum(r.amount) as amount from by_rows r
     group by r.day, r.figure, r.detail
    union all
    select r.plan_id, r.day, r.figure, r.detail, r.amount from by_rows r where r.plan_id is not null),
  held as (
    select h.plan_id, h.day, h.figure, h.detail, sum(h.amount) as amount
      from (select d.plan_id, d.day, d.figure, d.detail, d.amount from folded_figures d where d.store_id = store
            union all
            select 0, c.day, c.figure, c.detail, c.amount from figure_changes c
             where c.store_id = store and c.id > folded_to(store, 'figures')
            union all
            select c.plan_id, c.day, c.figure, c.detail, c.amount from figure_changes c
             where c.store_id = store and c.id > folded_to(store, 'figures') and c.plan_id is not null) h
     group by h.plan_id, h.day, h.figure, h.detail)
  select coalesce(w.plan_id, h.plan_id), coalesce(w.day, h.day), coalesce(w.figure, h.figure),
         coalesce(w.detail, h.detail), coalesce(w.amount, 0), coalesce(h.amount, 0)
    from wanted w full join held h
      on h.plan_id = w.plan_id and h.day = w.day and h.figure = w.figure and h.detail = w.detail
   where coalesce(w.amount, 0) <> coalesce(h.amount, 0)
$$;
