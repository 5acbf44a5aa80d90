-- Cuts the chapters that hold more than twice chapter_blocks blocks.
create or replace function cut_chapters(store bigint, of_list text, chapter_blocks integer) returns void language sql as $$
  with blocks as (
    select b.plan_id, b.status, b.from_at, b.from_id, b.rows, c.from_at as chapter_at, c.from_id as chapter_id,
           row_number() over chapter - 1 as n, count(*) over (partition by b.plan_id, b.status, c.from_at, c.from_id) as blocks
      from list_blocks b
     cross join lateral (
             select c.from_at, c.from_id from list_blocks c
              where c.store_id = store and c.list = of_list and c.plan_id = b.plan_id and c.status = b.status
                and c.level = 1 and (c.from_at, c.from_id) <= (b.from_at, b.from_id)
              order by c.from_at desc, c.from_id desc limit 1) c
     where b.store_id = store and b.list = of_list and b.level = 0
    window chapter as (partition by b.plan_id, b.status, c.from_at, c.from_id order by b.from_at, b.from_id)
  )
  insert into list_blocks (store_id, list, plan_id, status, level, from_at, from_id, rows)
  select store, of_list, plan_id, status, 1, min(from_at), (array_agg(from_id order by n))[1], sum(rows)
    from blocks where blocks > 2 * chapter_blocks
   group by plan_id, status, chapter_at, chapter_id, n / chapter_blocks
  on conflict (store_id, list, plan_id, status, level, from_at, from_id) do update set rows = excluded.rows;
$$;
