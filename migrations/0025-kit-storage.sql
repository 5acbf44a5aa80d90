-- expand: code from 0016 can run on this schema.
-- Rows of jobs come, change and go: space for their changes, and vacuum by number of rows, not by a part of a table that is mostly empty.
alter table jobs set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
-- Each fact is changed once, when it gets its position.
alter table facts set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
