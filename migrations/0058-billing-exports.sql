-- expand: code from 0016 can run on this schema.
-- The latest finished charge of a subscription.
create index billing_attempts_finished on billing_attempts (store_id, subscription_id, completed_at desc, id desc)
  where completed_at is not null and coalesce(error_code, '') not in ('voided', 'superseded');
