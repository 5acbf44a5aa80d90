-- expand: code from 0016 can run on this schema.
-- What operators have entered for the storefront: one row for each setting that was changed, as the text of its metafield.
create table storefront_settings (
  store_id bigint not null references stores,
  key text not null,
  value text not null,
  updated_at timestamptz not null,
  primary key (store_id, key)
);
select protect_table('storefront_settings');

-- Gifts with an order were a setting of stores before.
insert into storefront_settings (store_id, key, value, updated_at)
select store_id, 'order_gift', '{"enabled":1}', updated_at from stores where settings -> 'orderGift' ->> 'enabled' = 'on';
