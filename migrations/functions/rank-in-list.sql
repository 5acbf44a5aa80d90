-- How many rows of a facet are at or after a key.
create or replace function rank_in_list(store bigint, of_list text, of_plan bigint, of_status text, key_at timestamptz, key_id bigint)
returns bigint language plpgsql stable as $$
declare
  chapter_at timestamptz;
  chapter_id bigint;
  edge_at timestamptz;
  edge_id bigint;
  above bigint;
  inside bigint;
  waiting bigint;
  rolled_up constant bigint := rolled_up_to(store, of_list);
begin
  select from_at, from_id into chapter_at, chapter_id from list_blocks
   where store_id = store and list = of_list and plan_id = of_plan and status = of_status and level = 1
     and (from_at, from_id) >= (key_at, key_id)
   order by from_at, from_id limit 1;
  chapter_at := coalesce(chapter_at, 'infinity');
  chapter_id := coalesce(chapter_id, 0);
  select from_at, from_id into edge_at, edge_id from list_blocks
   where store_id = store and list = of_list and plan_id = of_plan and status = of_status and level = 0
     and (from_at, from_id) >= (key_at, key_id)
   order by from_at, from_id limit 1;
  edge_at := coalesce(edge_at, 'infinity');
  edge_id := coalesce(edge_id, 0);

  above := (select coalesce(sum(rows), 0) from list_blocks
             where store_id = store and list = of_list and plan_id = of_plan and status = of_status and level = 1
               and (from_at, from_id) >= (chapter_at, chapter_id))
         + (select coalesce(sum(rows), 0) from list_blocks
             where store_id = store and list = of_list and plan_id = of_plan and status = of_status and level = 0
               and (from_at, from_id) >= (edge_at, edge_id) and (from_at, from_id) < (chapter_at, chapter_id));
  select coalesce(sum(delta), 0) into waiting from list_changes
   where store_id = store and list = of_list and change_id > rolled_up and (of_plan = 0 or plan_id = of_plan)
     and (of_status = '' or status = of_status) and (at, id) >= (edge_at, edge_id);
  inside := count_between(store, of_list, of_plan, of_status, key_at, key_id, edge_at, edge_id);
  return above + waiting + inside;
end $$;
