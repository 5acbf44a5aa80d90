-- expand: code from 0001 can run on this schema.
create sequence sandbox.gift_card_ids start 654879129906 increment 3;
create sequence sandbox.gift_card_transaction_ids start 308879129906 increment 3;

create table sandbox.gift_cards (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.gift_card_ids'),
  -- In lower case. It is shown only once, but the checkout has to find it.
  code text not null,
  customer_id bigint,
  currency text not null,
  initial_minor bigint not null,
  balance_minor bigint not null check (balance_minor >= 0),
  note text,
  template_suffix text,
  -- The last day on which it can be spent.
  expires_on date,
  -- {customerId, preferredName, message, sendNotificationAt}
  recipient jsonb,
  deactivated_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, code)
);
create index gift_cards_by_customer on sandbox.gift_cards (store_id, customer_id, id);

create table sandbox.gift_card_transactions (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.gift_card_transaction_ids'),
  gift_card_id bigint not null,
  -- Signed: a debit is negative.
  amount_minor bigint not null,
  note text,
  processed_at timestamptz not null,
  primary key (store_id, id)
);
create index gift_card_transactions_by_card on sandbox.gift_card_transactions (store_id, gift_card_id, id);

grant select, insert, update, delete on sandbox.gift_cards, sandbox.gift_card_transactions to perennial_operator, perennial_store;
grant usage on sequence sandbox.gift_card_ids, sandbox.gift_card_transaction_ids to perennial_operator, perennial_store;
