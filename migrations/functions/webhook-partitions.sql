-- The days that have partitions.
create or replace function webhook_partitions() returns setof date language sql stable set search_path from current as $$
  select to_date(right(inhrelid::regclass::text, 8), 'YYYYMMDD')
    from pg_inherits where inhparent = 'webhook_deliveries'::regclass order by 1
$$;
