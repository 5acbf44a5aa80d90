-- The shop-local day of an instant.
create or replace function shop_day(at timestamptz, zone text) returns date language sql immutable as
  $$ select (at at time zone zone)::date $$;
