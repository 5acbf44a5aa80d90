-- expand: code from 0016 can run on this schema.
-- People who sign in to the admin interface, of the whole installation: none of these tables belongs to a store. The first five hold what
-- the library for signing in keeps (src/team/sign-in.ts), under our names; it writes them itself. All times are real time.
create table team_people (
  id text primary key,
  name text not null,
  email text not null unique check (email = lower(email)),
  email_verified boolean not null default false,
  image text,
  role text not null check (role in ('owner', 'developer', 'support', 'read_only')),
  two_factor_enabled boolean not null default false,
  -- Wrong passwords since the last right one, and until when no password is taken.
  wrong_passwords integer not null default 0 check (wrong_passwords >= 0),
  locked_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table team_sessions (
  id text primary key,
  token text not null unique,
  person_id text not null references team_people on delete cascade,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index team_sessions_of_person on team_sessions (person_id);
create index team_sessions_expiring on team_sessions (expires_at);

-- How a person signs in; only passwords today, as argon2id hashes. The columns for other services are the library's.
create table team_accounts (
  id text primary key,
  person_id text not null references team_people on delete cascade,
  provider_id text not null,
  account_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (provider_id, account_id)
);
create index team_accounts_of_person on team_accounts (person_id);

-- What is under way: second steps of signing in, passkeys that are being added.
create table team_verifications (
  id text primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index team_verifications_identified on team_verifications (identifier);
create index team_verifications_expiring on team_verifications (expires_at);

-- Secrets of authenticator apps and backup codes, encrypted by the library.
create table team_two_factors (
  id text primary key,
  person_id text not null references team_people on delete cascade,
  secret text not null,
  backup_codes text not null,
  verified boolean not null default false,
  failed_verification_count integer not null default 0,
  locked_until timestamptz
);
create index team_two_factors_of_person on team_two_factors (person_id);

create table team_passkeys (
  id text primary key,
  person_id text not null references team_people on delete cascade,
  name text,
  public_key text not null,
  credential_id text not null unique,
  counter bigint not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz
);
create index team_passkeys_of_person on team_passkeys (person_id);

-- One-time links by which people get their account. The token itself is not stored.
create table team_invitations (
  token_hash bytea primary key,
  -- The link that the service prints while nobody has an account; it is good until somebody has.
  is_first boolean not null,
  email text check (email = lower(email)),
  role text not null check (role in ('owner', 'developer', 'support', 'read_only')),
  -- An account that gets a new password by it.
  person_id text references team_people on delete cascade,
  invited_by text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

-- What was changed by the admin API: by whom, what, when, from where. Rows stay when the person or the store has gone.
create table team_changes (
  id bigint generated always as identity primary key,
  changed_at timestamptz not null,
  request_id text not null,
  -- Null: a program with the operator token.
  person_id text,
  person_name text,
  -- operationId of the route, and the path that was called.
  operation text not null,
  path text not null,
  -- The store by its number; no reference, since a change outlives it.
  store_number bigint,
  -- The fields of the body, without their values.
  fields text[] not null,
  ip_address text not null,
  user_agent text,
  -- Null while it runs, and for ever when the process died.
  status smallint
);
create index team_changes_of_store on team_changes (store_number, id) where store_number is not null;

grant select, insert, update, delete on team_people, team_sessions, team_accounts, team_verifications, team_two_factors, team_passkeys,
  team_invitations, team_changes to perennial_operator;
