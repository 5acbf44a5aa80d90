-- Moves up to `most` changes of a list into its blocks and returns how many it moved. Does nothing while another process
-- does it. Each step is one statement, and so one snapshot; nobody else writes blocks meanwhile.
create or replace function roll_up_list_totals(
  store bigint, of_list text, most integer default 20000, block_rows integer default 1024, chapter_blocks integer default 32
) returns integer language plpgsql as $$
declare
  mark record;
  rolled_up integer;
  last_taken bigint;
  big record;
  has_cut boolean := false;
begin
  if not pg_try_advisory_xact_lock(list_lock(store, of_list)) then return 0; end if;
  select * into mark from begin_rollup(store, of_list);

  with taken as (
    -- By a range, which is read from the index whatever the planner takes the table to be like.
    delete from list_changes
     where store_id = store and list = of_list and change_id > mark.rolled_up_to
       and change_id <= coalesce((
             select c.change_id from list_changes c
              where c.store_id = store and c.list = of_list and c.change_id > mark.rolled_up_to
              order by c.change_id offset most - 1 limit 1), 9223372036854775807)
    returning change_id, at, id, plan_id, status, delta
  ), net as (
    select f.plan_id, f.status, t.at, t.id, sum(t.delta) as delta
      from taken t
     cross join lateral (values (0::bigint, ''), (0, t.status), (t.plan_id, ''), (t.plan_id, t.status)) f(plan_id, status)
     where f.plan_id is not null
     group by f.plan_id, f.status, t.at, t.id having sum(t.delta) <> 0
  ), blocks as (
    select n.plan_id, n.status, coalesce(b.from_at, '-infinity') as from_at, coalesce(b.from_id, 0) as from_id,
           sum(n.delta) as delta
      from net n
      left join lateral (
             select b.from_at, b.from_id from list_blocks b
              where b.store_id = store and b.list = of_list and b.plan_id = n.plan_id and b.status = n.status
                and b.level = 0 and (b.from_at, b.from_id) <= (n.at, n.id)
              order by b.from_at desc, b.from_id desc limit 1) b on true
     group by 1, 2, 3, 4
  ), chapters as (
    select b.plan_id, b.status, coalesce(c.from_at, '-infinity') as from_at, coalesce(c.from_id, 0) as from_id,
           sum(b.delta) as delta
      from blocks b
      left join lateral (
             select c.from_at, c.from_id from list_blocks c
              where c.store_id = store and c.list = of_list and c.plan_id = b.plan_id and c.status = b.status
                and c.level = 1 and (c.from_at, c.from_id) <= (b.from_at, b.from_id)
              order by c.from_at desc, c.from_id desc limit 1) c on true
     group by 1, 2, 3, 4
  ), written as (
    insert into list_blocks (store_id, list, plan_id, status, level, from_at, from_id, rows)
    select store, of_list, plan_id, status, 0, from_at, from_id, delta from blocks
    union all
    select store, of_list, plan_id, status, 1, from_at, from_id, delta from chapters
    on conflict (store_id, list, plan_id, status, level, from_at, from_id)
      do update set rows = list_blocks.rows + excluded.rows
  )
  select count(*), max(change_id) into rolled_up, last_taken from taken;
  perform end_rollup(store, of_list, mark, last_taken, rolled_up = most);

  -- While much still waits, cutting would read those rows again and again. What fills the last batch exactly is cut by the
  -- next one, which is empty.
  if rolled_up = most then return rolled_up; end if;

  for big in
    select b.plan_id, b.status, b.from_at, b.from_id
      from list_blocks b
     where b.store_id = store and b.list = of_list and b.level = 0 and b.rows > 2 * block_rows
  loop
    perform cut_block(store, of_list, big.plan_id, big.status, big.from_at, big.from_id, block_rows);
    has_cut := true;
  end loop;
  if has_cut then perform cut_chapters(store, of_list, chapter_blocks); end if;

  -- A block without rows joins the one before it.
  delete from list_blocks where store_id = store and list = of_list and level = 1 and rows = 0 and from_at > '-infinity';
  delete from list_blocks b
   where b.store_id = store and b.list = of_list and b.level = 0 and b.rows = 0 and b.from_at > '-infinity'
     and not exists (
           select from list_blocks c
            where c.store_id = store and c.list = of_list and c.plan_id = b.plan_id and c.status = b.status
              and c.level = 1 and c.from_at = b.from_at and c.from_id = b.from_id);
  return rolled_up;
end $$;
