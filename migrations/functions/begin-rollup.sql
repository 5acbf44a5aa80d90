-- The mark before a roll-up takes anything. Settled: every transaction that the next mark waited for has ended.
create or replace function begin_rollup(
  store bigint, change_log text,
  out rolled_up_to bigint, out taken_to bigint, out next_to bigint, out next_writer xid8, out settled boolean,
  out is_first_write boolean
) language sql volatile as $$
  select coalesce(m.rolled_up_to, 0), coalesce(m.taken_to, 0), m.next_to, m.next_writer,
         coalesce(m.next_writer <= pg_snapshot_xmin(pg_current_snapshot()), false),
         pg_current_xact_id_if_assigned() is null
    from (values (1)) one
    left join lateral (select * from rollup_marks where store_id = store and changes = change_log
                        order by rolled_up_to desc limit 1) m on true
$$;
