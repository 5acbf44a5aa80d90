-- A charge that its customer has to confirm: since when that is known, how often they were reminded, and when the next
-- reminder is due. The link is action_url.
alter table billing_attempts
  add column action_required_at timestamptz,
  add column action_reminders integer not null default 0 check (action_reminders >= 0),
  add column remind_at timestamptz,
  add check (remind_at is null or (status = 'pending' and action_required_at is not null));
create index billing_attempts_to_remind on billing_attempts (store_id, remind_at, id) where remind_at is not null;

-- The store credit that a paid cycle issues: that of the version of the plan which it runs under. Null when it
-- issues none.
create function cycle_credit(store bigint, subscription bigint) returns bigint language sql stable as $$
  select v.credit_minor
    from subscriptions s
    join plans p on p.store_id = s.store_id and p.id = s.plan_id
    join plan_versions v on v.store_id = s.store_id and v.plan_id = s.plan_id and v.version = s.plan_version
    join stores t on t.store_id = s.store_id and t.currency = p.currency
   where s.store_id = store and s.id = subscription and p.credit_type = 'storecredit' and v.credit_minor > 0
$$;

-- The sandbox gives its customers a week to confirm a payment.
update sandbox.billing_attempts set answer_at = answer_at + interval '7 days' where status = 'challenged';
create index billing_attempts_to_expire on sandbox.billing_attempts (store_id, answer_at, id) where status = 'challenged';
