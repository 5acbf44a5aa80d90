-- expand: code from 0016 can run on this schema.
-- What automatic discounts took off an order, by their titles: [{title, amountMinor}]. Null where there were none, or nobody has said so.
alter table orders add column automatic_discounts jsonb;
