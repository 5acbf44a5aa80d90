create table billing_attempts (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  subscription_id bigint not null,
  -- The subscription's plan when the attempt was made.
  plan_id bigint,
  cycle_index integer not null check (cycle_index >= 1),
  -- The date of the cycle, the same for all its attempts. The platform gets it to identify its own cycle, so that it
  -- refuses a second payment of that cycle.
  cycle_at timestamptz,
  attempt_number integer not null check (attempt_number >= 1),
  status text not null check (status in ('pending', 'success', 'failed')),
  -- Somebody requested this attempt, outside the retry schedule. The schedule waits meanwhile; after a decline it
  -- continues with the retry that had been announced.
  manual boolean not null default false,
  ladder_retry_at timestamptz,
  -- Stored before the platform is called; the same for every call of this attempt.
  idempotency_key text not null,
  amount_minor bigint not null check (amount_minor >= 0),
  -- The amount that was requested, if the platform charged another one; amount_minor is then what it charged.
  requested_minor bigint check (requested_minor >= 0),
  currency text not null,
  -- The store credit that the paid cycle has to issue, by its plan's version when it was paid. Null: none.
  credit_minor bigint,
  scheduled_at timestamptz not null,
  -- Set when a call to the platform begins. From then on only the platform knows the outcome.
  submitted_at timestamptz,
  platform_attempt_id text,
  -- When a pending attempt must be sent or its outcome requested (store time).
  check_at timestamptz,
  checks integer not null default 0,
  -- How often the platform refused to accept the attempt for reasons other than the card.
  refusals integer not null default 0,
  -- The page on which the customer confirms the payment, since when that is known, how many reminders were sent, and when
  -- the next one is due.
  action_url text,
  action_required_at timestamptz,
  action_reminders integer not null default 0 check (action_reminders >= 0),
  remind_at timestamptz,
  -- A payment method was added while the attempt was open; which one the attempt used is not known.
  new_payment_method boolean not null default false,
  error_code text,
  error_message text,
  decline_code text,
  retry_at timestamptz,
  attempts_remaining integer not null default 0 check (attempts_remaining >= 0),
  -- A success after a decline of the same cycle.
  recovered boolean not null default false,
  -- When the platform reported a success that it had reported as failed. The attempt becomes a success; if another attempt
  -- of the cycle is open or paid, it stays failed until that one ends, since a cycle has one attempt that is open or paid.
  late_success_at timestamptz,
  -- The subscription had been stopped when the success became known. Nothing is refunded automatically.
  charged_after_stop boolean not null default false,
  order_id bigint,
  payment_method jsonb,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (store_id, id),
  unique (store_id, idempotency_key),
  foreign key (store_id, subscription_id) references subscriptions,
  foreign key (store_id, order_id) references orders,
  check ((status = 'pending') = (completed_at is null)),
  check ((status = 'pending') = (check_at is not null)),
  check ((status = 'failed') = (error_code is not null)),
  check (status = 'failed' or retry_at is null),
  check (ladder_retry_at is null or manual),
  check (remind_at is null or (status = 'pending' and action_required_at is not null)),
  check (credit_minor is null or (status = 'success' and credit_minor > 0))
);
-- A cycle is charged at most once: it can have one attempt that is open or succeeded.
create unique index billing_attempts_one_open_or_paid on billing_attempts (store_id, subscription_id, cycle_index)
  where status in ('pending', 'success');
create index billing_attempts_to_check on billing_attempts (store_id, check_at, id) where status = 'pending';
create index billing_attempts_to_remind on billing_attempts (store_id, remind_at, id) where remind_at is not null;
create index billing_attempts_late on billing_attempts (store_id, subscription_id, cycle_index)
  where late_success_at is not null and status = 'failed';
-- Failed attempts that the platform knows: the reconciler asks for their outcome again.
create index billing_attempts_failed_by_completion on billing_attempts (store_id, completed_at, id)
  where status = 'failed' and platform_attempt_id is not null;
create index billing_attempts_by_subscription on billing_attempts (store_id, subscription_id, id);
create index billing_attempts_newest on billing_attempts (store_id, scheduled_at desc, id desc);
create index billing_attempts_by_status on billing_attempts (store_id, status, scheduled_at desc, id desc);
create index billing_attempts_leased on billing_attempts (lease_owner) where lease_owner is not null;
select protect_table('billing_attempts');
