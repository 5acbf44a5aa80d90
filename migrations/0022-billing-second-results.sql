-- expand: code from 0016 can run on this schema.
-- What the platform says of a charge after it has said something else, or beside our charge.
alter table billing_attempts
  -- When the platform reported a success as failed. It stays a success: the order is there, and a person has to look at it.
  add column reversed_at timestamptz,
  -- The platform's attempt that has paid the cycle without us while the outcome of ours was unknown.
  add column other_payment_id text;
create index billing_attempts_reversed on billing_attempts (store_id, id) where reversed_at is not null;
