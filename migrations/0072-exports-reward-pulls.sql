-- expand: code from 0016 can run on this schema.
-- From where the balances of an integration of reward points are pulled, and how far that is. All times are real time. A pull goes with its
-- integration, also where code from before removes that.
create table reward_pulls (
  store_id bigint not null references stores,
  key text not null,
  url text not null,
  every_minutes integer not null check (every_minutes between 5 and 1440),
  -- The value of the header, encrypted for this URL; null where none is sent.
  sealed_authorization bytea,
  -- Null while the integration is inactive.
  next_at timestamptz,
  -- Of the pull that is under way, or of the last one. `page_after` is the cursor of its next page, null at the first.
  page_after text,
  pages bigint not null default 0,
  received bigint not null default 0,
  stored bigint not null default 0,
  unknown bigint not null default 0,
  started_at timestamptz,
  finished_at timestamptz,
  failures integer not null default 0,
  last_error text,
  failing_since timestamptz,
  lease_token bigint not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  primary key (store_id, key),
  foreign key (store_id, key) references reward_integrations on delete cascade
) with (fillfactor = 80);
create index reward_pulls_due on reward_pulls (store_id, next_at);
select protect_table('reward_pulls');
