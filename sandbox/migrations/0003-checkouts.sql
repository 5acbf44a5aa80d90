-- expand: code from 0001 can run on this schema.
-- Checkouts whose payment the customer has to confirm at the bank first (3-D Secure). The others happen at once and have no row.
create table sandbox.checkouts (
  store_id bigint not null,
  -- Opens the page on which the payment is confirmed or refused.
  challenge text not null,
  customer_id bigint not null,
  selling_plan_id bigint not null,
  amount_minor bigint not null,
  currency text not null,
  status text not null default 'open' check (status in ('open', 'paid', 'refused', 'expired')),
  contract_id bigint,
  created_at timestamptz not null,
  primary key (store_id, challenge),
  check ((status = 'paid') = (contract_id is not null))
);
grant select, insert, update, delete on sandbox.checkouts to perennial_operator, perennial_store;
