-- Store credit by month from the files of `perennial export --format parquet`, in the folder where DuckDB runs:
--   duckdb -c ".read credit.sql"
-- What was issued less everything else, with the adjustments, is what the balances have changed by.

create or replace view store_credits as select * from read_parquet('store-credits.parquet');

create or replace view credit_by_month as
select date_trunc('month', created_at)                                     as month,
       coalesce(sum(value) filter (where type in (1, 10, 11, 12)), 0)      as issued,
       -- What was restored is no longer used.
       coalesce(-sum(value) filter (where type in (4, 5)), 0)              as used,
       coalesce(-sum(value) filter (where type = 6), 0)                    as refunded,
       coalesce(-sum(value) filter (where type = 13), 0)                   as disputed,
       coalesce(-sum(value) filter (where type = 7), 0)                    as forfeited,
       coalesce(-sum(value) filter (where type = 8), 0)                    as expired,
       coalesce(sum(value) filter (where type in (2, 3, 9)), 0)            as adjusted,
       sum(value)                                                          as change
  from store_credits
 group by all
 order by all;

from credit_by_month;
