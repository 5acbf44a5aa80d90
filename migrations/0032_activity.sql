-- The history of each contract as people read it: who did what, when, and with which note.
create table contract_activities (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  subscription_id bigint not null,
  -- Whose contract it was; it follows when the platform merges customers.
  member_id bigint not null,
  -- One of a closed list (src/subscriptions/activity.ts), which grows with the service.
  kind text not null check (kind ~ '^[a-z_]{3,40}$'),
  actor text not null check (actor ~ '^[a-z_]{3,40}$'),
  actor_id text check (length(actor_id) between 1 and 200),
  text text not null check (length(text) between 1 and 500),
  notes text check (length(notes) between 1 and 1024),
  -- As they were then.
  plan_group_name text,
  plan_name text not null,
  refs jsonb not null default '{}',
  -- What led to it, once: a repetition of the same operation writes nothing.
  cause text check (length(cause) between 1 and 300),
  -- The store's time, and the time it was written at.
  occurred_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (store_id, id),
  foreign key (store_id, subscription_id) references subscriptions,
  foreign key (store_id, member_id) references members
);
create unique index contract_activities_by_cause on contract_activities (store_id, cause) where cause is not null;
create index contract_activities_by_subscription on contract_activities (store_id, subscription_id, id desc);
select protect_table('contract_activities');

-- What was written stays as it was. Only a person's words may be taken out again, and a merged customer's be handed on.
create function keep_activities() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.notes is null or new.notes = old.notes)
     and (to_jsonb(new) - 'notes' - 'member_id') = (to_jsonb(old) - 'notes' - 'member_id') then
    return new;
  end if;
  raise exception 'An activity is never changed or removed (activity % of store %)', old.id, old.store_id;
end $$;
create trigger keep_activities before update or delete on contract_activities
  for each row execute function keep_activities();

-- Until when a cancellation of ours can be taken back: so long the platform's contract is only paused. Null once that time is
-- over, and where there was none.
alter table subscriptions add column grace_ends_at timestamptz check (grace_ends_at is null or status = 'cancelled');
create index subscriptions_in_grace on subscriptions (store_id, grace_ends_at) where grace_ends_at is not null;

-- A change of terms that somebody asked for and the platform's contract does not have yet. Null: stays as it is.
create table subscription_changes (
  store_id bigint not null references stores,
  subscription_id bigint not null,
  plan_id bigint,
  price_minor bigint check (price_minor >= 0),
  interval text check (interval in ('day', 'week', 'month', 'year')),
  interval_count integer check (interval_count between 1 and 28),
  platform_payment_method_id text check (length(platform_payment_method_id) between 1 and 255),
  actor text not null check (actor ~ '^[a-z_]{3,40}$'),
  actor_id text check (length(actor_id) between 1 and 200),
  requested_at timestamptz not null,
  -- Raised when another request takes the place of this one, so that work on the earlier one does not end it.
  version integer not null default 1,
  primary key (store_id, subscription_id),
  foreign key (store_id, subscription_id) references subscriptions,
  foreign key (store_id, plan_id) references plans,
  check ((interval is null) = (interval_count is null)),
  check (num_nonnulls(plan_id, price_minor, interval, platform_payment_method_id) > 0)
);
select protect_table('subscription_changes');
