-- Imports of contracts that another service has billed until now, from a file or from the platform's own list.
create table imports (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  source text not null check (source in ('csv', 'ndjson', 'platform')),
  -- How contracts begin here, if their row does not say.
  mode text not null check (mode in ('live', 'paused')),
  paused_until timestamptz,
  status text not null check (status in ('receiving', 'fetching', 'running', 'done', 'failed', 'cancelled')),
  -- The file's columns in their order, for the report of refused rows.
  columns text[] not null default '{}',
  -- Of the whole file: announced by the sender, or known once it was received completely.
  file_sha256 text check (file_sha256 ~ '^[0-9a-f]{64}$'),
  -- Of the part received so far, which is recognised when the same file is sent again.
  staged_sha256 text,
  -- The last line that was received.
  lines_read integer not null default 0,
  total_rows integer not null default 0,
  created_rows integer not null default 0,
  unchanged_rows integer not null default 0,
  refused_rows integer not null default 0,
  platform_bulk_operation_id text,
  -- How many contracts the platform has listed so far, while its list is awaited.
  listed_contracts integer not null default 0 check (listed_contracts >= 0),
  -- Bulk operations that failed.
  failed_operations integer not null default 0,
  last_error text check (length(last_error) <= 500),
  tries integer not null default 0,
  -- Store time: when the next step is due. Null while the file is awaited, and when all is done.
  due_at timestamptz,
  lease_token integer not null default 0,
  lease_owner bigint,
  leased_until timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  primary key (store_id, id),
  check (mode = 'paused' or paused_until is null),
  check (created_rows + unchanged_rows + refused_rows <= total_rows),
  check ((status in ('done', 'failed', 'cancelled')) = (finished_at is not null))
);
create index imports_due on imports (store_id, due_at) where due_at is not null;
create index imports_leased on imports (lease_owner) where lease_owner is not null;
select protect_table('imports');

create table import_rows (
  store_id bigint not null references stores,
  import_id bigint not null,
  -- The line of the file, counted from 1, on which the row begins.
  line integer not null,
  -- The fields as written. Null when they were removed, 30 days after the import's end or with the customer's data.
  input jsonb,
  -- A row that could not be split into fields, as received. It is removed when the fields of the others are.
  original text check (length(original) <= 70000),
  status text not null check (status in ('waiting', 'creating', 'created', 'unchanged', 'refused')),
  refusal_code text,
  refusal_field text check (length(refusal_field) <= 200),
  refusal_message text check (length(refusal_message) <= 500),
  subscription_id bigint,
  platform_contract_id text,
  external_id text,
  -- Whose contract is made on the platform, and the key that it carries there: written before the platform is asked.
  platform_customer_id text,
  create_key text,
  -- Real time: when the platform was last asked for it.
  requested_at timestamptz,
  primary key (store_id, import_id, line),
  foreign key (store_id, import_id) references imports,
  foreign key (store_id, subscription_id) references subscriptions,
  check ((status = 'refused') = (refusal_code is not null)),
  check (status <> 'creating' or (create_key is not null and platform_customer_id is not null)),
  check ((status in ('created', 'unchanged')) = (subscription_id is not null))
);
create index import_rows_open on import_rows (store_id, import_id, line) where status in ('waiting', 'creating');
create index import_rows_refused on import_rows (store_id, import_id, line) where status = 'refused';
create index import_rows_of_subscription on import_rows (store_id, subscription_id) where subscription_id is not null;
-- Messages of the platform about unknown contracts ask whether an import has them in its rows.
create index import_rows_of_contract on import_rows (store_id, platform_contract_id) where platform_contract_id is not null;
-- A contract, and an external id, occurs once in a file. Refused rows do not count.
create unique index import_rows_contract on import_rows (store_id, import_id, platform_contract_id)
  where platform_contract_id is not null and status <> 'refused';
create unique index import_rows_external_id on import_rows (store_id, import_id, external_id)
  where external_id is not null and status <> 'refused';
-- Over all imports: what one has made on the platform is not made again by another.
create unique index import_rows_create_key on import_rows (store_id, create_key) where create_key is not null;
select protect_table('import_rows');
