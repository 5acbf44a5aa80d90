-- Moves the mark after a roll-up that took the changes up to last_taken (null: none). It took all of them unless is_full.
create or replace function end_rollup(store bigint, change_log text, mark record, last_taken bigint, is_full boolean)
returns void language plpgsql as $$
declare
  reached bigint := mark.rolled_up_to;
  taken bigint := greatest(mark.taken_to, last_taken);
  next_to bigint;
  next_writer xid8;
begin
  if mark.settled then
    reached := case when is_full then least(mark.next_to, last_taken) else mark.next_to end;
  elsif mark.next_writer < pg_current_xact_id() then
    update rollup_marks f set taken_to = taken
     where f.store_id = store and f.changes = change_log and f.rolled_up_to = mark.rolled_up_to and f.taken_to < taken;
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
  if taken = mark.rolled_up_to then return; end if;
  delete from rollup_marks f where f.store_id = store and f.changes = change_log and f.rolled_up_to = mark.rolled_up_to;
  insert into rollup_marks (store_id, changes, rolled_up_to, taken_to, next_to, next_writer)
  values (store, change_log, reached, taken, next_to, next_writer);
end $$;
