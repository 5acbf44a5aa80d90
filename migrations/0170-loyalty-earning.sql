-- expand: code from 0016 can run on this schema.
-- What a rule said at a time: what was counted by one stays with it, so that a change of a rule changes nothing that was earned.
create table loyalty_rule_versions (
  store_id bigint not null references stores,
  rule_id bigint not null,
  version int not null check (version >= 1),
  rules jsonb not null,
  reward_rules jsonb not null,
  created_at timestamptz not null,
  primary key (store_id, rule_id, version),
  foreign key (store_id, rule_id) references loyalty_rules
);
select protect_table('loyalty_rule_versions');
alter table loyalty_rules add column version int not null default 1 check (version >= 1);
insert into loyalty_rule_versions (store_id, rule_id, version, rules, reward_rules, created_at)
select store_id, id, 1, rules, reward_rules, updated_at from loyalty_rules;

-- What a rule has counted of one cause: an order, a birthday, an action that was reported. A cause counts once for a customer.
create table loyalty_counts (
  store_id bigint not null references stores,
  rule_id bigint not null,
  member_id bigint not null,
  cause text not null check (length(cause) between 1 and 250),
  version int not null,
  -- A number of times, or minor units of money: the rule's type knows. 0: it counts no more.
  amount bigint not null check (amount >= 0),
  order_id bigint,
  counted_at timestamptz not null,
  primary key (store_id, rule_id, member_id, cause),
  foreign key (store_id, rule_id, version) references loyalty_rule_versions,
  foreign key (store_id, member_id) references members,
  foreign key (store_id, order_id) references orders
);
create index loyalty_counts_of_order on loyalty_counts (store_id, order_id) where order_id is not null;
create index loyalty_counts_by_member on loyalty_counts (store_id, member_id);
select protect_table('loyalty_counts');

-- How far a customer is with a rule: what was counted, and what of that has led to rewards.
create table loyalty_progress (
  store_id bigint not null references stores,
  member_id bigint not null,
  rule_id bigint not null,
  counted bigint not null check (counted >= 0),
  -- Of a rule with a goal: how much the rewards that stand have used of it. Of any other: how many stand.
  rewarded bigint not null check (rewarded >= 0),
  primary key (store_id, member_id, rule_id),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, rule_id) references loyalty_rules
);
select protect_table('loyalty_progress');

-- A reward that a rule has given to a customer. It stands until it is reversed.
create table loyalty_awards (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  rule_id bigint not null,
  version int not null,
  member_id bigint not null,
  -- The cause, or goal:<n> of the n-th goal; one key has one award that stands.
  key text not null check (length(key) between 1 and 250),
  nth int not null check (nth >= 1),
  -- What was counted of the cause; of a goal: what has to be counted in all.
  amount bigint not null check (amount > 0),
  order_id bigint,
  points bigint check (points > 0),
  points_entry_id bigint,
  credit_entry_id bigint,
  given_at timestamptz not null,
  reversed_at timestamptz,
  primary key (store_id, id),
  unique (store_id, rule_id, member_id, key, nth),
  foreign key (store_id, rule_id, version) references loyalty_rule_versions,
  foreign key (store_id, member_id) references members,
  foreign key (store_id, order_id) references orders,
  foreign key (store_id, points_entry_id) references points_entries,
  foreign key (store_id, credit_entry_id) references credit_entries
);
create unique index loyalty_awards_standing on loyalty_awards (store_id, rule_id, member_id, key) where reversed_at is null;
create index loyalty_awards_by_member on loyalty_awards (store_id, member_id, id);
select protect_table('loyalty_awards');
