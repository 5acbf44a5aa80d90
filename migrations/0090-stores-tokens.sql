-- expand: code from 0016 can run on this schema.
-- Access tokens that expire, in real time; null for one that does not. The tokens themselves are in platform_credentials.
alter table stores
  add column token_expires_at timestamptz,
  add column refresh_token_expires_at timestamptz,
  -- One process refreshes at a time: the refresh token is used once. The counter refuses a late result.
  add column refresh_lease integer not null default 0,
  add column refresh_leased_until timestamptz,
  -- Why the last refresh came to nothing, and when it may be tried again; null after one that worked.
  add column refresh_retry_at timestamptz,
  add column refresh_error text,
  -- Whether that was the platform's definite refusal.
  add column refresh_refused boolean not null default false,
  -- The access scopes that the platform listed last; null before it was asked.
  add column granted_scopes text[],
  -- Where the platform was told to send its webhooks; null before it was.
  add column webhooks_url text;
