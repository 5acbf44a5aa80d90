-- Makes the partitions of a day if they do not exist. Only the owner of the tables may, which the service's roles are not.
create or replace function create_webhook_partition(wanted date) returns void language plpgsql security definer
  set search_path from current as $$
declare
  parent text;
  partition text;
begin
  foreach parent in array array['webhook_deliveries', 'webhook_tries'] loop
    partition := parent || to_char(wanted, '_YYYYMMDD');
    if to_regclass(partition) is null then
      execute format('create table %I partition of %I for values from (%L) to (%L)', partition, parent, wanted, wanted + 1);
      perform protect_table(partition::regclass);
    end if;
  end loop;
end $$;

revoke all on function create_webhook_partition(date) from public;
grant execute on function create_webhook_partition(date) to perennial_operator;

-- The service makes the next days from here on.
select create_webhook_partition(((clock_timestamp() at time zone 'UTC')::date + n)::date) from generate_series(0, 7) as n;
