-- Webhooks out: a small queue of what is still to be sent, beside a history in partitions by day that is dropped whole.

alter table webhook_endpoints
  -- listener: a terminal that fetches its deliveries (perennial listen) in place of an address that we post to.
  add column kind text not null default 'url' check (kind in ('url', 'listener')),
  -- Signs too until that moment of real time, so that a receiver can change over.
  add column previous_secret bytea,
  add column previous_secret_until timestamptz,
  -- Real time: until when a terminal is taken to be listening.
  add column listening_until timestamptz,
  -- Its history still names it.
  add column deleted_at timestamptz,
  add check ((previous_secret is null) = (previous_secret_until is null)),
  add check ((kind = 'listener') = (listening_until is not null)),
  add check (deleted_at is null or status = 'disabled');

alter table webhook_tries rename to webhook_tries_before;
alter table webhook_deliveries rename to webhook_deliveries_before;

create sequence webhook_delivery_ids;
grant usage on sequence webhook_delivery_ids to perennial_store, perennial_operator;

-- Every delivery, written once. It is open while it has a row in the queue; what is neither open nor given up was delivered
-- by its last try. Ids ascend with days, so "day, id" is the order of making.
create table webhook_deliveries (
  store_id bigint not null,
  -- The UTC day of real time on which it was made: history is kept for so many of them, whatever a test clock says. One
  -- that is still open when its day goes moves to the present day.
  day date not null,
  id bigint not null default nextval('webhook_delivery_ids'),
  endpoint_id bigint not null,
  -- Null: a sample that someone had sent.
  event_row bigint,
  -- What receivers deduplicate by; the same over all tries.
  webhook_id text not null check (webhook_id ~ '^wh_[0-9a-f]{32}$'),
  event_type text not null,
  object_key text not null,
  -- The exact bytes that are signed and sent, made once.
  body text not null,
  -- failed: its tries are used up. cancelled: its endpoint was disabled.
  given_up text check (given_up in ('failed', 'cancelled')),
  -- Store time.
  given_up_at timestamptz,
  created_at timestamptz not null,
  primary key (store_id, day, id),
  -- Whatever happens to the fan-out, an endpoint has one delivery of an event. Both are numbers of the whole database, and
  -- no index but the primary key begins with the store: for a store that the statistics do not know yet the planner
  -- would take any that does, and read all of the store's rows by it.
  unique (event_row, endpoint_id, day),
  foreign key (store_id, endpoint_id) references webhook_endpoints,
  check ((given_up is null) = (given_up_at is null))
) partition by range (day);
create index webhook_deliveries_named on webhook_deliveries (webhook_id);
create index webhook_deliveries_of_endpoint on webhook_deliveries (endpoint_id, day, id);
create index webhook_deliveries_of_object on webhook_deliveries (object_key, store_id, day, id);
create index webhook_deliveries_of_type on webhook_deliveries (event_type, store_id, day, id);
create index webhook_deliveries_given_up on webhook_deliveries (store_id, day, id) where given_up is not null;
select protect_table('webhook_deliveries');

-- One row per finished try, on the day of its delivery. It is written as its delivery leaves the queue or moves in it and
-- goes with its day, so it needs no foreign key, which would cost every try a look-up.
create table webhook_tries (
  store_id bigint not null,
  day date not null,
  delivery_id bigint not null,
  try_number integer not null check (try_number >= 1),
  -- Store time; the duration is real.
  started_at timestamptz not null,
  duration_ms integer not null check (duration_ms >= 0),
  response_code integer,
  -- Why the try failed, in one word; null when it was a success.
  failure text,
  -- The beginning of the receiver's answer.
  response_text text not null default '',
  primary key (store_id, day, delivery_id, try_number),
  check (failure is not null or response_code between 200 and 299)
) partition by range (day);
select protect_table('webhook_tries');

-- What is still to be sent: a row per open delivery. A claim changes no indexed column, and every page has room for one more
-- version of each of its rows.
create table webhook_queue (
  store_id bigint not null,
  delivery_id bigint not null,
  day date not null,
  endpoint_id bigint not null,
  object_key text not null,
  -- Finished tries, and how many of them came before the retry schedule last began anew (a resend).
  tries integer not null default 0,
  tries_before integer not null default 0,
  -- Tries in this round where the schedule does not say it: one, for a sample.
  max_tries integer check (max_tries >= 1),
  -- Its first try is not finished: later ones of the same object wait for it.
  first boolean not null,
  -- False while an earlier one of the same object is to be tried first.
  ready boolean not null,
  -- Store time.
  next_try_at timestamptz not null,
  -- A try has begun of which nothing is known yet. It counts, whatever becomes of the process that makes it.
  begun boolean not null default false,
  -- It had begun already when it was last leased, by a process that ended before it could tell.
  was_begun boolean not null default false,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, delivery_id),
  foreign key (store_id, endpoint_id) references webhook_endpoints,
  check (ready or first)
) with (fillfactor = 45);
-- Due work is looked for endpoint by endpoint, so that a long queue of one does not hide the others'.
create index webhook_queue_due on webhook_queue (store_id, endpoint_id, next_try_at, delivery_id) where ready;
create index webhook_queue_first on webhook_queue (store_id, endpoint_id, object_key, delivery_id) where first;
create index webhook_queue_blocked on webhook_queue (store_id, endpoint_id, object_key, delivery_id) where not ready;
select protect_table('webhook_queue');

-- Makes the partitions of a day; nothing when they are there. Only an owner of the tables may, which the service is not.
create function make_webhook_day(wanted date) returns void language plpgsql security definer
  set search_path from current as $$
declare
  parent text;
  partition text;
begin
  foreach parent in array array['webhook_deliveries', 'webhook_tries'] loop
    partition := parent || to_char(wanted, '_YYYYMMDD');
    if to_regclass(partition) is null then
      execute format('create table %I partition of %I for values from (%L) to (%L)', partition, parent, wanted, wanted + 1);
      perform protect_table(partition::regclass);
    end if;
  end loop;
end $$;

-- Drops the history of a day. Whoever calls it has moved what is still open.
create function drop_webhook_day(unwanted date) returns void language plpgsql security definer
  set search_path from current as $$
begin
  execute format('drop table if exists %I', to_char(unwanted, '"webhook_tries"_YYYYMMDD'));
  execute format('drop table if exists %I', to_char(unwanted, '"webhook_deliveries"_YYYYMMDD'));
end $$;

-- The days of which there is a partition.
create function webhook_days() returns setof date language sql stable set search_path from current as $$
  select to_date(right(inhrelid::regclass::text, 8), 'YYYYMMDD')
    from pg_inherits where inhparent = 'webhook_deliveries'::regclass order by 1
$$;

revoke all on function make_webhook_day(date), drop_webhook_day(date) from public;
grant execute on function make_webhook_day(date), drop_webhook_day(date) to perennial_operator;

select make_webhook_day(((clock_timestamp() at time zone 'UTC')::date + n)::date) from generate_series(0, 7) as n;

insert into webhook_deliveries
       (store_id, day, id, endpoint_id, event_row, webhook_id, event_type, object_key, body, given_up, given_up_at, created_at)
select store_id, (clock_timestamp() at time zone 'UTC')::date, id, endpoint_id, event_row, webhook_id, event_type, object_key,
       body, case when status in ('failed', 'cancelled') then status end,
       case when status in ('failed', 'cancelled') then finished_at end, created_at
  from webhook_deliveries_before;
insert into webhook_tries
       (store_id, day, delivery_id, try_number, started_at, duration_ms, response_code, failure, response_text)
select store_id, (clock_timestamp() at time zone 'UTC')::date, delivery_id, try_number, started_at, duration_ms, response_code,
       failure, response_text
  from webhook_tries_before;
insert into webhook_queue (store_id, delivery_id, day, endpoint_id, object_key, tries, first, ready, next_try_at)
select store_id, id, (clock_timestamp() at time zone 'UTC')::date, endpoint_id, object_key, tries, status = 'waiting',
       status = 'retrying' or row_number() over (partition by store_id, endpoint_id, object_key, status order by id) = 1,
       next_try_at
  from webhook_deliveries_before where next_try_at is not null;
select setval('webhook_delivery_ids', greatest((select max(id) from webhook_deliveries_before), 1));

drop table webhook_tries_before;
drop table webhook_deliveries_before;

-- What the people who run a store should hear of: whole sentences, ready for a message.
create table notices (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  kind text not null,
  subject text not null check (length(subject) between 1 and 200),
  message text not null check (length(message) between 1 and 2000),
  created_at timestamptz not null,
  primary key (store_id, id)
);
select protect_table('notices');
