-- expand: code from 0016 can run on this schema.
-- The request that caused a fact, by the X-Request-Id of its response; null where no single request did.
alter table facts add column request_id text;
create index facts_by_request on facts (store_id, request_id) where request_id is not null;
