-- expand: code from 0016 can run on this schema.
-- Discount codes on the platform that spend store credit: each belongs to one customer and holds a reservation.
create table credit_codes (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  member_id bigint not null,
  reservation_id bigint not null,
  -- In upper case; the platform ignores case.
  code text not null,
  amount_minor bigint not null check (amount_minor > 0),
  -- pending: it is wanted. ending: it is being taken off the platform. used: an order has it. ended: its credit was released. failed:
  -- the platform does not make it.
  status text not null default 'pending' check (status in ('pending', 'active', 'ending', 'used', 'ended', 'failed')),
  ended_by text check (ended_by in ('revoked', 'expired', 'merged')),
  -- Store time; the platform does not take it from then on.
  ends_at timestamptz not null,
  platform_discount_id text,
  -- Since when (store time) it may be on the platform.
  sent_at timestamptz,
  -- Real time; after it the latest call that makes it has ended.
  settles_at timestamptz,
  -- Since when (store time) the platform takes it no more.
  closed_at timestamptz,
  -- Why it failed, or cannot be ended, in words.
  problem text,
  created_at timestamptz not null,
  ended_at timestamptz,
  due_at timestamptz,
  -- Not before this (real time): a call may still be under way, or the platform did not respond.
  rests_until timestamptz,
  attempts integer not null default 0,
  last_error text,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, id),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, reservation_id) references credit_reservations
);
create unique index credit_codes_by_code on credit_codes (store_id, code);
create unique index credit_codes_by_reservation on credit_codes (store_id, reservation_id);
create index credit_codes_by_member on credit_codes (store_id, member_id, id);
create index credit_codes_due on credit_codes (store_id, due_at) where due_at is not null;
select protect_table('credit_codes');

-- What discounts that spend store credit took off orders, each once.
create table discount_redemptions (
  store_id bigint not null references stores,
  order_id bigint not null,
  -- The code in upper case, or 'function'.
  source text not null,
  code_id bigint,
  member_id bigint not null,
  -- At most what the code was made for.
  amount_minor bigint not null check (amount_minor >= 0),
  -- The entry of the ledger; null where nothing was taken off.
  entry_id bigint,
  created_at timestamptz not null,
  primary key (store_id, order_id, source),
  check ((entry_id is null) = (amount_minor = 0)),
  foreign key (store_id, order_id) references orders,
  foreign key (store_id, code_id) references credit_codes,
  foreign key (store_id, member_id) references members,
  foreign key (store_id, entry_id) references credit_entries
);
create index discount_redemptions_by_code on discount_redemptions (store_id, code_id) where code_id is not null;
select protect_table('discount_redemptions');
