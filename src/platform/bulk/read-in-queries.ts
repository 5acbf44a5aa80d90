import { customerParts, type PlatformCustomer, readCustomer } from '../customers/customer.ts'
import { OrderParts, type PlatformOrder } from '../orders/order.ts'
import { bulkDetailParts } from '../orders/order-details.ts'
import { readWhole, wholeOrder } from '../orders/orders-api.ts'
import { fieldsIn } from '../wire/document.ts'
import { Fields } from '../wire/fields.ts'
import { sinceQuery } from '../wire/pages.ts'

/** What of a store can be read whole by a bulk operation. */
export type BulkPart = 'customers' | 'contracts' | 'orders'

/**
 * The query of a bulk operation that reads a part of a store. `since`: only customers that changed, or orders that were placed, at that
 * time or later; null for all. `name` is the operation's own, by which it is found again.
 */
export function bulkQueryOf(part: BulkPart, name: string, since: Temporal.Instant | null): string {
  const search = (field: string) => (since === null ? '' : `(query: "${sinceQuery(field, since)}")`)
  const connection = {
    customers: `customers${search('updated_at')} { edges { node { ${customerParts} } } }`,
    // What a contract is takes more than a bulk operation may read at once: its id is enough to read it as messages have it read.
    contracts: 'subscriptionContracts { edges { node { id } } }',
    orders: `orders${search('created_at')} { edges { node { ${fieldsIn(OrderParts)} ${bulkDetailParts} } } }`
  }[part]
  return `query ${name} { ${connection} }`
}

/** A line of the file of customers. Throws MalformedPayload. */
export const readBulkCustomer = (line: unknown): PlatformCustomer => readCustomer(new Fields(line, 'customer'))

/** A line of the file of contracts. Throws MalformedPayload. */
export const readBulkContract = (line: unknown): string => new Fields(line, 'contract').id('id')

/** An order with the lines that follow it in the file. Throws MalformedPayload. */
export function readBulkOrder(line: unknown, items: unknown[]): PlatformOrder {
  const lineItems = { nodes: items, pageInfo: { hasNextPage: false, endCursor: null } }
  return wholeOrder(readWhole(new Fields({ ...(line as object), lineItems }, 'order')).order)
}
