-- expand: code from 0016 can run on this schema.
-- Counts from which the lists of events and deliveries know their totals.

-- Of the facts with this name, `through` have a position up to counted_to, counted since counting began: the difference of two rows
-- is exact, a row by itself says nothing. A row for each block of 256 positions in which the name occurs.
create table event_counts (
  store_id bigint not null references stores,
  name text not null,
  counted_to bigint not null check (counted_to % 256 = 0),
  through bigint not null,
  primary key (store_id, name, counted_to)
);
select protect_table('event_counts');

-- Up to which position facts are in event_counts.
create table event_count_marks (
  store_id bigint primary key references stores,
  counted_to bigint not null check (counted_to % 256 = 0)
);
select protect_table('event_count_marks');

-- How many deliveries of an endpoint were made on a day of webhook_deliveries. Counted when they are made, and once more when no
-- more can be made on that day: what older code made is counted then.
create table webhook_delivery_counts (
  store_id bigint not null references stores,
  endpoint_id bigint not null,
  day date not null,
  deliveries bigint not null,
  is_final boolean not null default false,
  primary key (store_id, endpoint_id, day),
  foreign key (store_id, endpoint_id) references webhook_endpoints
) with (fillfactor = 50);
create index webhook_delivery_counts_by_day on webhook_delivery_counts (day);
select protect_table('webhook_delivery_counts');
