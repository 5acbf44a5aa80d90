-- expand: code from 0016 can run on this schema.
-- Locked by each change of the configuration of loyalty, so that limits, places and the length of metafields hold for changes at once.
create table loyalty_stores (
  store_id bigint primary key references stores,
  changed_at timestamptz not null
);
select protect_table('loyalty_stores');

-- For what customers earn. What `rules` and `reward_rules` hold follows from the type (src/loyalty/rules); a new type needs no migration.
create table loyalty_rules (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  type text not null,
  name text not null check (length(name) between 1 and 255),
  description text not null check (length(description) <= 1000),
  rules jsonb not null,
  reward_rules jsonb not null,
  is_enabled boolean not null,
  -- Days of the shop, both inclusive.
  starts_on date not null,
  ends_on date,
  -- When it begins or ends next, by the store's clock; null: it does not by itself.
  due_at timestamptz,
  -- An archived rule is not listed any more; what was earned by it names it.
  archived_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  check (ends_on >= starts_on),
  check (archived_at is null or not is_enabled),
  check (is_enabled or due_at is null)
);
create index loyalty_rules_listed on loyalty_rules (store_id, id) where archived_at is null;
create index loyalty_rules_due on loyalty_rules (store_id, due_at) where due_at is not null;
select protect_table('loyalty_rules');

create table loyalty_tiers (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 255),
  description text not null check (length(description) <= 1000),
  is_active boolean not null,
  entry_rules jsonb not null,
  reward_rules jsonb not null,
  -- 150: points are multiplied by 1.5.
  multiplier_hundredths int not null check (multiplier_hundredths between 1 and 10000),
  -- Its place among the tiers; the lowest tier has the lowest.
  place int not null check (place between 0 and 1000),
  -- '' for none.
  tag text not null check (length(tag) <= 255),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, place)
);
create unique index loyalty_tiers_name on loyalty_tiers (store_id, lower(name));
create unique index loyalty_tiers_tag on loyalty_tiers (store_id, lower(tag)) where tag <> '';
select protect_table('loyalty_tiers');

-- What points can buy.
create table loyalty_templates (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  name text not null check (length(name) between 1 and 255),
  type text not null check (type in ('percentage', 'fixed_amount')),
  rules jsonb not null,
  required_points bigint not null check (required_points > 0),
  code_prefix text not null check (length(code_prefix) <= 20),
  is_enabled boolean not null,
  -- Store time; null: from now on, and without end.
  starts_at timestamptz,
  ends_at timestamptz,
  -- When it begins or ends next; null: it does not by itself.
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  check (ends_at > starts_at),
  check (is_enabled or due_at is null)
);
create index loyalty_templates_due on loyalty_templates (store_id, due_at) where due_at is not null;
select protect_table('loyalty_templates');
