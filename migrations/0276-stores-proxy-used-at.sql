-- expand: code from 0016 can run on this schema.
-- When the app proxy last passed on a request that it had signed, in real time; null for never.
alter table stores add column proxy_used_at timestamptz;
