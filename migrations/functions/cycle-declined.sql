-- Whether the cycle of an attempt was declined before that attempt.
create or replace function cycle_declined(store bigint, subscription bigint, cycle integer, number integer)
returns boolean language sql stable as $$
  select exists (
    select from billing_attempts e
     where e.store_id = store and e.subscription_id = subscription and e.cycle_index = cycle
       and e.attempt_number < number and e.status = 'failed' and e.error_code not in ('voided', 'superseded'))
$$;
