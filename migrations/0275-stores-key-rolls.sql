-- expand: code from 0016 can run on this schema.
-- Until when a key that was rolled works, in real time; null for a key without an end.
alter table api_keys add column expires_at timestamptz;
