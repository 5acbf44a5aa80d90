-- How many cycles were paid: a fixed number of them is counted in these, since cycles that fall into a pause or an outage are
-- passed over and take none.
alter table subscriptions add column cycles_paid integer not null default 0 check (cycles_paid >= 0);
update subscriptions s
   set cycles_paid = p.attempts
         + (s.cycle_index >= 1 and (p.attempts = 0 or (s.origin_order_id is not null and s.trial_ends_at is null)))::int
  from (select s.store_id, s.id,
               (select count(*) from billing_attempts a
                 where a.store_id = s.store_id and a.subscription_id = s.id and a.status = 'success') as attempts
          from subscriptions s) p
 where p.store_id = s.store_id and p.id = s.id;

-- Definite failures of the cycle being billed because goods are not there: they have a ladder of their own.
alter table subscriptions add column inventory_failures integer not null default 0 check (inventory_failures >= 0);
-- When a charge that waits for a new payment method is given up. Null: nothing waits, or it waits for ever.
alter table subscriptions add column gives_up_at timestamptz
  check (gives_up_at is null or (status = 'active' and billing_due_at is null));
create index subscriptions_giving_up on subscriptions (store_id, gives_up_at, id) where gives_up_at is not null;

-- The date of the cycle, the same for all its attempts: by it the platform is told which of its own cycles to charge, so that
-- it refuses a second payment of one.
alter table billing_attempts add column cycle_at timestamptz;
-- What was asked for, where the platform charged another amount; amount_minor is then what it charged.
alter table billing_attempts add column asked_minor bigint check (asked_minor >= 0);
-- How often the platform refused to take the attempt for reasons that say nothing of the card.
alter table billing_attempts add column refusals integer not null default 0;
-- A success that came after a decline of the same cycle.
alter table billing_attempts add column recovered boolean not null default false;
-- When the platform told that an attempt had succeeded which it had told as failed. It then is a success; where another attempt
-- of the cycle was under way or paid it stays failed until that one ends: a cycle has one attempt that is open or paid.
alter table billing_attempts add column late_success_at timestamptz;
-- The subscription had been stopped when the success became known. Nothing is paid back by itself.
alter table billing_attempts add column charged_after_stop boolean not null default false;
create index billing_attempts_late on billing_attempts (store_id, subscription_id, cycle_index)
  where late_success_at is not null and status = 'failed';

update billing_attempts a set recovered = true
 where a.status = 'success' and a.attempt_number > 1
   and cycle_declined(a.store_id, a.subscription_id, a.cycle_index, a.attempt_number);

-- Neither one that was voided nor one whose place an earlier one took ever reached the platform.
create or replace function attempt_figures(status text, error_code text, amount_minor bigint, recovered boolean, opened date, ended date)
returns table (day date, figure text, amount numeric) language sql immutable as $$
  select m.day, m.figure, m.amount
    from (values
      (opened, 'charges_pending', 1::numeric),
      (ended, 'charges_pending', -1),
      (ended, 'charges_succeeded', (status = 'success')::int),
      (ended, 'charges_failed', (status = 'failed' and error_code not in ('voided', 'superseded'))::int),
      (ended, 'revenue', case when status = 'success' then amount_minor else 0 end),
      (ended, 'recovered', case when status = 'success' and recovered then amount_minor else 0 end)
    ) m(day, figure, amount)
   where m.day is not null and m.amount <> 0
$$;

create or replace function cycle_declined(store bigint, subscription bigint, cycle integer, number integer)
returns boolean language sql stable as $$
  select exists (
    select from billing_attempts e
     where e.store_id = store and e.subscription_id = subscription and e.cycle_index = cycle
       and e.attempt_number < number and e.status = 'failed' and e.error_code not in ('voided', 'superseded'))
$$;
