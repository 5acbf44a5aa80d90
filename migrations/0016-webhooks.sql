-- Webhooks to integrators: endpoints, a small queue of what is still to be sent, and a history in partitions by day,
-- each of which is dropped as a whole.

create table webhook_endpoints (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  -- listener: a command that fetches its deliveries (perennial listen) instead of a URL that we post to.
  kind text not null default 'url' check (kind in ('url', 'listener')),
  url text not null check (length(url) between 1 and 2048),
  -- Event types that it receives. Null: all of them, including future ones.
  events text[] check (cardinality(events) > 0),
  description text not null default '' check (length(description) <= 500),
  -- Ciphertext of the signing secret under the installation's master key.
  secret bytea not null,
  -- Also signs until that moment of real time, so that a receiver can change secrets.
  previous_secret bytea,
  previous_secret_until timestamptz,
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason text,
  disabled_at timestamptz,
  -- The first failed try since the last success. Null: the last try succeeded, or there was none.
  failing_since timestamptz,
  -- Real time: until when a listener counts as open.
  listening_until timestamptz,
  -- The webhook_ids of its deliveries are made from this: the same for a repetition, and others in another database.
  webhook_id_seed uuid not null default gen_random_uuid(),
  -- The row stays, since the history refers to it.
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  check ((status = 'disabled') = (disabled_at is not null)),
  check ((status = 'disabled') = (disabled_reason is not null)),
  check ((previous_secret is null) = (previous_secret_until is null)),
  check ((kind = 'listener') = (listening_until is not null)),
  check (deleted_at is null or status = 'disabled')
);
select protect_table('webhook_endpoints');

create sequence webhook_delivery_ids;
grant usage on sequence webhook_delivery_ids to perennial_store, perennial_operator;

-- Every delivery, written once. It is open while it has a row in the queue. A delivery that is neither open nor undelivered
-- was delivered by its last try. Ids increase with days, so "day, id" is the order of creation.
create table webhook_deliveries (
  store_id bigint not null,
  -- The UTC day of real time on which it was made: history is kept for a number of real days, whatever a test clock says.
  -- A delivery that is still open when its day is dropped moves to the present day.
  day date not null,
  id bigint not null default nextval('webhook_delivery_ids'),
  endpoint_id bigint not null,
  -- Null: a sample that somebody requested.
  fact_id bigint,
  -- The id by which receivers deduplicate; the same for all tries.
  webhook_id text not null check (webhook_id ~ '^wh_[0-9a-f]{32}$'),
  event_type text not null,
  ordering_key text not null,
  -- The exact bytes that are signed and sent, made once.
  body text not null,
  -- failed: its tries are used up. cancelled: its endpoint was disabled.
  undelivered_status text check (undelivered_status in ('failed', 'cancelled')),
  -- Store time.
  undelivered_at timestamptz,
  created_at timestamptz not null,
  primary key (store_id, day, id),
  -- An endpoint has at most one delivery of an event. Both ids are unique in the whole database, and only the primary key
  -- begins with the store: for a store that the statistics do not know yet, the planner would use any other index that
  -- does, and read all rows of the store through it.
  unique (fact_id, endpoint_id, day),
  foreign key (store_id, endpoint_id) references webhook_endpoints,
  check ((undelivered_status is null) = (undelivered_at is null))
) partition by range (day);
create index webhook_deliveries_by_webhook_id on webhook_deliveries (webhook_id);
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, day, id);
create index webhook_deliveries_by_object on webhook_deliveries (ordering_key, store_id, day, id);
create index webhook_deliveries_by_type on webhook_deliveries (event_type, store_id, day, id);
create index webhook_deliveries_undelivered on webhook_deliveries (store_id, day, id) where undelivered_status is not null;
select protect_table('webhook_deliveries');

-- One row per finished try, in the partition of its delivery's day. It is written when its delivery leaves or changes in
-- the queue and is dropped with its day, so it has no foreign key, which would cost every try a look-up.
create table webhook_tries (
  store_id bigint not null,
  day date not null,
  delivery_id bigint not null,
  try_number integer not null check (try_number >= 1),
  -- Store time; the duration is real.
  started_at timestamptz not null,
  duration_ms integer not null check (duration_ms >= 0),
  response_code integer,
  -- Why the try failed, in one word; null for a success.
  failure text,
  -- The beginning of the receiver's response.
  response_text text not null default '',
  primary key (store_id, day, delivery_id, try_number),
  check (failure is not null or response_code between 200 and 299)
) partition by range (day);
select protect_table('webhook_tries');

-- What is still to be sent: a row per open delivery. A claim changes no indexed column, and every page has room for one
-- more version of each of its rows.
create table webhook_queue (
  store_id bigint not null,
  delivery_id bigint not null,
  day date not null,
  endpoint_id bigint not null,
  ordering_key text not null,
  -- Finished tries, and how many of them came before the retry schedule last started again (a resend).
  tries integer not null default 0,
  tries_before integer not null default 0,
  -- Tries in this round if not by the schedule: one, for a sample.
  max_tries integer check (max_tries >= 1),
  -- Its first try is not finished: later deliveries of the same object wait for it.
  first boolean not null,
  -- False while an earlier delivery of the same object is to be tried first.
  ready boolean not null,
  -- Store time.
  next_try_at timestamptz not null,
  -- A try was started and its outcome is not known. It counts, whatever becomes of the process that makes it.
  started boolean not null default false,
  -- It was started already when it was last leased, by a process that ended before it could report the outcome.
  was_started boolean not null default false,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, delivery_id),
  foreign key (store_id, endpoint_id) references webhook_endpoints,
  check (ready or first)
) with (fillfactor = 45);
-- Due work is claimed endpoint by endpoint, so that a long queue of one does not hide the others'.
create index webhook_queue_due on webhook_queue (store_id, endpoint_id, next_try_at, delivery_id) where ready;
create index webhook_queue_first on webhook_queue (store_id, endpoint_id, ordering_key, delivery_id) where first;
create index webhook_queue_blocked on webhook_queue (store_id, endpoint_id, ordering_key, delivery_id) where not ready;
select protect_table('webhook_queue');
