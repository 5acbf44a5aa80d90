-- The metric of an entry of points: what was redeemed or deducted, less what was given back of it. What expired is in none.
create or replace function points_metrics(type text, reversal text, points bigint)
returns table (metric text, amount numeric) language sql immutable as $$
  select case when points > 0 and not given_back then 'points_issued' else 'points_redeemed' end,
         case when given_back then -points else abs(points) end::numeric
    from (select type is not distinct from 'reversed' and reversal is null and points > 0 as given_back) e
   where points <> 0 and type is distinct from 'expired'
$$;
