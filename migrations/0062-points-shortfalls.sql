-- expand: code from 0016 can run on this schema.
-- Points are taken back as store credit is: each for refunds or for disputes, and a shortfall that is no longer asked for is taken off.
alter table points_entries
  -- For what an entry that reverses another was asked. Null where older code has written it: that counts as refund.
  add column reversal text check (reversal in ('refund', 'dispute')),
  drop constraint points_entries_shortfall_points_check,
  add constraint points_entries_shortfall_points_check check (shortfall_points >= 0 or reverses_id is not null),
  drop constraint points_entries_points_check,
  add constraint points_entries_points_check check (points <> 0 or shortfall_points <> 0);
update points_entries set reversal = case when reason in ('order disputed', 'dispute won') then 'dispute' else 'refund' end
 where reverses_id is not null;
