-- expand: code from 0001 can run on this schema.
-- What the recorded answers of a real store show besides what the service itself needs.

-- [{namespace, key}]: the metafields that a subscription asks for.
alter table sandbox.webhook_subscriptions add column metafields jsonb not null default '[]';

-- What the service does not use of a customer: language, tax, consents. See CustomerMore in state/customers.ts.
alter table sandbox.customers add column more jsonb not null default '{}';

create sequence sandbox.customer_address_ids start 12268831441202 increment 3;
create table sandbox.customer_addresses (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.customer_address_ids'),
  customer_id bigint not null,
  is_default boolean not null,
  -- Its lines; what is not given is null.
  body jsonb not null,
  primary key (store_id, id)
);
create index customer_addresses_by_customer on sandbox.customer_addresses (store_id, customer_id, id);

-- Work that a client may ask about. It is done when it is begun.
create table sandbox.jobs (
  store_id bigint not null,
  id text not null,
  -- What came of it, by its kind.
  result jsonb not null default '{}',
  created_at timestamptz not null,
  primary key (store_id, id)
);

grant select, insert, update, delete on sandbox.customer_addresses, sandbox.jobs to perennial_operator, perennial_store;
grant usage on sequence sandbox.customer_address_ids to perennial_operator, perennial_store;

-- Description, validations, capabilities, constraints, pinned position. See Definition in state/metafield-definitions.ts.
alter table sandbox.metafield_definitions add column more jsonb not null default '{}';

-- What the service does not use of a product or collection. See ProductMore and CollectionMore.
alter table sandbox.products add column more jsonb not null default '{}';
alter table sandbox.collections add column more jsonb not null default '{}';

-- Single variants that a group applies to, besides whole products.
alter table sandbox.selling_plan_groups add column variant_ids bigint[] not null default '{}';
-- {inventoryReserve}
alter table sandbox.selling_plans add column more jsonb not null default '{}';
