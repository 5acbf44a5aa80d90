-- The metrics of an accepted offer. One that is being applied is none yet; it has saved its contract for as long as that has not ended.
create or replace function contract_offer_metrics(status text, lost_at timestamptz)
returns table (metric text, amount numeric) language sql immutable as $$
  select m.metric, 1::numeric
    from (values ('offers_accepted', true), ('offers_saved', lost_at is null)) m(metric, counts)
   where status <> 'applying' and m.counts
$$;
