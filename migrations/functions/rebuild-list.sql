-- Makes the blocks of a list again from its rows. A change that commits meanwhile keeps waiting, and each statement
-- subtracts from its count what waits in its own snapshot.
create or replace function rebuild_list(
  store bigint, of_list text, block_rows integer default 1024, chapter_blocks integer default 32
) returns void language plpgsql as $$
declare
  facet record;
begin
  perform pg_advisory_xact_lock(list_lock(store, of_list));
  delete from list_blocks where store_id = store and list = of_list;
  delete from list_changes where store_id = store and list = of_list;
  delete from rollup_marks where store_id = store and changes = of_list;
  for facet in
    select distinct f.plan_id, f.status
      from (select distinct plan_id, status from list_rows where store_id = store and list = of_list
            union
            select distinct plan_id, status from list_changes where store_id = store and list = of_list) r
     cross join lateral (values (0::bigint, ''), (0, r.status), (r.plan_id, ''), (r.plan_id, r.status)) f(plan_id, status)
     where f.plan_id is not null
  loop
    execute format($first$
      insert into list_blocks (store_id, list, plan_id, status, level, from_at, from_id, rows)
      select $1, $2, $3, $4, 0, '-infinity', 0,
             (select count(*) from list_rows where store_id = $1 and %1$s)
             - (select coalesce(sum(delta), 0) from list_changes where store_id = $1 and %1$s)
      $first$, facet_condition(of_list, facet.plan_id, facet.status))
      using store, of_list, facet.plan_id, facet.status;
    perform cut_block(store, of_list, facet.plan_id, facet.status, '-infinity', 0, block_rows);
  end loop;
  insert into list_blocks (store_id, list, plan_id, status, level, from_at, from_id, rows)
  select store, of_list, plan_id, status, 1, '-infinity', 0, sum(rows)
    from list_blocks where store_id = store and list = of_list group by plan_id, status;
  perform cut_chapters(store, of_list, chapter_blocks);
end $$;
