-- The advisory lock of a list: one transaction at a time writes its blocks, or two would cut the same block.
create or replace function list_lock(store bigint, of_list text) returns bigint language sql stable as $$
  select hashtextextended('list_blocks ' || store || ' ' || of_list, 0)
$$;
