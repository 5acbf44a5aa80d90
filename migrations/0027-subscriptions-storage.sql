-- expand: code from 0016 can run on this schema.
-- A renewal changes a row three times, once without an indexed column.
alter table subscriptions set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
