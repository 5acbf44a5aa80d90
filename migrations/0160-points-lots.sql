-- expand: code from 0016 can run on this schema.
-- Points that are pending, lots with a date, and what was ever earned. Each of the three amounts of an account is the sum of its entries.
alter table points_accounts
  add column pending_points bigint not null default 0 check (pending_points >= 0),
  add column lifetime_points bigint not null default 0 check (lifetime_points >= 0),
  -- The balance that the lots add up to: nodes of before change balances and no lots, which the next change of the account makes up for.
  add column lotted_points bigint not null default 0 check (lotted_points >= 0),
  add constraint points_accounts_balance_check check (balance >= 0);
alter table points_entries
  -- Null in entries of versions of before that reverse one without saying for what, and in those of their nodes.
  add column type text check (type in ('pending', 'earned', 'spent', 'reversed', 'expired', 'adjusted')),
  add column pending_points bigint not null default 0,
  add column lifetime_points bigint not null default 0,
  -- Of what was issued: refunds and disputes of its order take their shares of it.
  add column is_shared boolean not null default false,
  -- Of pending points: when they are earned.
  add column ready_at timestamptz,
  -- When what is left of these points expires.
  add column expires_at timestamptz,
  -- The entry of the pending points that this one makes earned.
  add column pending_id bigint,
  -- Of points that were spent: the lots that they came from.
  add column spent_lots bigint[],
  add column spent_points bigint[],
  add foreign key (store_id, pending_id) references points_entries,
  drop constraint points_entries_points_check,
  add constraint points_entries_points_check
    check (points <> 0 or shortfall_points <> 0 or pending_points <> 0 or lifetime_points <> 0);
update points_entries set type = case when reverses_id is null then 'adjusted' else 'reversed' end,
                          is_shared = order_id is not null and reverses_id is null and points > 0
 where reverses_id is null or reversal is not null;

-- The unspent rest of the points of one entry.
create table points_lots (
  store_id bigint not null references stores,
  entry_id bigint not null,
  member_id bigint not null,
  remaining_points bigint not null check (remaining_points > 0),
  expires_at timestamptz,
  primary key (store_id, entry_id),
  foreign key (store_id, entry_id) references points_entries,
  foreign key (store_id, member_id) references members
);
create index points_lots_by_member on points_lots (store_id, member_id, expires_at, entry_id);
create index points_lots_expiring on points_lots (store_id, expires_at) where expires_at is not null;
select protect_table('points_lots');

-- The rest of the points of one entry that are still pending.
create table points_pending (
  store_id bigint not null references stores,
  entry_id bigint not null,
  member_id bigint not null,
  remaining_points bigint not null check (remaining_points > 0),
  ready_at timestamptz not null,
  expires_at timestamptz,
  primary key (store_id, entry_id),
  foreign key (store_id, entry_id) references points_entries,
  foreign key (store_id, member_id) references members
);
create index points_pending_by_member on points_pending (store_id, member_id, entry_id);
create index points_pending_ready on points_pending (store_id, ready_at);
select protect_table('points_pending');

-- What somebody has is one lot without a date, of the entry that added last.
insert into points_lots (store_id, entry_id, member_id, remaining_points)
select a.store_id, (select max(e.id) from points_entries e where e.store_id = a.store_id and e.member_id = a.member_id and e.points > 0),
       a.member_id, a.balance
  from points_accounts a where a.balance > 0;
update points_accounts set lotted_points = balance where balance <> 0;
create index points_accounts_unlotted on points_accounts (store_id) where balance <> lotted_points;
-- What reverses an entry, and what makes its pending points earned.
create index points_entries_by_reversed on points_entries (store_id, reverses_id) where reverses_id is not null;
create index points_entries_by_pending on points_entries (store_id, pending_id) where pending_id is not null;
