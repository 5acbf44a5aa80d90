-- expand: code from 0016 can run on this schema.
-- When credit was last issued for a membership charge: found by an index, which code of before keeps too.
create index credit_entries_charging on credit_entries (store_id, member_id, created_at desc) where type = 1;
-- The entries of the histories of forfeits and manual adjustments.
create index credit_entries_adjusting on credit_entries (store_id, member_id, position) where type in (2, 3, 7, 8, 9);
-- What has restored redemptions of cancelled orders: they are not shown.
create index credit_entries_cancelling on credit_entries (store_id, reverses_id) where mark = 'order_cancelled';
