-- Null until the platform knows the store and its webhooks are registered: until then, making it again goes on from there.
alter table stores add column connected_at timestamptz;

-- How many of the requests of the last counting were admitted. The counting statement reads it back, so that each
-- process learns its own share whatever the others counted meanwhile.
alter table rate_windows add column granted integer not null default 0;
-- Room on each page for the next version of a counter, which then needs no new index entry.
alter table rate_windows set (fillfactor = 50);
