-- expand: code from 0016 can run on this schema.
-- Set in the transaction that records what may follow from a message only once: a handler can get a message twice.
alter table inbound_webhooks add column recorded_at timestamptz;
