-- expand: code from 0016 can run on this schema.
-- What the platform or an operator asked us to do with the data of a person. The request stays; who it was about does not.
create table privacy_requests (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  topic text not null check (topic in ('customers/data_request', 'customers/redact', 'shop/redact')),
  source text not null check (source in ('platform', 'operator')),
  -- The platform's number of a data request.
  platform_request_id text,
  -- HMAC-SHA256 of who it is about: tells whether two requests are about the same customer.
  subject_key bytea,
  -- Who it is about, as far as that is needed to carry it out; null when it is done.
  subject jsonb,
  member_id bigint,
  status text not null default 'waiting' check (status in ('waiting', 'running', 'checking', 'ready', 'done', 'refused')),
  -- Why it waits, or was refused. `ready`: the file of a data request waits to be fetched.
  reason text,
  -- Rows by table: found for a data request, changed for an erasure.
  counts jsonb not null default '{}',
  -- Store time.
  received_at timestamptz not null,
  due_at timestamptz not null,
  -- Its next step, and where that goes on; null: there is none.
  run_at timestamptz,
  progress jsonb,
  done_at timestamptz,
  primary key (store_id, id),
  check ((status in ('done', 'refused')) = (done_at is not null)),
  check ((status in ('waiting', 'running', 'checking')) = (run_at is not null))
);
create index privacy_requests_due on privacy_requests (store_id, run_at) where run_at is not null;
create index privacy_requests_open on privacy_requests (store_id, due_at) where done_at is null;
create index privacy_requests_of_subject on privacy_requests (store_id, subject_key);
select protect_table('privacy_requests');

-- The files that answer data requests, until they expire or the person is erased.
create table privacy_exports (
  store_id bigint not null references stores,
  request_id bigint not null,
  member_id bigint,
  content text not null,
  made_at timestamptz not null,
  expires_at timestamptz not null,
  fetched_at timestamptz,
  primary key (store_id, request_id),
  foreign key (store_id, request_id) references privacy_requests
);
create index privacy_exports_expiring on privacy_exports (store_id, expires_at);
select protect_table('privacy_exports');

-- Evidence of deleted shops: it is no store's, so it outlives the store. Real time.
create table erased_shops (
  -- Its number here, which no store has again.
  deleted_store bigint primary key,
  -- HMAC-SHA256 of `shop:<domain>`.
  shop_key bytea not null,
  requested_at timestamptz not null,
  -- From then on nothing of it can be read; the rows go in the minutes after.
  deleted_at timestamptz not null
);
grant select, insert on erased_shops to perennial_operator;
