-- Row triggers and statement triggers of the lists are not run by a truncate.
create or replace function refuse_truncate() returns trigger language plpgsql as $$
begin
  raise exception '% must not be truncated, because the stored totals of its list and the metrics would not change with it; delete its '
    'rows, or set session_replication_role to replica and call rebuild_lists and rebuild_metrics for each store afterwards',
    tg_table_name;
end $$;

create or replace trigger refuse_truncate before truncate on members for each statement execute function refuse_truncate();
create or replace trigger refuse_truncate before truncate on subscriptions for each statement execute function refuse_truncate();
create or replace trigger refuse_truncate before truncate on billing_attempts for each statement execute function refuse_truncate();
