-- expand: code from 0016 can run on this schema.
-- What discounts took off `shipping_minor`, which is the price before them. Null for orders whose details are from before.
alter table orders add column shipping_discount_minor bigint;
