-- An attempt that somebody asked for, outside the ladder of retries. While it is under way the ladder waits; after a
-- decline it goes on with the retry that had been announced.
alter table billing_attempts add column manual boolean not null default false;
alter table billing_attempts add column ladder_retry_at timestamptz check (ladder_retry_at is null or manual);
-- A payment method that comes while an attempt is under way: nobody knows which one that attempt meets.
alter table billing_attempts add column new_payment_method boolean not null default false;
