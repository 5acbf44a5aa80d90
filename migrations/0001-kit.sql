-- What every module uses: the protection of tables between stores, the outbox, jobs, rate limits, idempotency keys.
-- The foreign keys of these tables to `stores` are in the next file, which makes that table.

-- Adds row-level security to a table: the store role sees the rows of the store that its transaction entered, the
-- operator role sees all rows. It is defined here and not in functions/, because the migrations call it.
create function protect_table(name regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('alter table %s force row level security', name);
  execute format('create policy one_store on %s to perennial_store
    using (store_id = nullif(current_setting(''perennial.store_id'', true), '''')::bigint)
    with check (store_id = nullif(current_setting(''perennial.store_id'', true), '''')::bigint)', name);
  execute format('create policy all_stores on %s to perennial_operator using (true) with check (true)', name);
  execute format('grant select, insert, update, delete on %s to perennial_store, perennial_operator', name);
end $$;

-- The outbox: facts, written in the transaction of the change that they describe.
create table facts (
  store_id bigint not null,
  id bigint generated always as identity,
  name text not null,
  -- What it is about, 'subscription:12' or 'member:5'. Consumers get facts with the same key in the order of their positions.
  ordering_key text not null,
  -- json, not jsonb: a public payload is sent as exactly these bytes.
  data json not null,
  refs jsonb not null default '{}',
  occurred_at timestamptz not null,
  -- Where consumers find it: given after the commit by one sequencer per store, so that no position appears before a
  -- lower one.
  position bigint,
  primary key (store_id, id)
);
create index facts_unsequenced on facts (store_id, id) where position is null;
create unique index facts_by_position on facts (store_id, position) where position is not null;
create index facts_by_ordering_key on facts (store_id, ordering_key, id);
select protect_table('facts');

-- Up to which position a consumer has handled the facts of a store, apart from those in fact_retries. last_position is the
-- last one there is, the same in all rows of a store.
create table fact_consumers (
  store_id bigint not null,
  consumer text not null,
  position bigint not null,
  -- The furthest position that it ever had. Its position is before this one only if somebody has set it back: what it is given
  -- again it may have handled before.
  furthest bigint not null,
  last_position bigint not null,
  primary key (store_id, consumer),
  check (position <= furthest and furthest <= last_position)
);
create index fact_consumers_behind on fact_consumers (store_id) where position < last_position;
select protect_table('fact_consumers');

-- Consumers of this installation and the facts that they receive, so that a node with older code knows which facts to leave
-- to newer code, and starts consumers in a new store that it does not have itself.
create table known_consumers (
  name text primary key,
  facts text[] not null
);
grant select on known_consumers to perennial_store;
grant select, insert, update, delete on known_consumers to perennial_operator;

-- Old facts are removed. Those that occurred after complete_since are all there; a store without a row has all it ever had.
create table fact_history (
  store_id bigint primary key,
  complete_since timestamptz not null
);
select protect_table('fact_history');

-- Facts that a consumer could not handle, or that wait for a node with newer code; and later facts of the same ordering key,
-- which wait for them.
create table fact_retries (
  store_id bigint not null,
  consumer text not null,
  fact_id bigint not null,
  -- As in the fact: only code that knows the name takes it, and facts of a key are taken by position.
  name text not null,
  position bigint not null,
  ordering_key text not null,
  -- Failed tries. 0: it waits for an earlier fact or for newer code.
  attempts integer not null,
  -- Store time. Null while it waits for an earlier fact, and after its last try.
  retry_at timestamptz,
  last_error text,
  -- A dead letter since then: only an operator tries it again.
  dead_at timestamptz,
  -- The fact first, by which the foreign key is checked when facts are removed.
  primary key (store_id, fact_id, consumer),
  foreign key (store_id, fact_id) references facts,
  check (retry_at is null or dead_at is null),
  check ((attempts > 0) = (last_error is not null))
);
create index fact_retries_by_ordering_key on fact_retries (store_id, consumer, ordering_key, position);
create index fact_retries_due on fact_retries (store_id, retry_at, position) where retry_at is not null;
select protect_table('fact_retries');

-- Work that must be done after a commit, at least once: housekeeping and calls to the platform.
create table jobs (
  store_id bigint not null,
  id bigint generated always as identity,
  kind text not null,
  -- At most one job of a kind waits per key.
  dedupe_key text not null,
  payload jsonb not null,
  -- Due jobs with a smaller number are claimed first: 0 high, 1 normal, 2 low.
  priority smallint not null default 1 check (priority between 0 and 2),
  -- Store time. The lease is real time, since a crash happens in real time.
  run_at timestamptz not null,
  attempts integer not null default 0,
  last_error text,
  -- Increased when the job is requested again while it runs, so that the present run does not end it.
  version integer not null default 0,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, id),
  unique (store_id, kind, dedupe_key)
);
-- Jobs are claimed by priority, time and, where times are equal, by id. With all of them in the index a claim does not
-- have to sort. There are three priorities, so that what is due at all is found by three look-ups.
create index jobs_due on jobs (store_id, priority, run_at, id);
select protect_table('jobs');

-- Ids of running processes that take leases. Each process holds a session advisory lock on its id while it lives.
create sequence worker_ids;
grant usage on sequence worker_ids to perennial_store, perennial_operator;

-- Processes that take leases, or may have left some: a row whose lock is free is that of a dead one, and is removed when its
-- leases are freed. So nobody has to search the leased tables for owners that are gone.
create table nodes (
  id bigint primary key
);
grant select, insert, delete on nodes to perennial_operator;

-- Requests counted per store, route family and window. Unlogged: a crash only forgives the requests of a minute.
create unlogged table rate_windows (
  store_id bigint not null,
  bucket text not null,
  window_start timestamptz not null,
  used integer not null,
  -- How many requests of the last count were admitted. The counting statement returns it, so that each process learns
  -- its own share whatever the others counted meanwhile.
  granted integer not null default 0,
  primary key (store_id, bucket, window_start)
  -- Each page has room for the next version of a counter, which then needs no new index entry.
) with (fillfactor = 50);
select protect_table('rate_windows');

-- The response to a writing request with an Idempotency-Key, kept for repetitions of the request.
create table idempotent_responses (
  store_id bigint not null,
  idempotency_key text not null check (length(idempotency_key) between 1 and 255),
  -- SHA-256 of method, path and body: a key must not be used for a different request.
  fingerprint bytea not null,
  status integer,
  body text,
  -- Real time: clients retry in real time, whatever a test clock says.
  created_at timestamptz not null default clock_timestamp(),
  primary key (store_id, idempotency_key)
);
create index idempotent_responses_old on idempotent_responses (created_at);
select protect_table('idempotent_responses');

-- How far appended changes have been rolled up into maintained counts (of a list) or into `metrics`. Every change up to
-- rolled_up_to has been deleted, so readers of waiting changes start after it: while a long transaction elsewhere keeps
-- PostgreSQL from removing deleted rows, stepping over hundreds of thousands of them would cost every reader a tenth of
-- a second. For the same reason each step is a new row: the newest one is at the end of the index.
--
-- A change gets its number before it commits, so one with a lower number may commit later. A mark therefore moves in two
-- steps: a roll-up records the last number that it took (next_to) and its own transaction (next_writer), and a later roll-up
-- moves the mark there once every transaction before next_writer has ended. A writer of changes always has a
-- transaction id before its changes have numbers, because it has written a row of the list first (or holds the lock of
-- the roll-up), and identity numbers are not cached.
create table rollup_marks (
  store_id bigint not null,
  changes text collate "C" not null,
  rolled_up_to bigint not null,
  -- The highest change that any roll-up took. If it is beyond rolled_up_to, there is a step to make.
  taken_to bigint not null,
  next_to bigint,
  next_writer xid8,
  primary key (store_id, changes, rolled_up_to),
  check (rolled_up_to <= taken_to and next_to between rolled_up_to + 1 and taken_to and (next_to is null) = (next_writer is null))
);
select protect_table('rollup_marks');
