-- expand: code from 0016 can run on this schema.
-- One row for each store: when the discounts of its product contracts are next derived for all customers (real time), and how far that is.
create table contract_discount_walks (
  store_id bigint not null references stores,
  next_at timestamptz not null,
  -- The member that was derived last; 0: from the first on.
  after_id bigint not null default 0,
  -- Rises with each request: a walk that began before it begins again.
  requests integer not null default 0,
  -- Whether the contracts are to be compared with the platform too, whether something else is wanted there or not.
  is_comparing boolean not null default false,
  failures integer not null default 0,
  last_error text,
  finished_at timestamptz,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id)
);
create index contract_discount_walks_due on contract_discount_walks (store_id, next_at);
select protect_table('contract_discount_walks');

insert into contract_discount_walks (store_id, next_at) select store_id, now() from discount_stores;
