-- expand: code from 0001 can run on this schema.
-- Faults of charges by script, and what it takes to count the effective charges of each billing period.
alter table sandbox.shops
  add column charge_faults jsonb,
  -- Fields that are withheld from the app whatever its scopes: Order.email.
  add column withheld_fields text[] not null default '{}';

-- How many cycles the contract had before its present numbering: an edit may begin to count at 1 again.
alter table sandbox.contracts add column cycles_before integer not null default 0;

alter table sandbox.billing_attempts
  -- The numbering that `cycle_index` belongs to.
  add column cycles_before integer not null default 0,
  -- The date of the cycle when the attempt was made. It stays, however the cycles are numbered later.
  add column period_at timestamptz,
  -- A payment of a cycle that was paid before, from a shop that is scripted to allow it.
  add column paid_again boolean not null default false,
  -- The key of an attempt whose key is forgotten: `idempotency_key` then has another text, so that the key can be used again.
  add column shown_key text;

drop index sandbox.billing_attempts_paid_once;
create unique index billing_attempts_paid_once on sandbox.billing_attempts (store_id, contract_id, cycles_before, cycle_index)
  where status = 'succeeded' and not paid_again;
