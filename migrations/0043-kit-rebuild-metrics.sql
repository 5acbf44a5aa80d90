-- expand: code from 0016 can run on this schema.
-- What counts as issued and redeemed credit has changed (functions/credit-metrics.sql): the metrics of every store are computed again by
-- the job `rebuild-metrics`, which only code that comes with that function has. Its time is over in every store, whatever its clock says.
insert into jobs (store_id, kind, dedupe_key, payload, priority, run_at)
select distinct store_id, 'rebuild-metrics', 'rebuild-metrics', '{}'::jsonb, 2, timestamptz '2000-01-01 00:00Z' from fact_consumers;
