-- Makes all blocks of a store again, for use after the tables were written without their triggers.
create or replace function rebuild_lists(store bigint) returns void language plpgsql as $$
begin
  perform rebuild_list(store, list) from (values ('members'), ('subscriptions'), ('billing_attempts')) lists(list);
end $$;
