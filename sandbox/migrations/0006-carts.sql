-- expand: code from 0001 can run on this schema.
-- What an order of a whole cart has beside its lines. An order from before has none of it.
alter table sandbox.orders
  add column tax_minor bigint not null default 0,
  -- {title, percent}
  add column tax jsonb,
  -- {id, title, priceMinor, discountMinor}
  add column shipping_line jsonb,
  -- [{name, value}]
  add column attributes jsonb not null default '[]',
  -- Whole addresses; null: the country and the province are all that is known.
  add column shipping_address jsonb,
  add column billing_address jsonb,
  -- The cart of a browser that it was bought from: a cart is bought once.
  add column cart_token text;
create unique index orders_by_cart on sandbox.orders (store_id, cart_token) where cart_token is not null;

alter table sandbox.transactions
  -- What paid besides a card: {creditAccountId} or {giftCardId, lastCharacters}.
  add column paid_from jsonb;
