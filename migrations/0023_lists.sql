-- Lists with exact totals at any offset, without counting rows. See docs/decisions/0006-kept-counts.md.
--
-- A list (members, subscriptions, billing_attempts) has facets: all of it, one status, one plan, one plan in one status.
-- For each facet, list_blocks cuts its order (at, id) into blocks and tells how many rows fall into each; list_changes
-- holds what has been written since. In every snapshot, over every range whose edges are edges of blocks:
--   rows of the facet = sum of list_blocks.rows + sum of list_changes.delta
-- Writers only append to list_changes, so that they never wait for one another; fold_list moves changes into blocks.

-- The status by which subscriptions are shown and filtered.
alter table subscriptions add column shown_status text not null generated always as
  (case when status in ('active', 'paused') then status else 'cancelled' end) stored;

-- No foreign key: each row was made from one that has it, and lives for a moment.
create table list_changes (
  store_id bigint not null,
  list text collate "C" not null,
  change_id bigint generated always as identity,
  at timestamptz not null,
  id bigint not null,
  plan_id bigint,
  status text collate "C" not null,
  -- +1: the row is now there under this key, plan and status; -1: it no longer is.
  delta smallint not null check (delta in (-1, 1)),
  primary key (store_id, list, change_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
select protect_table('list_changes');

create table list_blocks (
  store_id bigint not null references stores,
  list text collate "C" not null,
  -- The facet: 0 is every plan, '' every status.
  plan_id bigint not null,
  status text collate "C" not null,
  -- 0: blocks of about a thousand rows. 1: chapters of some dozen blocks; each begins where a block does.
  level smallint not null check (level in (0, 1)),
  -- A block reaches from here to the next one of its facet and level; the first begins at (-infinity, 0).
  from_at timestamptz not null,
  from_id bigint not null,
  rows bigint not null,
  primary key (store_id, list, plan_id, status, level, from_at, from_id)
) with (fillfactor = 50);
select protect_table('list_blocks');

-- How far changes are folded (of a list, or `figures`): all up to folded_to are gone for good, so that who looks for waiting
-- ones starts behind it. A long transaction elsewhere has PostgreSQL keep what is deleted, and stepping over hundreds of
-- thousands of dead entries would cost every reader a tenth of a second. For the same reason a step is a new row: the newest
-- is found at the end of the index, whatever lies dead before it.
--
-- Changes are numbered before they are committed, so one with a lower number may still come. Hence two steps: a fold notes
-- the last number that was taken (next_to) and its own transaction (next_writer), and a later one moves the mark there, once
-- every transaction before next_writer has ended. Who writes changes has a transaction number before a change has its own,
-- since a row of the list was written first (or holds the lock of the fold), and numbers are not given out in advance.
create table fold_marks (
  store_id bigint not null references stores,
  changes text collate "C" not null,
  folded_to bigint not null,
  -- The last change that any fold took. Beyond folded_to there is a step to be made.
  taken_to bigint not null,
  next_to bigint,
  next_writer xid8,
  primary key (store_id, changes, folded_to),
  check (folded_to <= taken_to and next_to between folded_to + 1 and taken_to and (next_to is null) = (next_writer is null))
);
select protect_table('fold_marks');

create function folded_to(store bigint, of_changes text) returns bigint language sql stable as $$
  select coalesce((select folded_to from fold_marks where store_id = store and changes = of_changes
                    order by folded_to desc limit 1), 0)
$$;

-- The mark as a fold finds it, before it takes anything. Settled: what the next mark waited for has ended.
create function begin_fold(
  store bigint, of_changes text,
  out folded_to bigint, out taken_to bigint, out next_to bigint, out next_writer xid8, out settled boolean,
  out is_first_write boolean
) language sql volatile as $$
  select coalesce(m.folded_to, 0), coalesce(m.taken_to, 0), m.next_to, m.next_writer,
         coalesce(m.next_writer <= pg_snapshot_xmin(pg_current_snapshot()), false),
         pg_current_xact_id_if_assigned() is null
    from (values (1)) one
    left join lateral (select * from fold_marks where store_id = store and changes = of_changes
                        order by folded_to desc limit 1) m on true
$$;

-- Moves the mark after a fold that took the changes up to last_taken (null: none), and all there were unless it was full.
create function end_fold(store bigint, of_changes text, mark record, last_taken bigint, is_full boolean)
returns void language plpgsql as $$
declare
  reached bigint := mark.folded_to;
  taken bigint := greatest(mark.taken_to, last_taken);
  next_to bigint;
  next_writer xid8;
begin
  if mark.settled then
    reached := case when is_full then least(mark.next_to, last_taken) else mark.next_to end;
  elsif mark.next_writer < pg_current_xact_id() then
    update fold_marks f set taken_to = taken
     where f.store_id = store and f.changes = of_changes and f.folded_to = mark.folded_to and f.taken_to < taken;
    return;
  end if;
  -- (A next_writer that is still to come was restored from another server; what had a number there has ended.)
  if mark.settled and reached < mark.next_to then
    next_to := mark.next_to;
    next_writer := mark.next_writer;
  elsif reached < taken and mark.is_first_write then
    next_to := taken;
    next_writer := pg_current_xact_id();
  end if;
  if taken = mark.folded_to then return; end if;
  delete from fold_marks f where f.store_id = store and f.changes = of_changes and f.folded_to = mark.folded_to;
  insert into fold_marks (store_id, changes, folded_to, taken_to, next_to, next_writer)
  values (store, of_changes, reached, taken, next_to, next_writer);
end $$;

-- What the lists hold: one row per member, subscription and attempt, by the key of its order.
create view list_rows with (security_invoker = true) as
  select store_id, 'members'::text collate "C" as list, created_at as at, id, plan_id, status
    from members where status is not null
  union all
  select store_id, 'subscriptions', created_at, id, plan_id, shown_status from subscriptions
  union all
  select store_id, 'billing_attempts', scheduled_at, id, null, status from billing_attempts;
grant select on list_rows to perennial_store, perennial_operator;

-- Pages are read from the index of their facet.
create index members_by_status on members (store_id, status, created_at desc, id desc) where status is not null;
create index members_newest_of_plan on members (store_id, plan_id, created_at desc, id desc)
  where status is not null and plan_id is not null;
create index members_of_plan_by_status on members (store_id, plan_id, status, created_at desc, id desc)
  where status is not null and plan_id is not null;
drop index members_by_plan;
create index subscriptions_by_status on subscriptions (store_id, shown_status, created_at desc, id desc);
create index subscriptions_newest_of_plan on subscriptions (store_id, plan_id, created_at desc, id desc)
  where plan_id is not null;
create index subscriptions_of_plan_by_status on subscriptions
  (store_id, plan_id, shown_status, created_at desc, id desc) where plan_id is not null;
create index billing_attempts_by_status on billing_attempts (store_id, status, scheduled_at desc, id desc);

-- Triggers: old and new rows are added up rather than joined, since a plan for a join of one row is kept for one of many.

create function note_member_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_changes (store_id, list, at, id, plan_id, status, delta)
    select store_id, 'members', created_at, id, plan_id, status, 1 from new_rows where status is not null;
  elsif tg_op = 'DELETE' then
    insert into list_changes (store_id, list, at, id, plan_id, status, delta)
    select store_id, 'members', created_at, id, plan_id, status, -1 from old_rows where status is not null;
  else
    insert into list_changes (store_id, list, at, id, plan_id, status, delta)
    select store_id, 'members', created_at, id, plan_id, status, sum(delta)
      from (select store_id, created_at, id, plan_id, status, -1 as delta from old_rows where status is not null
            union all
            select store_id, created_at, id, plan_id, status, 1 from new_rows where status is not null) both_sides
     group by store_id, created_at, id, plan_id, status having sum(delta) <> 0;
  end if;
  return null;
end $$;

create function note_subscription_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_changes (store_id, list, at, id, plan_id, status, delta)
    select store_id, 'subscriptions', created_at, id, plan_id, shown_status, 1 from new_rows;
  elsif tg_op = 'DELETE' then
    insert into list_changes (store_id, list, at, id, plan_id, status, delta)
    select store_id, 'subscriptions', created_at, id, plan_id, shown_status, -1 from old_rows;
  else
    insert into list_changes (store_id, list, at, id, plan_id, status, delta)
    select store_id, 'subscriptions', created_at, id, plan_id, shown_status, sum(delta)
      from (select store_id, created_at, id, plan_id, shown_status, -1 as delta from old_rows
            union all
            select store_id, created_at, id, plan_id, shown_status, 1 from new_rows) both_sides
     group by store_id, created_at, id, plan_id, shown_status having sum(delta) <> 0;
  end if;
  return null;
end $$;

create function note_attempt_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_changes (store_id, list, at, id, status, delta)
    select store_id, 'billing_attempts', scheduled_at, id, status, 1 from new_rows;
  elsif tg_op = 'DELETE' then
    insert into list_changes (store_id, list, at, id, status, delta)
    select store_id, 'billing_attempts', scheduled_at, id, status, -1 from old_rows;
  else
    insert into list_changes (store_id, list, at, id, status, delta)
    select store_id, 'billing_attempts', scheduled_at, id, status, sum(delta)
      from (select store_id, scheduled_at, id, status, -1 as delta from old_rows
            union all
            select store_id, scheduled_at, id, status, 1 from new_rows) both_sides
     group by store_id, scheduled_at, id, status having sum(delta) <> 0;
  end if;
  return null;
end $$;

create trigger note_inserts after insert on members
  referencing new table as new_rows for each statement execute function note_member_changes();
create trigger note_updates after update on members
  referencing old table as old_rows new table as new_rows for each statement execute function note_member_changes();
create trigger note_deletes after delete on members
  referencing old table as old_rows for each statement execute function note_member_changes();
create trigger note_inserts after insert on subscriptions
  referencing new table as new_rows for each statement execute function note_subscription_changes();
create trigger note_updates after update on subscriptions
  referencing old table as old_rows new table as new_rows for each statement execute function note_subscription_changes();
create trigger note_deletes after delete on subscriptions
  referencing old table as old_rows for each statement execute function note_subscription_changes();
create trigger note_inserts after insert on billing_attempts
  referencing new table as new_rows for each statement execute function note_attempt_changes();
create trigger note_updates after update on billing_attempts
  referencing old table as old_rows new table as new_rows for each statement execute function note_attempt_changes();
create trigger note_deletes after delete on billing_attempts
  referencing old table as old_rows for each statement execute function note_attempt_changes();

-- Row triggers do not see a truncate.
create function refuse_truncate() returns trigger language plpgsql as $$
begin
  raise exception '% is not truncated, since the kept counts of its list and the figures would not hear of it; delete its '
    'rows, or set session_replication_role to replica and call rebuild_lists and rebuild_figures for each store afterwards',
    tg_table_name;
end $$;
create trigger refuse_truncate before truncate on members for each statement execute function refuse_truncate();
create trigger refuse_truncate before truncate on subscriptions for each statement execute function refuse_truncate();
create trigger refuse_truncate before truncate on billing_attempts for each statement execute function refuse_truncate();

-- One at a time writes the blocks of a list, or two would cut the same block.
create function list_lock(store bigint, of_list text) returns bigint language sql stable as $$
  select hashtextextended('list_blocks ' || store || ' ' || of_list, 0)
$$;

-- Moves up to `most` changes of a list into its blocks, and tells how many it moved. Does nothing while another process
-- is at it. Each step is one statement, and so one snapshot; no one else writes blocks meanwhile.
create function fold_list(
  store bigint, of_list text, most integer default 20000, block_rows integer default 1024, chapter_blocks integer default 32
) returns integer language plpgsql as $$
declare
  mark record;
  folded integer;
  last_taken bigint;
  big record;
  has_cut boolean := false;
begin
  if not pg_try_advisory_xact_lock(list_lock(store, of_list)) then return 0; end if;
  select * into mark from begin_fold(store, of_list);

  with taken as (
    -- By a range, which is read from the index whatever the planner takes the table to be like.
    delete from list_changes
     where store_id = store and list = of_list and change_id > mark.folded_to
       and change_id <= coalesce((
             select c.change_id from list_changes c
              where c.store_id = store and c.list = of_list and c.change_id > mark.folded_to
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
  select count(*), max(change_id) into folded, last_taken from taken;
  perform end_fold(store, of_list, mark, last_taken, folded = most);

  -- While much still waits, cutting would read those rows again and again. What fills the last batch exactly is cut by the
  -- next one, which is empty.
  if folded = most then return folded; end if;

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
  return folded;
end $$;

-- The condition of a facet on list_rows, as text, so that each facet is planned for its own index.
create function facet_condition(of_list text, of_plan bigint, of_status text) returns text language sql stable as $$
  select format('list = %L', of_list)
      || case when of_plan = 0 then '' else format(' and plan_id = %s', of_plan) end
      || case when of_status = '' then '' else format(' and status = %L', of_status) end
$$;

-- Cuts one block into pieces of block_rows rows: what is there now, less the changes that still wait.
create function cut_block(
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
          coalesce(end_at, 'infinity'), coalesce(end_id, 0), block_rows, folded_to(store, of_list);
end $$;

-- Cuts the chapters that hold more than twice chapter_blocks blocks.
create function cut_chapters(store bigint, of_list text, chapter_blocks integer) returns void language sql as $$
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

-- Makes the blocks of a list anew from its rows. A change that comes while it runs stays waiting, and each statement takes
-- away from what it reads what waits in its own snapshot.
create function rebuild_list(
  store bigint, of_list text, block_rows integer default 1024, chapter_blocks integer default 32
) returns void language plpgsql as $$
declare
  facet record;
begin
  perform pg_advisory_xact_lock(list_lock(store, of_list));
  delete from list_blocks where store_id = store and list = of_list;
  delete from list_changes where store_id = store and list = of_list;
  delete from fold_marks where store_id = store and changes = of_list;
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

-- Makes all blocks of a store anew, for after the tables were written past the triggers.
create function rebuild_lists(store bigint) returns void language plpgsql as $$
begin
  perform rebuild_list(store, list) from (values ('members'), ('subscriptions'), ('billing_attempts')) lists(list);
end $$;

-- How many rows of a facet lie between two keys, counted: for the part of a block beyond the edge of a period. Only lists
-- that are narrowed by dates are here, a statement per facet, so that each has the plan for its index.
create function count_between(
  store bigint, of_list text, of_plan bigint, of_status text,
  key_at timestamptz, key_id bigint, end_at timestamptz, end_id bigint
) returns bigint language plpgsql stable as $$
begin
  case
    when of_list = 'subscriptions' and of_plan = 0 and of_status = '' then
      return (select count(*) from subscriptions where store_id = store
                 and (created_at, id) >= (key_at, key_id) and (created_at, id) < (end_at, end_id));
    when of_list = 'subscriptions' and of_plan = 0 then
      return (select count(*) from subscriptions where store_id = store and shown_status = of_status
                 and (created_at, id) >= (key_at, key_id) and (created_at, id) < (end_at, end_id));
    when of_list = 'subscriptions' and of_status = '' then
      return (select count(*) from subscriptions where store_id = store and plan_id = of_plan
                 and (created_at, id) >= (key_at, key_id) and (created_at, id) < (end_at, end_id));
    when of_list = 'subscriptions' then
      return (select count(*) from subscriptions where store_id = store and plan_id = of_plan and shown_status = of_status
                 and (created_at, id) >= (key_at, key_id) and (created_at, id) < (end_at, end_id));
    when of_list = 'billing_attempts' and of_status = '' then
      return (select count(*) from billing_attempts where store_id = store
                 and (scheduled_at, id) >= (key_at, key_id) and (scheduled_at, id) < (end_at, end_id));
    when of_list = 'billing_attempts' then
      return (select count(*) from billing_attempts where store_id = store and status = of_status
                 and (scheduled_at, id) >= (key_at, key_id) and (scheduled_at, id) < (end_at, end_id));
  end case;
end $$;

-- How many rows of a facet are at or after a key.
create function rank_in_list(store bigint, of_list text, of_plan bigint, of_status text, key_at timestamptz, key_id bigint)
returns bigint language plpgsql stable as $$
declare
  chapter_at timestamptz;
  chapter_id bigint;
  edge_at timestamptz;
  edge_id bigint;
  above bigint;
  inside bigint;
  waiting bigint;
  folded constant bigint := folded_to(store, of_list);
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
   where store_id = store and list = of_list and change_id > folded and (of_plan = 0 or plan_id = of_plan)
     and (of_status = '' or status = of_status) and (at, id) >= (edge_at, edge_id);
  inside := count_between(store, of_list, of_plan, of_status, key_at, key_id, edge_at, edge_id);
  return above + waiting + inside;
end $$;

-- Where a page begins that skips `skip` rows of a facet between two instants (exclusive; null for none): after a key,
-- and some rows further; how many rows it takes, and how many there are in all.
create function locate_page(
  store bigint, of_list text, of_plan bigint, of_status text, after_at timestamptz, before_at timestamptz,
  skip bigint, take bigint,
  out total bigint, out start_at timestamptz, out start_id bigint, out skip_rows bigint, out take_rows bigint
) language plpgsql stable as $$
declare
  max_id constant bigint := 9223372036854775807;
  folded constant bigint := folded_to(store, of_list);
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
                       where store_id = store and list = of_list and change_id > folded
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
                   where store_id = store and list = of_list and change_id > folded
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
                   where store_id = store and list = of_list and change_id > folded
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

select rebuild_lists(store_id) from stores;
