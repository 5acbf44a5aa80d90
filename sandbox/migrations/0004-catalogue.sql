-- expand: code from 0001 can run on this schema.
-- What a shop sells besides memberships: products in collections, with compare-at prices.
create sequence sandbox.collection_ids start 841564295 increment 3;

alter table sandbox.shops
  -- When the shop got its catalogue; a shop from before this migration gets it when it is first needed.
  add column catalogue_at timestamptz;

alter table sandbox.products
  add column vendor text,
  add column product_type text;

alter table sandbox.variants
  add column compare_at_minor bigint,
  add column requires_shipping boolean not null default false,
  add column taxable boolean not null default false;

create table sandbox.collections (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.collection_ids'),
  title text not null,
  handle text not null,
  description text not null default '',
  product_ids bigint[] not null default '{}',
  updated_at timestamptz not null,
  primary key (store_id, id)
);

grant select, insert, update, delete on sandbox.collections to perennial_operator, perennial_store;
grant usage on sequence sandbox.collection_ids to perennial_operator, perennial_store;
