-- expand: code from 0016 can run on this schema.
-- What a refund or dispute could not take since reservations held it is taken when these give it back; and a shortfall that is no longer asked
-- for is taken off.
alter table credit_entries
  -- Of a refund or dispute that fell short: the reservations that were open then.
  add column held_by bigint[],
  -- The refund or dispute of which this entry takes more from what a reservation gave back, or of which it gives something back.
  add column take_back_id bigint,
  add foreign key (store_id, take_back_id) references credit_entries,
  -- Such an entry takes off what it has taken late, and what is no longer asked for: the sum of an order's shortfalls is what is still missing.
  drop constraint credit_entries_shortfall_minor_check,
  add constraint credit_entries_shortfall_minor_check check (shortfall_minor >= 0 or take_back_id is not null),
  drop constraint credit_entries_amount_minor_check,
  add constraint credit_entries_amount_minor_check check (amount_minor <> 0 or shortfall_minor <> 0);
create index credit_entries_held on credit_entries (store_id, member_id) where held_by is not null;
create index credit_entries_of_take_backs on credit_entries (store_id, take_back_id) where take_back_id is not null;
