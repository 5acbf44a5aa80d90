-- expand: code from 0016 can run on this schema.
-- Points that refunds have taken in full may be undone as a whole after that: an entry that moves nothing says that nothing of them is given back any more.
alter table points_entries
  drop constraint points_entries_points_check,
  add constraint points_entries_points_check
    check (points <> 0 or shortfall_points <> 0 or pending_points <> 0 or lifetime_points <> 0
           or (type = 'reversed' and reversal is null and reverses_id is not null));
