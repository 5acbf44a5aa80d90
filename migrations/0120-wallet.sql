-- expand: code from 0016 can run on this schema.
-- What signs passes for the wallets of phones. `sealed` are the secrets; the columns beside it are what they say of themselves.
create table wallet_credentials (
  store_id bigint not null references stores,
  kind text not null check (kind in ('apple', 'google')),
  sealed bytea not null,
  -- Apple: the identifier of the pass type and the team. Google: the issuer and the service account.
  identifier text not null,
  account text not null,
  -- Real time: when the certificate ends; null for what does not end.
  expires_at timestamptz,
  updated_at timestamptz not null,
  primary key (store_id, kind)
);
select protect_table('wallet_credentials');

-- The number of the last change of passes. Changes take the next one behind the lock on this row: whoever has seen a number has seen all
-- smaller ones.
create table wallet_changes (
  store_id bigint primary key references stores,
  tag bigint not null
);
select protect_table('wallet_changes');

create table wallet_passes (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  member_id bigint not null,
  -- Names the pass to Apple and Google; random.
  serial text not null,
  -- By which phones authenticate for this pass.
  sealed_token bytea not null,
  -- A hash of what the pass shows, and when that last changed (store time, whole seconds).
  content_hash text not null,
  is_voided boolean not null,
  tag bigint not null,
  changed_at timestamptz not null,
  -- When a link for Google Wallet was last made; null: never.
  google_offered_at timestamptz,
  -- Why phones were not notified of the last change after all tries.
  problem text,
  created_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, serial),
  foreign key (store_id, member_id) references members (store_id, id)
);
create index wallet_passes_of_member on wallet_passes (store_id, member_id);
create index wallet_passes_with_problem on wallet_passes (store_id, id) where problem is not null;
select protect_table('wallet_passes');

-- Phones that want to know when a pass changes.
create table wallet_registrations (
  store_id bigint not null references stores,
  pass_id bigint not null,
  -- The name that the phone has for itself, and by which Apple reaches it.
  device text not null,
  push_token text not null,
  created_at timestamptz not null,
  primary key (store_id, pass_id, device),
  foreign key (store_id, pass_id) references wallet_passes (store_id, id) on delete cascade
);
create index wallet_registrations_of_device on wallet_registrations (store_id, device);
select protect_table('wallet_registrations');

-- Sales that passes tell of.
create table wallet_campaigns (
  store_id bigint not null references stores,
  id bigint generated always as identity,
  title text not null check (length(title) between 1 and 255),
  message text not null check (length(message) <= 1000),
  image text not null check (length(image) <= 1000),
  is_enabled boolean not null,
  -- Store time; null: from now on, and without end.
  starts_at timestamptz,
  ends_at timestamptz,
  -- When it begins or ends next; null: it does not by itself.
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  check (ends_at > starts_at)
);
create index wallet_campaigns_due on wallet_campaigns (store_id, due_at) where due_at is not null;
select protect_table('wallet_campaigns');
