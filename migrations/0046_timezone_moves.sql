-- A shop that moves to another time zone: subscriptions follow in batches, and one that somebody holds before its batch comes follows then.

-- The zones that the shop has lived in before, in order.
alter table stores add column past_timezones text[] not null default '{}';
-- How many of these moves the row's anchor and dates have followed.
alter table subscriptions add column timezone_moves integer not null default 0 check (timezone_moves >= 0);
