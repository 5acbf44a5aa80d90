-- expand: code from 0016 can run on this schema.
-- What the discounts of the customer's membership take off the price of a cycle on the platform's contract, as it was last read.
alter table subscriptions add column member_discount_minor bigint not null default 0 check (member_discount_minor >= 0);
create index subscriptions_with_member_discount on subscriptions (store_id) where member_discount_minor > 0;
