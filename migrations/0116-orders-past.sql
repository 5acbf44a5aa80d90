-- expand: code from 0016 can run on this schema.
-- Since when a store's orders have consequences on the platform (store time): its connection. What was placed before gets no tags of ours.
-- A store that was connected by an earlier version has no row, and tags all of its orders as before.
create table order_beginnings (
  store_id bigint not null references stores,
  begins_at timestamptz not null,
  primary key (store_id)
);
select protect_table('order_beginnings');
