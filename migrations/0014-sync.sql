-- Scheduled comparisons with the platform, one row per store and kind. A comparison walks over pages and stores its place
-- after each, so that a crash costs one page. Schedules are real time, also in a store with a test clock: they make up for
-- messages lost on the network, which has no test clock.
create table reconciliations (
  store_id bigint not null references stores,
  kind text not null check (kind in ('webhooks', 'contracts', 'all_contracts', 'attempts', 'failed_attempts')),
  next_at timestamptz not null,
  -- Everything up to here was compared (store time).
  cursor_at timestamptz not null,
  -- The present walk: when it began (store time), and its place after the last page. Null between walks.
  started_at timestamptz,
  page_after text,
  last_id text not null default '',
  -- Of the present walk, or of the last one.
  seen integer not null default 0,
  changed integer not null default 0,
  -- Consecutive failures since the last page that was read.
  failures integer not null default 0,
  last_error text,
  finished_at timestamptz,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, kind)
);
create index reconciliations_due on reconciliations (store_id, next_at);
select protect_table('reconciliations');
