-- expand: code from 0016 can run on this schema.
-- Receipts of purchases elsewhere that customers have uploaded.
create table loyalty_receipts (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  member_id bigint not null,
  rule_id bigint not null,
  -- What the customer has typed.
  retailer text not null check (length(retailer) between 1 and 255),
  purchased_on date not null,
  number text check (length(number) between 1 and 100),
  amount_minor bigint not null check (amount_minor > 0),
  status text not null default 'waiting' check (status in ('waiting', 'approved', 'refused')),
  -- What counts, which an operator may have corrected.
  approved_minor bigint check (approved_minor > 0),
  -- rule: it approves receipts at once.
  decided_by text check (decided_by in ('rule', 'operator')),
  -- Why it was refused.
  reason text check (length(reason) between 1 and 500),
  -- The SHA-256 of its file, in hex: a file is accepted once.
  content_hash text not null check (length(content_hash) = 64),
  content_type text not null,
  file_bytes int not null check (file_bytes > 0),
  uploaded_at timestamptz not null,
  decided_at timestamptz,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, content_hash),
  foreign key (store_id, member_id) references members,
  foreign key (store_id, rule_id) references loyalty_rules,
  check ((status = 'approved') = (approved_minor is not null)),
  check ((status = 'waiting') = (decided_at is null and decided_by is null)),
  check ((status = 'refused') = (reason is not null))
);
-- One receipt of a shop counts once, whoever has photographed it.
create unique index loyalty_receipts_once on loyalty_receipts (store_id, lower(retailer), purchased_on, lower(number))
  where number is not null and status <> 'refused';
create index loyalty_receipts_by_member on loyalty_receipts (store_id, member_id, id);
create index loyalty_receipts_by_status on loyalty_receipts (store_id, status, id);
select protect_table('loyalty_receipts');

-- The files of receipts in their storage, also those that are about to be there or to go.
create table loyalty_receipt_files (
  store_id bigint not null references stores,
  -- By chance.
  name text not null check (length(name) = 36),
  -- Null: its receipt is not recorded, or is gone.
  receipt_id bigint,
  state text not null default 'storing' check (state in ('storing', 'kept', 'removing')),
  -- When it is removed, by the store's clock; null: it stays.
  due_at timestamptz,
  primary key (store_id, name),
  foreign key (store_id, receipt_id) references loyalty_receipts,
  check (state = 'kept' or due_at is not null)
);
create index loyalty_receipt_files_of on loyalty_receipt_files (store_id, receipt_id) where receipt_id is not null;
create index loyalty_receipt_files_due on loyalty_receipt_files (store_id, due_at) where due_at is not null;
select protect_table('loyalty_receipt_files');
