-- expand: code from 0016 can run on this schema.
-- The id of an entry is taken behind the lock of its account, before the entry is written.
grant usage on sequence credit_entries_id_seq to perennial_store;
