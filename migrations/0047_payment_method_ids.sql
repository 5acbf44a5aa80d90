-- Which of its customer's payment methods a contract is charged to, by the last part of its global id: two cards can look the same.
-- Null where that has not been seen yet.
alter table subscriptions add column platform_payment_method_id text;
