-- Revenue by month from the files of `perennial export --format parquet`, in the folder where DuckDB runs:
--   duckdb -c ".read revenue.sql"
-- Amounts are exact decimals, minutes are the shop's wall time, and what has no value is NULL.

create or replace view orders as select * from read_parquet('orders.parquet');

create or replace view revenue_by_month as
select date_trunc('month', order_date)                             as month,
       currency,
       checkout_type,
       count(*)                                                    as orders,
       sum(revenue)                                                as revenue,
       sum(tax)                                                    as tax,
       sum(store_credit_used)                                      as store_credit_used,
       count(*) filter (where order_tag in ('recharge', 'SubsProd-Recharge')) as renewals,
       -- The API says that an order was refunded, and when, not how much.
       count(*) filter (where refund_date is not null)             as refunded_orders
  from orders
 where financial_status <> 'voided'
 group by all
 order by all;

from revenue_by_month;
