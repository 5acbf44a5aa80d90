-- Drops the history of a day. The caller has moved the deliveries that are still open.
create or replace function drop_webhook_partition(unwanted date) returns void language plpgsql security definer
  set search_path from current as $$
begin
  execute format('drop table if exists %I', to_char(unwanted, '"webhook_tries"_YYYYMMDD'));
  execute format('drop table if exists %I', to_char(unwanted, '"webhook_deliveries"_YYYYMMDD'));
end $$;

revoke all on function drop_webhook_partition(date) from public;
grant execute on function drop_webhook_partition(date) to perennial_operator;
