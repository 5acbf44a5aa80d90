-- expand: code from 0001 can run on this schema.
-- The transaction of an order that moved the credit; null for an adjustment, and for what moved before.
alter table sandbox.credit_transactions add column order_transaction_id bigint;
