-- Agreeing with the platform again: what is looked at on a schedule, what it no longer knows, and stores and customers that leave it.

-- One row per store and kind of look. A look is a walk over pages; where it stands is kept after each page, so that a crash
-- costs one page. Schedules are real time, also in a store with a test clock: they make up for messages that were lost on a
-- wire, which no clock of a shop can bring about.
create table reconciliations (
  store_id bigint not null references stores,
  kind text not null check (kind in ('webhooks', 'contracts', 'all_contracts', 'attempts', 'failed_attempts')),
  next_at timestamptz not null,
  -- Up to here, in the store's time, everything was seen.
  cursor_at timestamptz not null,
  -- The walk under way: when it began in the store's time, and the place after its last page. Null between walks.
  began_at timestamptz,
  page_after text,
  last_id text not null default '',
  -- Of the walk under way, or of the last one.
  seen integer not null default 0,
  changed integer not null default 0,
  -- In a row, since the last page that came.
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

insert into reconciliations (store_id, kind, next_at, cursor_at)
-- New topics are to be heard soon; the rest not in all stores at once.
select s.store_id, k.kind, clock_timestamp() + case when k.kind = 'webhooks' then 0 else random() end * interval '15 minutes',
       coalesce(s.clock_at, clock_timestamp())
  from stores s
 cross join unnest(array['webhooks', 'contracts', 'all_contracts', 'attempts', 'failed_attempts']) as k(kind)
 where s.connected_at is not null and s.status = 'active';

-- Contracts of live subscriptions that the platform did not know when it was asked by id. The row goes when it knows them again.
create table missing_contracts (
  store_id bigint not null references stores,
  subscription_id bigint not null,
  missed_at timestamptz not null,
  primary key (store_id, subscription_id),
  foreign key (store_id, subscription_id) references subscriptions
);
select protect_table('missing_contracts');

-- Numbers of contracts in the order in which the platform lists them: digits, shorter ones first.
create index subscriptions_by_contract_number
  on subscriptions (store_id, length(platform_contract_id), platform_contract_id collate "C")
  where status in ('active', 'paused');

-- Failed attempts that the platform knows, so that their truth can be asked for again.
create index billing_attempts_failed_there on billing_attempts (store_id, completed_at, id)
  where status = 'failed' and platform_attempt_id is not null;

-- A store whose platform took the app off; it lives on here and may come back.
alter table stores drop constraint stores_status_check;
update stores set status = 'disconnected' where status = 'uninstalled';
alter table stores add constraint stores_status_check check (status in ('active', 'disconnected'));

-- The platform was put back, and what happened there meanwhile is not known yet: until it is, nothing is billed.
alter table stores add column catching_up boolean not null default false;

-- The customer whom the platform made one with this one; the rows of this one stay where they happened.
alter table members add column merged_into bigint;
alter table members add column deleted_there_at timestamptz;
alter table members add constraint members_merged_into_fkey foreign key (store_id, merged_into) references members;

-- The sandbox platform: what goes wrong by script.
alter table sandbox.shops add column webhook_faults jsonb;
alter table sandbox.shops add column faulty_messages bigint not null default 0;
alter table sandbox.customers add column deleted_at timestamptz;
-- When an attempt that was told as failed turns out to have been paid. Null: what was told is true.
alter table sandbox.billing_attempts add column truth_at timestamptz;
create index billing_attempts_to_correct on sandbox.billing_attempts (store_id, truth_at, id) where truth_at is not null;
