-- expand: code from 0016 can run on this schema.
-- Charges that wait for a person are few among those that failed: `perennial status` looks for them in all stores every half minute.
create index billing_attempts_held on billing_attempts (store_id, subscription_id, cycle_index)
  where status = 'failed' and error_code in ('already_paid', 'contract_not_billable', 'invalid_order', 'not_accepted');
