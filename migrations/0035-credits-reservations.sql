-- expand: code from 0016 can run on this schema.
-- Reservations of store credit, running totals per account, and what links an entry to the one that it reverses.

alter table credit_accounts
  -- Held by open reservations: neither deducted nor reserved by others.
  add column reserved_minor bigint not null default 0,
  -- Totals by type of entry (the codes of the Data API): 1+10+11+12, -(4+5), -6, -13, -(7+8), 2+3+9.
  add column charged_minor bigint not null default 0,
  add column used_minor bigint not null default 0,
  add column refunded_minor bigint not null default 0,
  add column disputed_minor bigint not null default 0,
  add column forfeit_minor bigint not null default 0,
  add column reconciled_minor bigint not null default 0,
  -- The entries that the totals count: fewer than there are where older code has written, until the next change counts them.
  add column totalled_entries bigint not null default 0,
  add column forfeited_at timestamptz,
  add column reconciled_at timestamptz;

update credit_accounts a
   set charged_minor = e.charged, used_minor = e.used, refunded_minor = e.refunded, disputed_minor = e.disputed,
       forfeit_minor = e.forfeit, reconciled_minor = e.reconciled, totalled_entries = a.entries,
       forfeited_at = e.forfeited_at, reconciled_at = e.reconciled_at
  from (select store_id, member_id,
               coalesce(sum(amount_minor) filter (where type in (1, 10, 11, 12)), 0) as charged,
               coalesce(-sum(amount_minor) filter (where type in (4, 5)), 0) as used,
               coalesce(-sum(amount_minor) filter (where type = 6), 0) as refunded,
               coalesce(-sum(amount_minor) filter (where type = 13), 0) as disputed,
               coalesce(-sum(amount_minor) filter (where type in (7, 8)), 0) as forfeit,
               coalesce(sum(amount_minor) filter (where type in (2, 3, 9)), 0) as reconciled,
               max(created_at) filter (where type in (7, 8)) as forfeited_at,
               max(created_at) filter (where type in (2, 3) or type = 9 and operation_id not like 'merge:%') as reconciled_at
          from credit_entries group by store_id, member_id) e
 where e.store_id = a.store_id and e.member_id = a.member_id;

-- A balance is never below zero, and covers what is reserved.
alter table credit_accounts
  add constraint credit_accounts_cover_reserved check (reserved_minor >= 0 and reserved_minor <= balance_minor);

alter table credit_entries
  -- The entry that this one takes back or restores, in whole or in part.
  add column reverses_id bigint,
  -- What could not be deducted since the balance was too small.
  add column shortfall_minor bigint not null default 0 check (shortfall_minor >= 0),
  -- Kinds of type 9 and 5 that are not shown like the others.
  add column mark text check (mark in ('merge', 'drift', 'order_cancelled')),
  -- Of a deduction that can be reversed: the lots that it was spent from, in order, and how much of each.
  add column spent_lots bigint[],
  add column spent_minors bigint[],
  add foreign key (store_id, reverses_id) references credit_entries,
  add constraint credit_entries_spent check (cardinality(spent_lots) = cardinality(spent_minors)),
  -- An entry that could deduct nothing has its shortfall.
  drop constraint credit_entries_amount_minor_check,
  add constraint credit_entries_amount_minor_check check (amount_minor <> 0 or shortfall_minor > 0);
update credit_entries set mark = 'merge' where type = 9 and operation_id like 'merge:%';
create index credit_entries_reversing on credit_entries (store_id, reverses_id) where reverses_id is not null;
create index credit_entries_of_order on credit_entries (store_id, order_id) where order_id is not null;

alter table credit_lots
  add column reserved_minor bigint not null default 0,
  add constraint credit_lots_cover_reserved check (reserved_minor >= 0 and reserved_minor <= remaining_minor);
create index credit_lots_reserved on credit_lots (store_id, member_id) where reserved_minor > 0;

create table credit_reservations (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  member_id bigint not null,
  amount_minor bigint not null check (amount_minor > 0),
  -- aborted: released, or its time was over. It is no entry of the ledger.
  status text not null default 'reserved' check (status in ('reserved', 'captured', 'aborted')),
  aborted_by text check (aborted_by in ('released', 'expired', 'merged')),
  reason text not null check (length(reason) between 1 and 500),
  operation_id text not null check (length(operation_id) between 1 and 300),
  -- The lots that it holds, in the order of spending, and how much of each.
  lots bigint[] not null,
  minors bigint[] not null,
  -- The entry of its redemption.
  entry_id bigint,
  captured_minor bigint check (captured_minor between 1 and amount_minor),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (store_id, id),
  unique (store_id, operation_id),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, entry_id) references credit_entries,
  check (cardinality(lots) = cardinality(minors)),
  check ((status = 'reserved') = (ended_at is null)),
  check ((status = 'captured') = (entry_id is not null) and (status = 'captured') = (captured_minor is not null)),
  check ((status = 'aborted') = (aborted_by is not null))
);
create index credit_reservations_open on credit_reservations (store_id, member_id, id) where status = 'reserved';
create index credit_reservations_expiring on credit_reservations (store_id, expires_at) where status = 'reserved';
select protect_table('credit_reservations');
