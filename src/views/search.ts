import { internalId } from '#kit/ids'
import { directSql, nullable, oneOf, type Queries, row, text } from '#kit/postgres'

const KINDS = ['customer', 'order', 'subscription'] as const

const Found = row({
  kind: oneOf(...KINDS),
  /** Our number; of an order that of the platform. */
  id: text,
  name: nullable(text),
  email: nullable(text),
  status: nullable(text)
})

/** Something that a search has found. `status` is that of the membership, of the subscription, or the payment of the order. */
export type SearchResult = {
  kind: (typeof KINDS)[number]
  id: string
  name: string | null
  email: string | null
  status: string | null
}

/** After every text that begins with another one, in the order of its bytes. */
const LAST = '\u{10ffff}'

const person = (condition: string) => `
  (select id from members m where m.store_id = $1 and m.merged_into is null and ${condition} limit $4)`
const beginsWith = (expression: string) =>
  `${expression} ~>=~ $2 and ${expression} ~<~ $3 order by ${expression} using ~<~`

// Each branch reads at most a page of an index, whatever is typed.
const search = directSql<
  [storeId: number, from: string, to: string, limit: number, number: string, customerId: number, subscriptionId: number]
>(
  'search_store',
  `with found_people as (
     ${[
       person('m.id = $6'),
       person(`$5 <> '' and m.platform_customer_id = $5`),
       person(beginsWith('lower(m.email)')),
       person(beginsWith(`lower(coalesce(m.first_name, '') || ' ' || coalesce(m.last_name, ''))`)),
       person(`m.last_name is not null and ${beginsWith('lower(m.last_name)')}`)
     ].join(' union ')}),
   found_orders as (
     (select id from orders o where o.store_id = $1 and lower(o.name) = $2 limit $4)
     union
     (select id from orders o where o.store_id = $1 and $5 <> '' and lower(o.name) = '#' || $5 limit $4)
     union
     (select id from orders o where o.store_id = $1 and $5 <> '' and o.number = $5 limit $4)
     union
     (select id from orders o where o.store_id = $1 and $5 <> '' and o.platform_order_id = $5 limit $4))
   (select 'customer' as kind, m.id::text as id, nullif(trim(concat_ws(' ', m.first_name, m.last_name)), '') as name, m.email, m.status
      from members m join found_people f on f.id = m.id
     where m.store_id = $1 order by m.status is null, lower(m.email) limit $4)
   union all
   (select 'order', o.platform_order_id, o.name, o.email, o.financial_status
      from orders o join found_orders f on f.id = o.id
     where o.store_id = $1 order by o.id desc limit $4)
   union all
   (select 'subscription', s.id::text, s.name, m.email, s.status
      from subscriptions s join members m on m.store_id = $1 and m.id = s.member_id
     where s.store_id = $1 and s.id = $7)`
)

/** No row has this number. */
const NOBODY = -1

/**
 * Finds customers by the beginning of their address or name, or by a number; orders by their name or a number; a subscription by its id. At
 * most `limit` of each, without regard to upper and lower case.
 */
export async function searchStore(
  direct: Queries,
  storeId: number,
  { text: given, limit }: { text: string; limit: number }
): Promise<SearchResult[]> {
  const text = given.trim().replace(/\s+/g, ' ')
  const from = text.toLowerCase()
  const number = /^#?[0-9]{1,20}$/.test(text) ? text.replace('#', '') : ''
  const customerId = internalId('cust', text) ?? internalId('mem', text) ?? NOBODY
  const subscriptionId = internalId('sub', text) ?? NOBODY
  return direct.many(Found, search(storeId, from, `${from}${LAST}`, limit, number, customerId, subscriptionId))
}
