-- The mark: every change up to this number is rolled up and deleted.
create or replace function rolled_up_to(store bigint, change_log text) returns bigint language sql stable as $$
  select coalesce((select rolled_up_to from rollup_marks where store_id = store and changes = change_log
                    order by rolled_up_to desc limit 1), 0)
$$;
