-- expand: code from 0016 can run on this schema.
-- Since when (store time) an account waits for an order that may have moved its credit; null while it waits for none.
alter table spending_accounts add column order_awaited_since timestamptz;

-- The daily comparison is due by the store's clock: where that is a test clock, what was planned in real time is due now.
update spending_walks w set next_at = s.clock_at, finished_at = null
  from stores s where s.store_id = w.store_id and s.clock_at is not null;
