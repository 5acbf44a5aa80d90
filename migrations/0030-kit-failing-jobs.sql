-- expand: code from 0016 can run on this schema.
-- Since when a job has failed in every run, in store time. Null: its last run did not fail, or older code wrote the failure.
alter table jobs add column failing_since timestamptz;
