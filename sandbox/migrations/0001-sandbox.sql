-- The sandbox: a commerce platform for demonstrations and tests, which stands in for the real one on this machine.
--
-- It is a separate product that shares our database, so it has a schema of its own, no foreign key leads in or out, and
-- there is no row-level security: a platform serves each shop by the credentials of the request, and nothing of ours
-- reads these tables. store_id is still first in every key and in every statement.
create schema sandbox;

-- Platform ids are unique over all shops and look like the real ones: large, and different per kind.
create sequence sandbox.shop_ids start 548380009 increment 7;
create sequence sandbox.customer_ids start 7064055069301 increment 3;
create sequence sandbox.product_ids start 7880321196742 increment 3;
create sequence sandbox.variant_ids start 44831562142830 increment 3;
create sequence sandbox.selling_plan_group_ids start 1039518922 increment 3;
create sequence sandbox.selling_plan_ids start 4161306891 increment 3;
create sequence sandbox.contract_ids start 9264106522 increment 3;
create sequence sandbox.draft_ids start 5402440842 increment 3;
create sequence sandbox.attempt_ids start 6112233001 increment 3;
create sequence sandbox.order_ids start 5820982911946 increment 3;
create sequence sandbox.line_item_ids start 13487817672276 increment 3;
create sequence sandbox.transaction_ids start 7120560818172 increment 3;
create sequence sandbox.refund_ids start 890088186047 increment 3;
create sequence sandbox.dispute_ids start 285332461850 increment 3;
create sequence sandbox.metafield_ids start 45359476998450 increment 3;
create sequence sandbox.metafield_definition_ids start 33593547694 increment 3;
create sequence sandbox.credit_account_ids start 1217691954 increment 3;
create sequence sandbox.credit_transaction_ids start 4217691954 increment 3;
create sequence sandbox.discount_ids start 1660207006002 increment 3;
create sequence sandbox.redeem_code_ids start 22275631350066 increment 3;
create sequence sandbox.webhook_subscription_ids start 1147595010 increment 3;
create sequence sandbox.bulk_operation_ids start 147595010 increment 3;
create sequence sandbox.revisions start 4690720903;

create table sandbox.shops (
  store_id bigint primary key,
  id bigint not null default nextval('sandbox.shop_ids'),
  domain text not null,
  name text not null,
  email text not null,
  timezone text not null,
  currency text not null,
  profile text not null check (profile in ('platform', 'shopify')),
  access_token_hash bytea not null,
  -- What the app and the platform share, to sign webhooks and proxied requests.
  app_secret text not null,
  proxy_secret text not null,
  app_proxy_url text,
  -- Scopes granted to the app; null grants them all.
  access_scopes text[],
  last_order_number integer not null default 1000,
  -- How long a billing attempt takes to be answered, on the shop's clock.
  resolve_delay_seconds integer not null default 0,
  -- The query-cost bucket. Large by default, so that demonstrations are not slow.
  cost_capacity integer not null default 100000,
  cost_restore_rate integer not null default 50000,
  -- Faults by script: of outgoing webhooks (with the number of messages so far), and of bulk operations.
  webhook_faults jsonb,
  faulty_messages bigint not null default 0,
  bulk_faults jsonb,
  created_at timestamptz not null
);
create index shops_by_domain on sandbox.shops (domain);

create table sandbox.customers (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.customer_ids'),
  email text,
  first_name text,
  last_name text,
  phone text,
  country text,
  province text,
  note text,
  tags text[] not null default '{}',
  orders_count integer not null default 0,
  spent_minor bigint not null default 0,
  -- What the card does next: `script` is used up one by one, then `outcome` holds.
  outcome text not null default 'success',
  script text[] not null default '{}',
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
);
create unique index customers_by_email on sandbox.customers (store_id, lower(email));

create table sandbox.payment_methods (
  store_id bigint not null,
  token text not null,
  customer_id bigint not null,
  brand text not null,
  last_digits text not null,
  expiry_month integer not null,
  expiry_year integer not null,
  holder text not null,
  revoked_at timestamptz,
  revoked_reason text,
  created_at timestamptz not null,
  primary key (store_id, token)
);
create index payment_methods_by_customer on sandbox.payment_methods (store_id, customer_id);

create table sandbox.products (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.product_ids'),
  title text not null,
  handle text not null,
  status text not null,
  tags text[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
);

create table sandbox.variants (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.variant_ids'),
  product_id bigint not null,
  title text not null,
  sku text,
  price_minor bigint not null,
  position integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
);
create index variants_by_product on sandbox.variants (store_id, product_id);

create table sandbox.selling_plan_groups (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.selling_plan_group_ids'),
  app_id text,
  name text not null,
  merchant_code text not null,
  description text,
  options text[] not null default '{}',
  position integer,
  product_ids bigint[] not null default '{}',
  created_at timestamptz not null,
  primary key (store_id, id)
);

create table sandbox.selling_plans (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.selling_plan_ids'),
  group_id bigint not null,
  name text not null,
  description text,
  category text,
  options text[] not null default '{}',
  position integer,
  -- {interval, intervalCount, minCycles, maxCycles, anchors}
  billing_policy jsonb not null,
  delivery_policy jsonb not null,
  -- [{afterCycle: null for a fixed policy, adjustmentType, amountMinor or percentage}]
  pricing_policies jsonb not null default '[]',
  created_at timestamptz not null,
  primary key (store_id, id)
);
create index selling_plans_by_group on sandbox.selling_plans (store_id, group_id);

create table sandbox.contracts (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.contract_ids'),
  customer_id bigint not null,
  status text not null check (status in ('ACTIVE', 'PAUSED', 'CANCELLED', 'EXPIRED', 'FAILED')),
  currency text not null,
  next_billing_at timestamptz,
  -- Cycle `cycle_anchor_index` is expected to be billed at `cycle_anchor_at`; the others lie intervals before and after.
  cycle_anchor_at timestamptz not null,
  cycle_anchor_index integer not null,
  billing_policy jsonb not null,
  delivery_policy jsonb not null,
  delivery_price_minor bigint not null default 0,
  payment_token text,
  origin_order_id bigint,
  note text,
  custom_attributes jsonb not null default '[]',
  lines jsonb not null,
  discounts jsonb not null default '[]',
  revision bigint not null default nextval('sandbox.revisions'),
  last_payment_status text,
  last_error_type text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
);
create index contracts_by_customer on sandbox.contracts (store_id, customer_id, id);

-- A draft holds a whole edited copy of its contract, and the revision that it was made from.
create table sandbox.drafts (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.draft_ids'),
  contract_id bigint not null,
  base_revision bigint not null,
  body jsonb not null,
  committed_at timestamptz,
  primary key (store_id, id)
);

create table sandbox.billing_attempts (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.attempt_ids'),
  contract_id bigint not null,
  idempotency_key text not null,
  cycle_index integer not null check (cycle_index >= 1),
  origin_at timestamptz,
  status text not null default 'pending' check (status in ('pending', 'challenged', 'succeeded', 'failed')),
  -- What the card was scripted to do when the attempt was made.
  outcome text not null,
  resolve_at timestamptz not null,
  error_code text,
  error_message text,
  order_id bigint,
  -- Opens the page on which a person confirms or refuses a challenged payment.
  challenge text,
  -- When an attempt that was reported as failed turns out to have been paid. Null: what was reported is true.
  corrected_at timestamptz,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (store_id, id),
  unique (store_id, contract_id, idempotency_key)
);
-- A paid cycle stays paid: whatever else goes wrong, it cannot be charged twice.
create unique index billing_attempts_paid_once on sandbox.billing_attempts (store_id, contract_id, cycle_index)
  where status = 'succeeded';
create index billing_attempts_to_resolve on sandbox.billing_attempts (store_id, resolve_at, id) where status = 'pending';
create index billing_attempts_to_expire on sandbox.billing_attempts (store_id, resolve_at, id) where status = 'challenged';
create index billing_attempts_to_correct on sandbox.billing_attempts (store_id, corrected_at, id) where corrected_at is not null;

create table sandbox.orders (
  store_id bigint not null,
  id bigint not null,
  number integer not null,
  customer_id bigint,
  contract_id bigint,
  email text,
  currency text not null,
  subtotal_minor bigint not null,
  discount_minor bigint not null default 0,
  shipping_minor bigint not null default 0,
  total_minor bigint not null,
  refunded_minor bigint not null default 0,
  financial_status text not null,
  -- [{id, productId, variantId, title, variantTitle, sku, quantity, priceMinor, discountMinor, sellingPlanId, sellingPlanName}]
  lines jsonb not null,
  -- [{code: null for an automatic or manual discount, title, amountMinor, percentage}]
  discounts jsonb not null default '[]',
  gateways text[] not null,
  tags text[] not null default '{}',
  note text,
  source_name text not null,
  country text,
  province text,
  cancelled_at timestamptz,
  cancel_reason text,
  created_at timestamptz not null,
  processed_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
);
create index orders_by_customer on sandbox.orders (store_id, customer_id, id);
create index orders_by_contract on sandbox.orders (store_id, contract_id, id) where contract_id is not null;

create table sandbox.transactions (
  store_id bigint not null,
  id bigint not null,
  order_id bigint not null,
  parent_id bigint,
  refund_id bigint,
  kind text not null,
  status text not null,
  gateway text not null,
  amount_minor bigint not null,
  currency text not null,
  -- {brand, lastDigits, expiryMonth, expiryYear, holder}, or null when no card was used.
  card jsonb,
  error_code text,
  created_at timestamptz not null,
  primary key (store_id, id)
);
create index transactions_by_order on sandbox.transactions (store_id, order_id, id);

create table sandbox.refunds (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.refund_ids'),
  order_id bigint not null,
  idempotency_key text,
  amount_minor bigint not null,
  currency text not null,
  note text,
  created_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, idempotency_key)
);
create index refunds_by_order on sandbox.refunds (store_id, order_id, id);

create table sandbox.disputes (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.dispute_ids'),
  order_id bigint not null,
  type text not null,
  status text not null,
  reason text not null,
  network_reason_code text,
  amount_minor bigint not null,
  currency text not null,
  initiated_at timestamptz not null,
  evidence_due_by timestamptz,
  evidence_sent_on timestamptz,
  finalized_on timestamptz,
  primary key (store_id, id),
  unique (store_id, order_id)
);

create table sandbox.metafields (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.metafield_ids'),
  -- The type in the owner's gid, and the number in it.
  owner_type text not null,
  owner_id bigint not null,
  namespace text not null,
  key text not null,
  type text not null,
  value text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, owner_type, owner_id, namespace, key)
);

create table sandbox.metafield_definitions (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.metafield_definition_ids'),
  owner_type text not null,
  namespace text not null,
  key text not null,
  name text not null,
  type text not null,
  access jsonb not null,
  primary key (store_id, id),
  unique (store_id, owner_type, namespace, key)
);

create table sandbox.credit_accounts (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.credit_account_ids'),
  customer_id bigint not null,
  currency text not null,
  balance_minor bigint not null default 0 check (balance_minor >= 0),
  primary key (store_id, id),
  unique (store_id, customer_id, currency)
);

create table sandbox.credit_transactions (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.credit_transaction_ids'),
  account_id bigint not null,
  -- Signed: a debit is negative.
  amount_minor bigint not null,
  balance_after_minor bigint not null,
  event text not null,
  expires_at timestamptz,
  created_at timestamptz not null,
  primary key (store_id, id)
);
create index credit_transactions_by_account on sandbox.credit_transactions (store_id, account_id, id);

create table sandbox.discounts (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.discount_ids'),
  kind text not null check (kind in ('DiscountCodeBasic', 'DiscountCodeBxgy', 'DiscountCodeFreeShipping', 'DiscountAutomaticApp')),
  title text not null,
  code text,
  redeem_code_id bigint not null default nextval('sandbox.redeem_code_ids'),
  starts_at timestamptz not null,
  ends_at timestamptz,
  -- The input as it came; the answers are made from it.
  body jsonb not null,
  usage_count integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
);
create unique index discounts_by_code on sandbox.discounts (store_id, lower(code));

create table sandbox.webhook_subscriptions (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.webhook_subscription_ids'),
  -- As the header says it: orders/create.
  topic text not null,
  uri text not null,
  name text,
  filter text,
  include_fields text[] not null default '{}',
  metafield_namespaces text[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, topic, uri)
);

create table sandbox.webhook_messages (
  store_id bigint not null,
  id bigint generated always as identity,
  webhook_id uuid not null,
  event_id uuid not null,
  -- Null for the compliance topics, which belong to the app and not to a subscription.
  subscription_id bigint,
  topic text not null,
  uri text not null,
  -- The exact text that is signed and sent, every time.
  body text not null,
  triggered_at timestamptz not null,
  -- A delivered message is removed.
  status text not null default 'waiting' check (status in ('waiting', 'failed')),
  tries integer not null default 0,
  next_try_at timestamptz not null,
  lease_token integer not null default 0,
  leased_until timestamptz,
  primary key (store_id, id)
);
-- Bodies are stored only briefly: compressing them costs more than their space.
alter table sandbox.webhook_messages alter column body set storage external;
create index webhook_messages_waiting on sandbox.webhook_messages (store_id, next_try_at, id) where status = 'waiting';

create table sandbox.bulk_operations (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.bulk_operation_ids'),
  status text not null,
  query text not null,
  error_code text,
  object_count integer not null default 0,
  root_object_count integer not null default 0,
  result text,
  -- The faults of this operation.
  script jsonb,
  -- Where the next page begins; null at the first.
  next_page text,
  -- When the next step is taken; null when the operation is over.
  step_at timestamptz,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (store_id, id)
);
create index bulk_operations_due on sandbox.bulk_operations (store_id, step_at) where step_at is not null;

grant usage on schema sandbox to perennial_operator, perennial_store;
grant select, insert, update, delete on all tables in schema sandbox to perennial_operator, perennial_store;
grant usage on all sequences in schema sandbox to perennial_operator, perennial_store;
