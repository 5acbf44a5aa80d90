-- expand: code from 0016 can run on this schema.
-- Since when the platform has refused the access token of the store, by the store's clock; null while it takes it.
alter table stores add column token_refused_at timestamptz;
