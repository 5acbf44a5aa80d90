-- One row for each month, currency and kind of checkout.
select
    date_trunc('month', order_date) as month,
    currency,
    checkout_type,
    count(*) as orders,
    sum(revenue) as revenue,
    sum(tax) as tax,
    sum(store_credit_used) as store_credit_used,
    count(distinct nullif(shopify_customer_gid, '')) as customers,
    count(*) filter (where refund_date is not null) as refunded_orders
from {{ source('perennial', 'orders') }}
where financial_status <> 'voided'
group by 1, 2, 3
