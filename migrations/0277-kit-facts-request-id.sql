-- expand: code from 0016 can run on this schema.
-- The request that caused a fact, by the X-Request-Id of its response; null where no single request did.
alter table facts add column request_id text;
