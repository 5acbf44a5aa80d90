-- expand: code from 0016 can run on this schema.
-- Friends whom customers bring. The codes of all customers belong to one discount of the shop.
create table loyalty_referral_programs (
  store_id bigint not null references stores,
  -- What its codes take off by the rules: {"isOn": false} where no rule rewards referrals.
  wanted jsonb not null default '{"isOn": false}',
  -- What the platform was last known to have; null where that is not known.
  applied jsonb,
  -- The first code of the discount, which nobody is shown: it finds a discount whose answer was lost.
  base_code text not null default replace(gen_random_uuid()::text, '-', ''),
  platform_discount_id text,
  -- Products that the discount may be for on the platform.
  product_ids text[] not null default '{}',
  -- Why the platform does not take what is wanted, in words.
  problem text,
  -- The addition of codes that the platform works on, and how often it was asked about it.
  addition_id text,
  asked int not null default 0,
  -- Real time; null: there is nothing to do.
  next_at timestamptz,
  -- Something has changed, and is not seen yet.
  is_asked boolean not null default false,
  -- Not before this (real time): a call may still be under way.
  rests_until timestamptz,
  failures int not null default 0,
  last_error text,
  lease_token int not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id)
);
create index loyalty_referral_programs_due on loyalty_referral_programs (store_id, next_at) where next_at is not null;
select protect_table('loyalty_referral_programs');
-- Rules of before begin to count.
insert into loyalty_referral_programs (store_id, next_at) select distinct store_id, now() from loyalty_rules where type = 'referral';

-- The code of a customer: whoever orders with it is their friend.
create table loyalty_referral_codes (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  -- Whose it is; after a merge, of the customer who was kept.
  member_id bigint not null,
  -- For whom it was made.
  made_for bigint not null,
  -- The platform ignores case.
  code text not null check (length(code) between 1 and 100),
  created_at timestamptz not null,
  -- When the platform was found to have it; null: it is to be added.
  added_at timestamptz,
  primary key (store_id, id),
  unique (store_id, made_for),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, made_for) references members
);
create unique index loyalty_referral_codes_by_code on loyalty_referral_codes (store_id, upper(code));
create index loyalty_referral_codes_by_member on loyalty_referral_codes (store_id, member_id, id);
create index loyalty_referral_codes_to_add on loyalty_referral_codes (store_id, id) where added_at is null;
select protect_table('loyalty_referral_codes');

-- The orders with the code of a customer. Of a friend at most one counts: the first order.
create table loyalty_referrals (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  order_id bigint not null,
  friend_id bigint not null,
  referrer_id bigint not null,
  code_id bigint not null,
  -- checking: the addresses of both are to be compared.
  state text not null check (state in ('checking', 'valid', 'refused')),
  -- Why it is refused.
  reason text check (reason in ('same_customer', 'same_email', 'same_address', 'not_new', 'referrer_gone')),
  -- When the friend has ordered.
  ordered_at timestamptz not null,
  -- Since when the order is known to be paid.
  paid_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, order_id),
  foreign key (store_id, order_id) references orders,
  foreign key (store_id, friend_id) references members,
  foreign key (store_id, referrer_id) references members,
  foreign key (store_id, code_id) references loyalty_referral_codes,
  check ((state = 'refused') = (reason is not null))
);
create unique index loyalty_referrals_of_friend on loyalty_referrals (store_id, friend_id) where state <> 'refused';
create index loyalty_referrals_by_friend on loyalty_referrals (store_id, friend_id);
create index loyalty_referrals_by_referrer on loyalty_referrals (store_id, referrer_id, id);
create index loyalty_referrals_to_check on loyalty_referrals (store_id, id) where state = 'checking';
select protect_table('loyalty_referrals');
