-- Where a page begins that skips `skip` rows of a facet between two instants (exclusive; null: no bound): at a key, plus
-- some rows; how many rows it takes, and how many there are in total.
create or replace function page_with_total(
  store bigint, of_list text, of_plan bigint, of_status text, after_at timestamptz, before_at timestamptz,
  skip bigint, take bigint,
  out total bigint, out start_at timestamptz, out start_id bigint, out skip_rows bigint, out take_rows bigint
) language plpgsql stable as $$
declare
  max_id constant bigint := 9223372036854775807;
  rolled_up constant bigint := rolled_up_to(store, of_list);
  newer bigint := 0;
  chapter_at timestamptz := 'infinity';
  chapter_id bigint := 0;
  skipped bigint := 0;
  floor_at timestamptz;
  floor_id bigint;
begin
  if after_at is null then
    select coalesce(sum(rows), 0) into total from list_blocks
     where store_id = store and list = of_list and plan_id = of_plan and status = of_status and level = 1;
    total := total + (select coalesce(sum(delta), 0) from list_changes
                       where store_id = store and list = of_list and change_id > rolled_up
                         and (of_plan = 0 or plan_id = of_plan) and (of_status = '' or status = of_status));
  else
    total := rank_in_list(store, of_list, of_plan, of_status, after_at, max_id);
  end if;
  if before_at is not null then
    newer := rank_in_list(store, of_list, of_plan, of_status, before_at, 0);
  end if;
  total := greatest(total - newer, 0);
  take_rows := greatest(least(take, total - skip), 0);
  start_at := 'infinity';
  start_id := 0;
  skip_rows := newer + skip;
  if take_rows = 0 or skip_rows = 0 then return; end if;

  -- The oldest chapter edge, then the oldest block edge, above which no more rows lie than are skipped.
  select e.from_at, e.from_id, e.above into chapter_at, chapter_id, skipped
    from (select u.is_edge, u.from_at, u.from_id,
                 sum(u.rows) over (order by u.from_at desc, u.from_id desc, u.is_edge) as above
            from (select true as is_edge, from_at, from_id, rows from list_blocks
                   where store_id = store and list = of_list and plan_id = of_plan and status = of_status and level = 1
                  union all
                  select false, at, id, delta from list_changes
                   where store_id = store and list = of_list and change_id > rolled_up
                     and (of_plan = 0 or plan_id = of_plan) and (of_status = '' or status = of_status)) u) e
   where e.is_edge and e.above <= skip_rows
   order by e.from_at, e.from_id limit 1;
  if found then
    start_at := chapter_at;
    start_id := chapter_id;
    skip_rows := skip_rows - skipped;
  end if;
  if skip_rows = 0 then return; end if;

  select from_at, from_id into floor_at, floor_id from list_blocks
   where store_id = store and list = of_list and plan_id = of_plan and status = of_status and level = 1
     and (from_at, from_id) < (start_at, start_id)
   order by from_at desc, from_id desc limit 1;
  select e.from_at, e.from_id, e.above into chapter_at, chapter_id, skipped
    from (select u.is_edge, u.from_at, u.from_id,
                 sum(u.rows) over (order by u.from_at desc, u.from_id desc, u.is_edge) as above
            from (select true as is_edge, from_at, from_id, rows from list_blocks
                   where store_id = store and list = of_list and plan_id = of_plan and status = of_status and level = 0
                     and (from_at, from_id) < (start_at, start_id) and (from_at, from_id) >= (floor_at, floor_id)
                  union all
                  select false, at, id, delta from list_changes
                   where store_id = store and list = of_list and change_id > rolled_up
                     and (of_plan = 0 or plan_id = of_plan) and (of_status = '' or status = of_status)
                     and (at, id) < (start_at, start_id) and (at, id) >= (floor_at, floor_id)) u) e
   where e.is_edge and e.above <= skip_rows
   order by e.from_at, e.from_id limit 1;
  if found then
    start_at := chapter_at;
    start_id := chapter_id;
    skip_rows := skip_rows - skipped;
  end if;
end $$;
