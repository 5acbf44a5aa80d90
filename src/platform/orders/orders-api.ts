import type { PlatformClient } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import { findByIds } from '../wire/find-by-ids.ts'
import { type PlatformResult, succeeded } from '../wire/outcome.ts'
import { type Page, readPage, sinceQuery } from '../wire/pages.ts'
import { type FoundAddresses, findAddresses } from './addresses.ts'
import {
  DisputesByIds,
  DisputesSince,
  FIRST,
  LinesOfOrder,
  OrdersByIds,
  OrdersUpdatedSince,
  OrdersWithCode,
  WholeOrder,
  WholeOrdersByIds
} from './documents.ts'
import { type PlatformOrder, readOrder } from './order.ts'
import {
  type LinesPage,
  type PlatformDispute,
  readDetails,
  readLines,
  sumByCode,
  withAutomatic,
  withCurrentTotal
} from './order-details.ts'

/** An order, when it was changed last, and its tags. */
export type OrderRevision = { id: string; updatedAt: Temporal.Instant; tags: string[] }

export type OrdersApi = {
  /** By id, without details; leaves out orders that the platform does not have, or withholds from us. */
  findMany(ids: string[]): Promise<PlatformResult<Map<string, PlatformOrder>>>
  /** By id, each with its details, however long its lists are; leaves out what `findMany` leaves out. */
  findWhole(ids: string[]): Promise<PlatformResult<Map<string, PlatformOrder>>>
  /** A page of the orders that changed at `since` or later, oldest change first. `after` is the end of the page before. */
  listUpdatedSince(since: Temporal.Instant, after: string | null): Promise<PlatformResult<Page<OrderRevision>>>
  /** The ids of the orders that a discount code was used on, ten at most; the platform finds an order a moment after it was placed. */
  findIdsWithCode(code: string): Promise<PlatformResult<string[]>>
  /** The addresses of an order, and those of a customer: their own, and those of their latest orders. */
  findAddresses(orderId: string, customerId: string): Promise<PlatformResult<FoundAddresses>>
  /** A page of the disputes that began at `since` or later; those of no order are left out. */
  listDisputesSince(since: Temporal.Instant, after: string | null): Promise<PlatformResult<Page<PlatformDispute>>>
  /** By id; leaves out disputes that the platform does not have. */
  findDisputes(ids: string[]): Promise<PlatformResult<Map<string, PlatformDispute>>>
}

export function createOrdersApi(client: PlatformClient): OrdersApi {
  return {
    findMany: (ids) => findByIds(client, 'Order', OrdersByIds, ids, readOrder, { withheld: 'missing' }),
    findWhole: (ids) => findWholeOrders(client, ids),
    listUpdatedSince: (since, after) =>
      client.query(OrdersUpdatedSince, { query: sinceQuery('updated_at', since), after }, (data) =>
        readPage(data.at('orders'), (node) => ({
          id: node.id('id'),
          updatedAt: node.instant('updatedAt'),
          tags: node.texts('tags')
        }))
      ),
    findIdsWithCode: (code) =>
      client.query(OrdersWithCode, { query: `discount_code:'${code}'` }, (data) =>
        data
          .at('orders')
          .list('nodes')
          .map((node) => node.id('id'))
      ),
    findAddresses: (orderId, customerId) => findAddresses(client, orderId, customerId),
    async listDisputesSince(since, after) {
      const page = await client.query(DisputesSince, { query: sinceQuery('initiated_at', since), after }, (data) =>
        readPage(data.at('disputes'), readDispute)
      )
      if (!page.ok) return page
      return succeeded({ ...page.value, items: page.value.items.flatMap((dispute) => dispute ?? []) })
    },
    async findDisputes(ids) {
      const found = await findByIds(client, 'ShopifyPaymentsDispute', DisputesByIds, ids, (node) => ({
        id: node.id('id'),
        dispute: readDispute(node)
      }))
      if (!found.ok) return found
      return succeeded(
        new Map([...found.value].flatMap(([id, { dispute }]) => (dispute ? [[id, dispute] as const] : [])))
      )
    }
  }
}

/** An order as far as a document shows it. */
export type ReadOrder = { id: string; order: PlatformOrder; lines: LinesPage }

export function readWhole(node: Fields): ReadOrder {
  const order = readOrder(node)
  const { details, lines } = readDetails(node, order.id, order.currency)
  return { id: order.id, order: { ...order, details }, lines }
}

async function findWholeOrders(
  client: PlatformClient,
  ids: string[]
): Promise<PlatformResult<Map<string, PlatformOrder>>> {
  const read = await findByIds(client, 'Order', WholeOrdersByIds, ids, readWhole, { withheld: 'missing' })
  if (!read.ok) return read
  const whole = new Map<string, PlatformOrder>()
  for (const one of read.value.values()) {
    const complete = isCut(one) ? await findWholeOrder(client, one.id) : succeeded(one.order)
    if (!complete.ok) return complete
    if (complete.value) whole.set(one.id, wholeOrder(complete.value))
  }
  return succeeded(whole)
}

/** Whether an order may have more in its lists than was asked for. */
const isCut = ({ order, lines }: ReadOrder): boolean =>
  lines.after !== null ||
  order.details!.transactions.length === FIRST.transactions ||
  order.details!.refunds.length === FIRST.refunds

/** One order with all of its lines; null when it is gone by then. */
async function findWholeOrder(client: PlatformClient, id: string): Promise<PlatformResult<PlatformOrder | null>> {
  const gid = client.gid('Order', id)
  const first = await client.query(WholeOrder, { id: gid }, (data) => {
    const order = data.maybeAt('order')
    return order && readWhole(order)
  })
  if (!first.ok || !first.value) return first.ok ? succeeded(null) : first
  const { order, lines } = first.value
  const all = order.details!
  for (let { after } = lines; after !== null; ) {
    const page: PlatformResult<LinesPage> = await client.query(LinesOfOrder, { id: gid, after }, (data) =>
      readLines(data.at('order').at('lineItems'), order.currency)
    )
    if (!page.ok) return page
    all.lines.push(...page.value.items)
    all.coupons.push(...page.value.coupons)
    Object.assign(all, withAutomatic([...(all.automaticDiscounts ?? []), ...page.value.automatic]))
    after = page.value.after
  }
  return succeeded(order)
}

/** An order of which all lines were read: each code once, also one that took nothing off. */
export function wholeOrder(order: PlatformOrder): PlatformOrder {
  const details = withCurrentTotal(order.details!)
  const codes = order.discountCodes.map((code) => ({ code, amountMinor: 0 }))
  return { ...order, details: { ...details, coupons: sumByCode([...codes, ...details.coupons]) } }
}

function readDispute(node: Fields): PlatformDispute | null {
  const order = node.maybeAt('order')
  if (!order) return null
  const amount = node.at('amount')
  const currency = amount.text('currencyCode')
  const reason = node.maybeAt('reasonDetails')
  return {
    id: node.id('id'),
    orderId: order.id('id'),
    type: node.lower('type'),
    status: node.lower('status'),
    reason: reason?.maybeText('reason')?.toLowerCase() ?? null,
    networkReasonCode: reason?.maybeText('networkReasonCode') ?? null,
    amountMinor: amount.amount('amount', currency),
    currency,
    initiatedAt: node.instant('initiatedAt'),
    finalizedAt: node.maybeInstant('finalizedOn')
  }
}
