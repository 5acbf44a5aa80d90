-- expand: code from 0016 can run on this schema.
-- What discounts of grants take off the next cycle on the platform's contract, as it was last read.
alter table subscriptions add column granted_discount_minor bigint not null default 0 check (granted_discount_minor >= 0);
