-- expand: code from 0016 can run on this schema.
-- The collections that rules name, and how far each is read from the platform.
create table loyalty_collections (
  store_id bigint not null references stores,
  -- Of the platform.
  collection_id text not null,
  -- In the order in which collections of the store were read to their end first; null: not yet, so that its products are not known.
  number int,
  -- Store time: when it was read to its end last.
  read_at timestamptz,
  -- Store time: when it is to be read next, or at its next page.
  due_at timestamptz not null,
  -- Which reading is next or under way, and after what it goes on; null: at the beginning.
  reading int not null default 1,
  page_after text,
  -- Rises with each request to read it again, so that one which comes while it is read is not lost.
  requests int not null default 0,
  -- Not before this (real time): the platform did not respond.
  rests_until timestamptz,
  failures int not null default 0,
  last_error text,
  lease_token int not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, collection_id)
);
create index loyalty_collections_due on loyalty_collections (store_id, due_at);
create index loyalty_collections_unread on loyalty_collections (store_id, collection_id) where number is null;
select protect_table('loyalty_collections');
insert into loyalty_collections (store_id, collection_id, due_at)
select distinct r.store_id, c.id, r.updated_at
  from loyalty_rules r cross join jsonb_array_elements_text(r.rules->'collection_ids') as c(id)
 where r.archived_at is null;

-- The products of these collections, as they were read last.
create table loyalty_collection_products (
  store_id bigint not null references stores,
  product_id text not null,
  collection_id text not null,
  -- In which it was seen last.
  reading int not null,
  primary key (store_id, product_id, collection_id)
);
create index loyalty_collection_products_by_collection on loyalty_collection_products (store_id, collection_id);
select protect_table('loyalty_collection_products');

-- How many collections of the store were read to their end first, so far.
alter table loyalty_stores add column collections_read int not null default 0;

-- In which of these collections the products of an order were when it counted first: a later change of a collection changes nothing of it.
create table loyalty_order_collections (
  store_id bigint not null references stores,
  order_id bigint not null,
  -- Collections up to this number are in it.
  known int not null,
  -- By product, the collections that have it. A product that is in none is left out.
  matches jsonb not null,
  primary key (store_id, order_id),
  foreign key (store_id, order_id) references orders
);
select protect_table('loyalty_order_collections');

-- Orders that rules count when these collections are read.
create table loyalty_waiting_orders (
  store_id bigint not null references stores,
  collection_id text not null,
  order_id bigint not null,
  primary key (store_id, collection_id, order_id),
  foreign key (store_id, order_id) references orders
);
select protect_table('loyalty_waiting_orders');
