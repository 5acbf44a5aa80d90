-- expand: code from 0001 can run on this schema.
-- Shops without the app have negative numbers until a store has them.
create sequence sandbox.uninstalled_ids;

-- What the token endpoint has issued: an access token that expires, and the refresh token that brings the next one. Real time.
create table sandbox.oauth_tokens (
  store_id bigint not null,
  token_hash bytea not null,
  expires_at timestamptz not null,
  refresh_hash bytea not null,
  refresh_expires_at timestamptz not null,
  -- The pair that it has replaced, whose refresh token is good until this one's is used.
  parent_hash bytea,
  refresh_used_at timestamptz,
  primary key (store_id, token_hash)
);

create table sandbox.oauth_codes (
  store_id bigint not null,
  code_hash bytea not null,
  scopes text[] not null,
  expires_at timestamptz not null,
  primary key (store_id, code_hash)
);

grant usage on sequence sandbox.uninstalled_ids to perennial_operator, perennial_store;
grant select, insert, update, delete on sandbox.oauth_tokens, sandbox.oauth_codes to perennial_operator, perennial_store;
