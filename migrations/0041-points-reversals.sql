-- expand: code from 0016 can run on this schema.
-- What links an entry to the one that it takes back or restores.
alter table points_entries
  add column reverses_id bigint,
  -- What could not be deducted since the balance was too small.
  add column shortfall_points bigint not null default 0 check (shortfall_points >= 0),
  -- How much of the reversed entry is to be taken back in all, as of this entry.
  add column reversed_points bigint check (reversed_points >= 0),
  add foreign key (store_id, reverses_id) references points_entries,
  add constraint points_entries_reversal check ((reverses_id is null) = (reversed_points is null)),
  -- An entry that could deduct nothing has its shortfall.
  drop constraint points_entries_points_check,
  add constraint points_entries_points_check check (points <> 0 or shortfall_points > 0);
create index points_entries_of_order on points_entries (store_id, order_id) where order_id is not null;
