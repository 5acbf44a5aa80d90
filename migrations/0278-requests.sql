-- expand: code from 0016 can run on this schema.
-- Requests to the APIs of a store that changed something or were refused, for a week. No addresses and no bodies; of a path what may be
-- personal is hidden. In real time.
create table api_requests (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  requested_at timestamptz not null,
  -- The X-Request-Id of the response.
  request_id text not null,
  method text not null,
  path text not null,
  status smallint not null,
  duration_ms integer not null,
  -- The API key; null where the app proxy or a customer asked.
  key_id bigint,
  primary key (store_id, id)
);
create index api_requests_by_request on api_requests (store_id, request_id);
create index api_requests_by_time on api_requests (requested_at);
select protect_table('api_requests');
