-- expand: code from 0016 can run on this schema.
-- When the active coupons of a store are compared with their discounts on the platform next, and after which of them it goes on.
create table loyalty_coupon_walks (
  store_id bigint primary key references stores,
  -- Store time.
  next_at timestamptz not null,
  after_id bigint not null default 0,
  -- Not before this (real time): the platform did not respond.
  rests_until timestamptz,
  failures int not null default 0,
  last_error text,
  lease_token int not null default 0,
  lease_owner bigint,
  leased_until timestamptz
);
select protect_table('loyalty_coupon_walks');
create index loyalty_coupons_active on loyalty_coupons (store_id, id) where status = 'active';
insert into loyalty_coupon_walks (store_id, next_at)
select store_id, max(updated_at) + interval '1 day' from loyalty_coupons where status = 'active' group by store_id;
