-- expand: code from 0016 can run on this schema.
-- The platform's number of the gift card that paid an order, or that a refund went back to.
alter table order_transactions add column gift_card_id text check (gift_card_id ~ '^[0-9]{1,20}$');
create index order_transactions_by_gift_card on order_transactions (store_id, gift_card_id) where gift_card_id is not null;
