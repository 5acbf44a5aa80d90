-- expand: code from 0016 can run on this schema.
-- Since when a rule counts again that was disabled, or of a store whose loyalty was off; null: since it was created.
alter table loyalty_rules add column counts_from timestamptz;
