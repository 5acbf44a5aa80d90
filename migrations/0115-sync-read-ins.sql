-- expand: code from 0016 can run on this schema.
-- What a store had on its platform before it was connected, read into ours by bulk operations: one row per store and part. A part stores
-- its place in the platform's file after each batch, in the batch's transaction, so that it goes on there after a stop. Schedules and
-- leases are real time.
create table read_ins (
  store_id bigint not null references stores,
  part text not null check (part in ('customers', 'contracts', 'orders')),
  -- When its next step is due; null while there is none.
  next_at timestamptz,
  phase text not null check (phase in ('start', 'wait', 'read', 'done', 'failed')),
  -- What the platform is asked for: customers that changed, orders that were placed, at this time or later (store time); null for all.
  since timestamptz,
  -- When the present read began (store time), and the platform's last message before that.
  started_at timestamptz,
  messages_before bigint not null default 0,
  bulk_operation_id text,
  -- Counts the operations, each of which has its number in its name: one is found by it whose beginning was not recorded.
  operations integer not null default 0,
  -- How often the platform was asked whether it has ended.
  asked integer not null default 0,
  -- Lines of its file in all, as far as the platform has written it, and those that are read here.
  lines bigint not null default 0,
  lines_read bigint not null default 0,
  -- Objects that were read: customers, contracts, orders.
  seen bigint not null default 0,
  -- Objects that could not be read, and why the last of them.
  skipped bigint not null default 0,
  skipped_reason text,
  -- Tries in a row that came to nothing.
  failures integer not null default 0,
  last_error text,
  finished_at timestamptz,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, part)
);
create index read_ins_due on read_ins (store_id, next_at) where next_at is not null;
select protect_table('read_ins');
