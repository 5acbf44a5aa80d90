-- expand: code from 0016 can run on this schema.
-- Since when a store is being deleted. No transaction of such a store begins any more, and its rows are removed batch by batch;
-- the row of the store is the last.
alter table stores add column deleting_since timestamptz;
