-- expand: code from 0016 can run on this schema.
-- An order is found by its name or its number.
create index orders_by_name on orders (store_id, lower(name));
create index orders_by_number on orders (store_id, number);
