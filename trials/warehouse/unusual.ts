import { type Database, int, row, sql, text } from '#kit/postgres'

/** How often there is what a sum must not overlook, by its name. */
export async function readUnusual(db: Database, storeId: number): Promise<Record<string, number>> {
  const rows = await db.inInstallation((tx) =>
    tx.many(
      row({ name: text, count: int }),
      sql`
      with shop as (select timezone from stores where store_id = ${storeId}),
      restored as (
        select r.reverses_id, bool_or(coalesce(r.mark, '') = 'order_cancelled') as is_cancelled, sum(r.amount_minor) as minor
          from credit_entries r where r.store_id = ${storeId} and r.type = 5 group by 1),
      redeemed as (
        select e.amount_minor + r.minor >= 0 and r.is_cancelled as is_hidden
          from credit_entries e join restored r on r.reverses_id = e.id where e.store_id = ${storeId})
      select 'order in another month than in UTC' as name, count(*) from orders o cross join shop
       where o.store_id = ${storeId}
         and date_trunc('month', o.processed_at at time zone shop.timezone) <> date_trunc('month', o.processed_at at time zone 'UTC')
      union all
      select 'entry of credit in another month than in UTC', count(*) from credit_entries e cross join shop
       where e.store_id = ${storeId}
         and date_trunc('month', e.created_at at time zone shop.timezone) <> date_trunc('month', e.created_at at time zone 'UTC')
      union all
      select 'order with tax', count(*) from orders where store_id = ${storeId} and tax_minor > 0
      union all
      select 'order that was refunded', count(*) from orders where store_id = ${storeId} and refunded_minor > 0
      union all
      select 'order that was cancelled', count(*) from orders where store_id = ${storeId} and cancelled_at is not null
      union all
      select 'redemption that is hidden', count(*) from redeemed where is_hidden
      union all
      select 'redemption that was restored and is shown', count(*) from redeemed where not is_hidden
      union all
      select 'entry of forfeited credit', count(*) from credit_entries where store_id = ${storeId} and type = 7
      union all
      select 'entry of expired credit', count(*) from credit_entries where store_id = ${storeId} and type = 8
      union all
      select 'entry of credit that a refund took back', count(*) from credit_entries where store_id = ${storeId} and type = 6
      union all
      select 'aborted reservation', count(*) from credit_reservations where store_id = ${storeId} and status = 'aborted'
      union all
      select 'open reservation', count(*) from credit_reservations where store_id = ${storeId} and status = 'reserved'
      union all
      select 'paused subscription', count(*) from subscriptions where store_id = ${storeId} and status = 'paused'
      union all
      select 'failed subscription', count(*) from subscriptions where store_id = ${storeId} and status = 'failed'
      union all
      select 'expired subscription', count(*) from subscriptions where store_id = ${storeId} and status = 'expired'
      union all
      select 'cancellation in their own words', count(*) from subscriptions
       where store_id = ${storeId} and cancel_reason = 'other' and cancel_comment <> ''
      union all
      select 'customer who was merged', count(*) from members where store_id = ${storeId} and merged_into is not null
      union all
      select 'customer without a subscription', count(*) from members m
       where m.store_id = ${storeId}
         and not exists (select from subscriptions s where s.store_id = ${storeId} and s.member_id = m.id)`
    )
  )
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}
