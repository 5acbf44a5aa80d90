-- expand: code from 0016 can run on this schema.
-- In a migration of its own, so that facts can be read while it is made.
create index facts_by_request on facts (store_id, request_id) where request_id is not null;
