-- All eight kinds of discounts, with as many codes as wanted, and the functions that an app has brought to a shop.
create sequence sandbox.due_job_ids start 799635341618 increment 3;

create table sandbox.redeem_codes (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.redeem_code_ids'),
  discount_id bigint not null,
  code text not null,
  usage_count integer not null default 0,
  created_at timestamptz not null,
  primary key (store_id, id)
);
-- Codes are compared ignoring case.
create unique index redeem_codes_by_code on sandbox.redeem_codes (store_id, lower(code));
create index redeem_codes_by_discount on sandbox.redeem_codes (store_id, discount_id, id);

insert into sandbox.redeem_codes (store_id, id, discount_id, code, usage_count, created_at)
select store_id, redeem_code_id, id, code, usage_count, created_at from sandbox.discounts where code is not null;

drop index sandbox.discounts_by_code;
alter table sandbox.discounts
  drop column code,
  drop column redeem_code_id,
  drop constraint discounts_kind_check,
  add constraint discounts_kind_check check (kind in ('DiscountCodeBasic', 'DiscountCodeBxgy', 'DiscountCodeFreeShipping', 'DiscountCodeApp',
    'DiscountAutomaticBasic', 'DiscountAutomaticBxgy', 'DiscountAutomaticFreeShipping', 'DiscountAutomaticApp')),
  -- What it reduces: PRODUCT, ORDER, SHIPPING. Follows from its kind and what it is for, except for those of functions.
  add column classes text[] not null default '{}';
update sandbox.discounts
   set classes = case
     when kind = 'DiscountCodeFreeShipping' then array['SHIPPING']
     when kind = 'DiscountCodeBxgy' then array['PRODUCT']
     when kind = 'DiscountAutomaticApp'
       then array(select jsonb_array_elements_text(coalesce(nullif(body->'discountClasses', 'null'), '[]')))
     when jsonb_typeof(body#>'{customerGets,items,products}') = 'object'
       or jsonb_typeof(body#>'{customerGets,items,collections}') = 'object' then array['PRODUCT']
     else array['ORDER'] end;

create table sandbox.functions (
  store_id bigint not null,
  id uuid not null,
  handle text not null,
  title text not null,
  -- discount, cart_transform, …
  api_type text not null,
  description text,
  primary key (store_id, id),
  unique (store_id, handle)
);

-- Work that the platform answers before it is done: changes of many discounts, codes added to one, the members of a segment.
create table sandbox.due_jobs (
  store_id bigint not null,
  id bigint not null default nextval('sandbox.due_job_ids'),
  -- Its name in gids of jobs.
  token uuid not null,
  kind text not null,
  args jsonb not null,
  -- Null until it is done.
  result jsonb,
  -- When it is to be done; null when it is.
  due_at timestamptz,
  created_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, token)
);
create index due_jobs_due on sandbox.due_jobs (store_id, due_at, id) where due_at is not null;

grant select, insert, update, delete on sandbox.redeem_codes, sandbox.functions, sandbox.due_jobs to perennial_operator, perennial_store;
grant usage on sequence sandbox.due_job_ids to perennial_operator, perennial_store;
