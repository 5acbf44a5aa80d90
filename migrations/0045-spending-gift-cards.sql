-- expand: code from 0016 can run on this schema.
-- The gift cards that we have made for customers on the platform.
create table spending_gift_cards (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  member_id bigint not null,
  -- making: it may exist there. active: it has what the customer can spend. spare: to be kept empty. closed: it cannot be spent any more.
  status text not null check (status in ('making', 'active', 'spare', 'closed')),
  -- Encrypted; null where it is not known, or was erased.
  code bytea,
  last_characters text not null,
  -- In the card's note: by it the card is known to be ours.
  reference text not null,
  platform_gift_card_id text,
  -- As of spending_accounts: the sum of the card's transactions.
  mirrored_minor bigint not null default 0,
  last_key text,
  created_at timestamptz not null,
  -- When the platform was asked to send it to the customer, once.
  notified_at timestamptz,
  closed_at timestamptz,
  primary key (store_id, id),
  foreign key (store_id, member_id) references members
);
create unique index spending_gift_cards_in_use on spending_gift_cards (store_id, member_id) where status in ('making', 'active');
create unique index spending_gift_cards_by_platform on spending_gift_cards (store_id, platform_gift_card_id)
  where platform_gift_card_id is not null;
create index spending_gift_cards_by_member on spending_gift_cards (store_id, member_id);
select protect_table('spending_gift_cards');

-- Of a gift card and not of the account. `reference` is in the note of the card's transaction.
alter table credit_pushes
  add column gift_card_id bigint,
  add column reference text,
  add foreign key (store_id, gift_card_id) references spending_gift_cards;
create index credit_pushes_by_gift_card on credit_pushes (store_id, gift_card_id) where gift_card_id is not null;

alter table platform_credit_transactions
  add column gift_card_id bigint,
  -- The payment or refund of an order that it was: a card's transaction does not say so.
  add column order_transaction_id bigint,
  add foreign key (store_id, gift_card_id) references spending_gift_cards,
  add foreign key (store_id, order_transaction_id) references order_transactions;
create index platform_credit_transactions_by_gift_card on platform_credit_transactions (store_id, gift_card_id)
  where gift_card_id is not null;
create unique index platform_credit_transactions_by_payment on platform_credit_transactions (store_id, order_transaction_id)
  where order_transaction_id is not null;
