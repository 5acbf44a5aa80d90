// Sums over /data/store-credits and /data/credits-history, and the same from the entries of the ledger.
import { amount, month, type Sum } from './sum.ts'

/** The entries that are shown: redemptions of cancelled orders that were given back in whole are not, nor what gave them back. */
export const LEDGER = `shop as (select timezone from stores where store_id = $1),
  hidden as (
    select coalesce(r.reverses_id, r.id) as redemption
      from credit_entries r where r.store_id = $1 and r.type in (4, 5)
     group by 1 having sum(r.amount_minor) >= 0 and bool_or(coalesce(r.mark, '') = 'order_cancelled')),
  ledger as (
    select * from credit_entries
     where store_id = $1 and (type not in (4, 5) or coalesce(reverses_id, id) not in (select redemption from hidden)))`

const WHAT = (type: string) => `case when ${type} in (1, 10, 11, 12) then 'issued' when ${type} in (4, 5) then 'used'
             when ${type} = 7 then 'forfeited' when ${type} = 8 then 'expired' when ${type} = 6 then 'refunded'
             when ${type} = 13 then 'disputed' else 'adjusted' end`

export const creditSums: Sum[] = [
  {
    name: 'entries of credit by type',
    warehouse: `select type as "of", count(*) as entries, sum(value) as value from store_credits group by all`,
    base: `
      with ${LEDGER}
      select type::text as of, count(*) as entries, ${amount('sum(amount_minor)')} as value from ledger group by 1`
  },
  {
    name: 'credit issued, used, forfeited, expired and taken back by month',
    warehouse: `
      select concat_ws(' ', strftime(created_at, '%Y-%m'), ${WHAT('type')}) as "of", count(*) as entries, sum(value) as value
        from store_credits group by all`,
    base: `
      with ${LEDGER}
      select concat_ws(' ', ${month('e.created_at')}, ${WHAT('e.type')}) as of, count(*) as entries,
             ${amount('sum(e.amount_minor)')} as value
        from ledger e cross join shop group by 1`
  },
  {
    name: 'credit spent through each channel',
    warehouse: `
      select used_in as "of", count(*) as entries, sum(redeemed_from_svc) as spent from store_credits where type = 4 group by all`,
    base: `
      with ${LEDGER}
      select coalesce(o.channel, o.source_name, '') as of, count(*) as entries, ${amount('-sum(e.amount_minor)')} as spent
        from ledger e left join orders o on o.store_id = $1 and o.id = e.order_id where e.type = 4 group by 1`
  },
  {
    name: 'credit of each order',
    warehouse: `
      select order_gid as "of", count(*) as entries, sum(value) as value from store_credits where order_gid <> '' group by all`,
    base: `
      with ${LEDGER}
      select 'gid://platform/Order/' || o.platform_order_id as of, count(*) as entries, ${amount('sum(e.amount_minor)')} as value
        from ledger e join orders o on o.store_id = $1 and o.id = e.order_id group by 1`
  },
  {
    name: 'the history of credit by month and direction',
    warehouse: `
      select concat_ws(' ', strftime(created_at, '%Y-%m'), status) as "of", count(*) as entries, sum(value) as value,
             count(nullif(order_name, '')) as redemptions
        from credits_history group by all`,
    base: `
      with ${LEDGER}
      select concat_ws(' ', ${month('e.created_at')}, case when e.amount_minor > 0 then 0 else 1 end) as of, count(*) as entries,
             ${amount('sum(e.amount_minor)')} as value, count(*) filter (where e.type = 4 and e.order_id is not null) as redemptions
        from ledger e cross join shop group by 1`
  },
  {
    name: 'the credit of each customer',
    warehouse: `
      select shopify_customer_gid as "of", sum(value) as value, count(*) as entries from store_credits group by all`,
    base: `
      with ${LEDGER}
      select m.platform_customer_id as of, ${amount('sum(e.amount_minor)')} as value, count(*) as entries
        from ledger e join members m on m.store_id = $1 and m.id = e.member_id group by 1`
  },
  {
    name: 'all credit, however it is added up',
    warehouse: `
      select 'all' as "of", (select sum(value) from store_credits) as ledger, (select sum(value) from credits_history) as history,
             (select sum(balance_from_svc) from members) as members,
             (select sum(total_store_credits_charged - total_store_credit_used - total_store_credit_refunded
                         - total_store_credit_disputed - total_store_credit_forfeit + total_store_credit_reconciled)
                from customers) as customers`,
    base: `
      select 'all' as of, b.value as ledger, b.value as history, b.value as members, b.value as customers
        from (select ${amount('sum(amount_minor)')} as value from credit_entries where store_id = $1) b`
  }
]
