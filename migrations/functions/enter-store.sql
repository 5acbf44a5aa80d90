-- Binds the transaction to one store and returns that store's time. Null when there is no such store.
create or replace function enter_store(store bigint) returns timestamptz language sql volatile as $$
  select set_config('perennial.store_id', store::text, true);
  select date_trunc('milliseconds', coalesce(clock_at, clock_timestamp())) from stores where store_id = store;
$$;
