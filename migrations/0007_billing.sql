create table billing_attempts (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  subscription_id bigint not null,
  cycle_index integer not null check (cycle_index >= 1),
  attempt_number integer not null check (attempt_number >= 1),
  status text not null check (status in ('pending', 'success', 'failed')),
  -- Stored before the platform is called; the same for every call of this attempt.
  idempotency_key text not null,
  amount_minor bigint not null check (amount_minor >= 0),
  currency text not null,
  scheduled_at timestamptz not null,
  -- Set when a call to the platform begins: from then on the outcome is the platform's to tell.
  submitted_at timestamptz,
  platform_attempt_id text,
  -- When a pending attempt must be sent or asked after (store time).
  check_at timestamptz,
  checks integer not null default 0,
  action_url text,
  error_code text,
  error_message text,
  decline_code text,
  retry_at timestamptz,
  attempts_remaining integer not null default 0 check (attempts_remaining >= 0),
  order_id bigint,
  payment_method jsonb,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  created_at timestamptz not null,
  completed_at timestamptz,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, idempotency_key),
  foreign key (store_id, subscription_id) references subscriptions,
  foreign key (store_id, order_id) references orders,
  check ((status = 'pending') = (completed_at is null)),
  check ((status = 'pending') = (check_at is not null)),
  check ((status = 'failed') = (error_code is not null)),
  check (status = 'failed' or retry_at is null)
);
-- One cycle is charged at most once: it can have one attempt that is open or succeeded.
create unique index billing_attempts_once on billing_attempts (store_id, subscription_id, cycle_index)
  where status in ('pending', 'success');
create index billing_attempts_to_check on billing_attempts (store_id, check_at) where status = 'pending';
create index billing_attempts_by_subscription on billing_attempts (store_id, subscription_id, id);
create index billing_attempts_newest on billing_attempts (store_id, scheduled_at desc, id desc);
create index billing_attempts_leased on billing_attempts (lease_owner) where lease_owner is not null;
select protect_table('billing_attempts');
