-- expand: code from 0016 can run on this schema.
-- The price of one of what the plan sells, before discounts, whatever else the contract has; tells a list price from one that was
-- agreed with one person. Null: not one price, or the contract was not read since.
alter table subscriptions add column unit_price_minor bigint check (unit_price_minor >= 0);
