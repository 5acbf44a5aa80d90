-- expand: code from 0016 can run on this schema.
-- A renewal changes columns without an index: with free space on the page the indexes stay as they are.
alter table members set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
