-- expand: code from 0016 can run on this schema.
-- Store credit in the platform's own accounts: what we know to be there, by customer. The rows stay when no credit is there any more:
-- the token of a lease must not begin again.
create table spending_accounts (
  store_id bigint not null references stores,
  member_id bigint not null,
  -- Since when (store time) the account is to be compared; null while nothing is known to differ.
  due_at timestamptz,
  -- Not before this (real time): a call may still be under way, or the platform did not respond.
  rests_until timestamptz,
  -- Due by the daily comparison alone, which leaves the platform to others first.
  is_check boolean not null default false,
  -- Rises with each change that is to be compared: what was read before does not end it.
  version integer not null default 1,
  -- Tries in a row that came to nothing.
  attempts integer not null default 0,
  last_error text,
  -- Why the account cannot be as it should be, in words. It is not tried again by itself.
  problem text,
  platform_account_id text,
  -- The platform's balance as far as it is known: the sum of platform_credit_transactions, in the store's currency.
  mirrored_minor bigint not null default 0,
  -- The newest transaction of the account that is known.
  last_key text,
  -- The store was restored from a backup since the account was compared: what the platform adjusted meanwhile was us.
  is_restored boolean not null default false,
  changed_at timestamptz not null,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, member_id),
  foreign key (store_id, member_id) references members
);
create index spending_accounts_due on spending_accounts (store_id, due_at) where due_at is not null;
create index spending_accounts_with_problem on spending_accounts (store_id, member_id) where problem is not null or attempts > 3;
select protect_table('spending_accounts');

-- Credits and debits that we have sent, recorded before they are sent: the platform knows no idempotency key for them.
create table credit_pushes (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  member_id bigint not null,
  -- Above zero a credit, below zero a debit.
  amount_minor bigint not null check (amount_minor <> 0),
  -- sent: it may be on its way. unseen: it had not arrived when it could not be on its way any more.
  status text not null default 'sent' check (status in ('sent', 'done', 'refused', 'unseen')),
  sent_at timestamptz not null,
  -- Real time; after it the call has ended.
  settles_at timestamptz not null,
  ended_at timestamptz,
  primary key (store_id, id),
  foreign key (store_id, member_id) references spending_accounts
);
create unique index credit_pushes_open on credit_pushes (store_id, member_id) where status = 'sent';
create index credit_pushes_unseen on credit_pushes (store_id, member_id, sent_at) where status = 'unseen';
select protect_table('credit_pushes');

-- Every transaction of the platform's accounts, once, and what it was here.
create table platform_credit_transactions (
  store_id bigint not null references stores,
  -- The platform's number; an expiry has none.
  transaction_key text not null,
  member_id bigint not null,
  amount_minor bigint not null,
  event text not null,
  -- ours: sent by us. spent, returned: on an order. changed: by somebody else. expired: by the platform.
  kind text not null check (kind in ('ours', 'spent', 'returned', 'changed', 'expired')),
  order_id bigint,
  push_id bigint,
  happened_at timestamptz not null,
  recorded_at timestamptz not null,
  primary key (store_id, transaction_key),
  foreign key (store_id, member_id) references spending_accounts,
  foreign key (store_id, order_id) references orders,
  foreign key (store_id, push_id) references credit_pushes
);
create index platform_credit_transactions_by_member on platform_credit_transactions (store_id, member_id);
create index platform_credit_transactions_by_order on platform_credit_transactions (store_id, order_id) where order_id is not null;
create unique index platform_credit_transactions_by_push on platform_credit_transactions (store_id, push_id) where push_id is not null;
select protect_table('platform_credit_transactions');

-- The daily comparison of all accounts of a store (real time), and its place among the members.
create table spending_walks (
  store_id bigint not null references stores,
  next_at timestamptz not null,
  after_id bigint not null default 0,
  finished_at timestamptz,
  primary key (store_id)
);
create index spending_walks_due on spending_walks (store_id, next_at);
select protect_table('spending_walks');

-- Customers who have credit from before.
insert into spending_walks (store_id, next_at) select store_id, now() from stores;
