-- expand: code from 0016 can run on this schema.
-- New contracts of plans that are not sold everywhere, until it is known whether their customers may have them.
create table country_checks (
  store_id bigint not null references stores,
  subscription_id bigint not null,
  -- Store time: at once, and again before the first renewal while no country is known.
  due_at timestamptz not null,
  primary key (store_id, subscription_id),
  foreign key (store_id, subscription_id) references subscriptions
);
create index country_checks_due on country_checks (store_id, due_at);
select protect_table('country_checks');
