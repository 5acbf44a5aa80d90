-- Every customer of the platform that the service knows has a row. One who holds or held a subscription is a member
-- (status is not null).
create table members (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  platform_customer_id text not null check (platform_customer_id ~ '^[0-9]{1,20}$'),
  email text check (length(email) <= 320),
  first_name text check (length(first_name) <= 200),
  last_name text check (length(last_name) <= 200),
  country_code text,
  province_code text,
  birth_date date,
  -- Fields changed by our API that the platform does not have yet. The platform's values of them are older than ours.
  profile_pending text[] not null default '{}' check (profile_pending <@ '{email,first_name,last_name}'),
  status text check (status in ('active', 'paused', 'cancelled')),
  plan_id bigint,
  member_since timestamptz,
  next_billing_at timestamptz,
  -- The platform's own time of its last change. An older message changes nothing.
  platform_updated_at timestamptz,
  -- The customer that the platform merged this one into. The rows of this one stay where they were written.
  merged_into bigint,
  platform_deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, platform_customer_id),
  foreign key (store_id, plan_id) references plans,
  constraint members_merged_into_fkey foreign key (store_id, merged_into) references members,
  check ((status is null) = (member_since is null))
);
create index members_by_email on members (store_id, lower(email));
-- One index per facet of the list: all, by status, by plan, by plan and status.
create index members_newest on members (store_id, created_at desc, id desc) where status is not null;
create index members_by_status on members (store_id, status, created_at desc, id desc) where status is not null;
create index members_newest_of_plan on members (store_id, plan_id, created_at desc, id desc)
  where status is not null and plan_id is not null;
create index members_of_plan_by_status on members (store_id, plan_id, status, created_at desc, id desc)
  where status is not null and plan_id is not null;
select protect_table('members');
