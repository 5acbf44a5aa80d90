-- What is due is taken in the order of its date and, where dates tie, of its id. Many tie: after an import, or at midnight. The
-- indexes have the whole order, or each claim would sort all that tie.
create index subscriptions_due_in_order on subscriptions (store_id, billing_due_at, id) where billing_due_at is not null;
drop index subscriptions_due;
alter index subscriptions_due_in_order rename to subscriptions_due;

create index subscriptions_resuming_in_order on subscriptions (store_id, resumes_at, id) where resumes_at is not null;
drop index subscriptions_resuming;
alter index subscriptions_resuming_in_order rename to subscriptions_resuming;

create index billing_attempts_to_check_in_order on billing_attempts (store_id, check_at, id) where status = 'pending';
drop index billing_attempts_to_check;
alter index billing_attempts_to_check_in_order rename to billing_attempts_to_check;

create index jobs_due_in_order on jobs (store_id, run_at, id);
drop index jobs_due;
alter index jobs_due_in_order rename to jobs_due;
