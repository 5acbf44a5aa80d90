-- Messages that the platform sent by webhook, stored as received until they are processed.
create table inbound_webhooks (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  -- One per delivery. The platform repeats a delivery under the same id.
  webhook_id text not null check (length(webhook_id) between 1 and 255),
  -- As in the header: 'orders/paid', 'customer.tags_added'.
  topic text not null check (length(topic) between 1 and 255),
  -- The bytes that were signed, which are UTF-8 JSON.
  body text not null,
  triggered_at timestamptz,
  received_at timestamptz not null,
  -- Store time. The lease is real time.
  run_at timestamptz not null,
  status text not null default 'waiting' check (status in ('waiting', 'done', 'failed', 'ignored')),
  attempts integer not null default 0,
  last_error text,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, id),
  unique (store_id, webhook_id)
);
-- Messages are claimed by id, so that they are processed in the order of arrival.
create index inbound_webhooks_waiting on inbound_webhooks (store_id, id) where status = 'waiting';
create index inbound_webhooks_due on inbound_webhooks (store_id, run_at) where status = 'waiting';
-- At most a batch per store, so it is cheap to see whether a store is being worked on, however many messages wait.
create index inbound_webhooks_leased on inbound_webhooks (store_id, leased_until) where lease_owner is not null;
create index inbound_webhooks_old on inbound_webhooks (store_id, received_at) where status in ('done', 'ignored');
select protect_table('inbound_webhooks');
