-- The store credit that a paid cycle has to issue: that of its plan's version when it was paid. Null: none. Of earlier ones it is what was issued.
alter table billing_attempts add column credit_minor bigint check (credit_minor is null or (status = 'success' and credit_minor > 0));
update billing_attempts a set credit_minor = e.amount_minor
  from credit_entries e
 where e.store_id = a.store_id and e.operation_id = 'charge:ba_' || a.id and a.status = 'success';
