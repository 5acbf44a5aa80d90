-- Cuts one block into pieces of block_rows rows: the rows that exist now, less the changes that still wait.
create or replace function cut_block(
  store bigint, of_list text, of_plan bigint, of_status text, block_at timestamptz, block_id bigint, block_rows integer
) returns void language plpgsql as $$
declare
  end_at timestamptz;
  end_id bigint;
begin
  select from_at, from_id into end_at, end_id from list_blocks
   where store_id = store and list = of_list and plan_id = of_plan and status = of_status and level = 0
     and (from_at, from_id) > (block_at, block_id)
   order by from_at, from_id limit 1;
  execute format($cut$
    with entries as (
      -- The bounds of `at` alone say nothing new, but the planner estimates by them.
      select at, id, row_number() over (order by at, id) - 1 as n from list_rows
       where store_id = $1 and %1$s and at between $5 and $7 and (at, id) >= ($5, $6) and (at, id) < ($7, $8)
    ), pieces as (
      select case when n = 0 then $5 else at end as at, case when n = 0 then $6 else id end as id,
             least($9, (select count(*) from entries) - n) as rows
        from entries where n %% $9 = 0
    ), numbered as (
      select at, id, rows, is_piece, sum(is_piece) over (order by at, id, is_piece desc) as piece
        from (select at, id, rows, 1 as is_piece from pieces
              union all
              select at, id, -delta, 0 from list_changes
               where store_id = $1 and %1$s and change_id > $10 and (at, id) >= ($5, $6) and (at, id) < ($7, $8)) u
    )
    insert into list_blocks (store_id, list, plan_id, status, level, from_at, from_id, rows)
    select $1, $2, $3, $4, 0, max(at) filter (where is_piece = 1), max(id) filter (where is_piece = 1), sum(rows)
      from numbered where piece > 0 group by piece
    on conflict (store_id, list, plan_id, status, level, from_at, from_id) do update set rows = excluded.rows
    $cut$, facet_condition(of_list, of_plan, of_status))
    using store, of_list, of_plan, of_status, block_at, block_id,
          coalesce(end_at, 'infinity'), coalesce(end_id, 0), block_rows, rolled_up_to(store, of_list);
end $$;
