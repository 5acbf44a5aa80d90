-- expand: code from 0016 can run on this schema.
-- The newest order of a customer that has an address.
create index orders_with_address on orders (store_id, member_id, processed_at desc, id desc)
  where country_code is not null or province is not null;
