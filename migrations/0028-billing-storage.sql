-- expand: code from 0016 can run on this schema.
-- An attempt is changed when it is sent and when it ends, which moves it between partial indexes.
alter table billing_attempts set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
