// What follows from the platform's own records of a sandbox shop, computed as plainly as it can be: one order after the other.
import assert from 'node:assert/strict'
import { instant, int, json, nullable, type RowOf, row, sql, text, textList } from '#kit/postgres'
import type { startServiceHere } from '../test/service-here.ts'

/** When a customer held an active membership; `to` is null while it lasts. */
export type ActiveTime = { customerId: string; tier: string; from: Temporal.Instant; to: Temporal.Instant | null }

type Service = Awaited<ReturnType<typeof startServiceHere>>
/** The tag of an active member and the credit of a paid cycle, by the name of each membership's plan. */
export type Memberships = Record<string, { tag: string; creditMinor: number }>
/** Tags that people of the shop added, by `Customer/1` or `Order/1`. */
export type TagsByHand = Map<string, string[]>

const ShopOrder = row({
  id: text,
  customerId: text,
  contractId: nullable(text),
  began: textList,
  financialStatus: text,
  placedAt: instant,
  isCancelled: int,
  totalMinor: int,
  attributes: json<{ name: string; value: string }[]>(),
  tags: textList,
  lastRefundAt: nullable(instant),
  disputeType: nullable(text),
  disputeStatus: nullable(text),
  disputedAt: nullable(instant),
  creditSpentMinor: int,
  creditReturnedMinor: int
})
type ShopOrder = RowOf<typeof ShopOrder>
const ShopContract = row({ id: text, customerId: text, status: text, plan: text })

type Kind = { checkoutType: string; orderTag: string; chargeNumber: number | null; status: string; tags: string[] }
type Firsts = {
  first: string
  membership: string
  renewal: string
  product: string
  productRenewal: string
  type: string
}

/** What the trial of a membership costs. */
export const TRIAL_MINOR = 100
const MAX_TAG = 40

/** Compares kinds, first dates and tags with what the service has, and the tags on the platform. Returns how many owners of tags. */
export async function compareWithPlatform(
  service: Service,
  storeId: number,
  { memberships, active, byHand }: { memberships: Memberships; active: ActiveTime[]; byHand: TagsByHand }
): Promise<number> {
  const withTheirs = (owner: string, tags: string[]) => [...tags, ...(byHand.get(owner) ?? [])].sort()
  const { orders, contracts } = await readShop(service, storeId)
  const kinds = kindsOf(orders, contracts, memberships, active)
  const byOrder = await kindsHere(service, storeId)
  for (const order of orders) {
    const { tags, ...expected } = kinds.get(order.id)!
    assert.deepEqual(byOrder.get(order.id), expected, `order ${order.id}`)
    assert.deepEqual(order.tags.toSorted(), withTheirs(`Order/${order.id}`, tags), `tags of order ${order.id}`)
  }
  assert.equal(byOrder.size, orders.length, 'orders that are known')

  const firsts = firstsOf(orders, kinds)
  assert.deepEqual(await firstsHere(service, storeId), firsts, 'first-order dates')

  const customers = await service.sandboxDb.inInstallation((tx) =>
    tx.many(
      row({ id: text, tags: textList }),
      sql`select id::text as id, tags from sandbox.customers where store_id = ${storeId} order by id`
    )
  )
  for (const { id, tags } of customers) {
    const held = active.filter(({ customerId, to }) => customerId === id && to === null).map(({ tier }) => tier)
    const ours = [...new Set(held)].map((tier) => memberships[tier]!.tag)
    assert.deepEqual(tags.toSorted(), withTheirs(`Customer/${id}`, ours), `customer ${id}`)
  }
  return orders.length + customers.length
}

function kindsOf(
  orders: ShopOrder[],
  contracts: Map<string, RowOf<typeof ShopContract>>,
  memberships: Memberships,
  active: ActiveTime[]
): Map<string, Kind> {
  const counted = new Map<string, number>()
  const kinds = new Map<string, Kind>()
  for (const order of orders) {
    const parts = [...new Set([...order.began, ...(order.contractId ? [order.contractId] : [])])].map((id) => {
      const number = (counted.get(id) ?? 0) + 1
      counted.set(id, number)
      const { plan } = contracts.get(id)!
      const isFirst = order.began.includes(id)
      return { plan, isMembership: plan in memberships, isFirst, number }
    })
    const membership = parts.find(({ isMembership }) => isMembership)
    const product = parts.find(({ isMembership }) => !isMembership)
    const isTrial = membership?.isFirst === true && order.totalMinor === TRIAL_MINOR
    const held = active.find(
      ({ customerId, from, to }) =>
        customerId === order.customerId &&
        Temporal.Instant.compare(from, order.placedAt) <= 0 &&
        (to === null || Temporal.Instant.compare(order.placedAt, to) < 0)
    )
    const orderTag = membership
      ? isTrial
        ? 'trial fee'
        : membership.isFirst
          ? 'New-vip'
          : 'recharge'
      : product
        ? product.isFirst
          ? 'New-SubsProd'
          : 'SubsProd-Recharge'
        : ''
    const isDisputed = order.disputeStatus !== null && !['WON', 'PREVENTED'].includes(order.disputeStatus)
    const ended = ['refunded', 'voided'].includes(order.financialStatus) ? order.financialStatus : ''
    kinds.set(order.id, {
      checkoutType: membership ? 'VIP' : product ? 'Product Subscription' : held ? 'VIP' : 'PAYG',
      orderTag,
      chargeNumber: (membership ?? product)?.number ?? null,
      status: ['recharge', 'SubsProd-Recharge'].includes(orderTag) ? (isDisputed ? 'Dispute' : ended) : '',
      tags: [
        ...new Set([
          ...(membership
            ? [
                isTrial
                  ? `${membership.plan}-trial`
                  : membership.isFirst
                    ? `new-${membership.plan}`
                    : `${membership.plan}-Recharge`
              ]
            : held
              ? [held.tier]
              : []),
          ...(product ? [product.isFirst ? 'New-SubsProd' : 'SubsProd-Recharge'] : []),
          ...parts.map(({ number }) => `charge-${number}`),
          ...(order.creditSpentMinor > 0 ? ['credits-redeemed'] : []),
          ...(order.creditReturnedMinor > 0 ? ['credits-redeemed-restored'] : []),
          ...chargebackTags(order),
          ...order.attributes
            .filter(({ name }) => name === 'deliverySchedule')
            .map(({ value }) => `deliverySchedule: ${value.replaceAll(',', ' ')}`.slice(0, MAX_TAG)),
          ...(order.attributes.some(({ name }) => name === 'mystery_gift') ? ['mystery_gift'] : [])
        ])
      ].sort()
    })
  }
  return kinds
}

function chargebackTags({ disputeType, disputeStatus, disputedAt, lastRefundAt }: ShopOrder): string[] {
  if (disputeStatus === 'LOST' || disputeStatus === 'ACCEPTED') return ['Chargeback-Bank-Refund']
  if (disputeStatus === 'PREVENTED') return ['Chargeback-Alert-Refund']
  const isRefundedInquiry =
    disputeType === 'INQUIRY' &&
    disputeStatus !== 'WON' &&
    lastRefundAt !== null &&
    Temporal.Instant.compare(lastRefundAt, disputedAt!) >= 0
  return isRefundedInquiry ? ['Chargeback-Alert-Refund'] : []
}

function firstsOf(orders: ShopOrder[], kinds: Map<string, Kind>): Map<string, Firsts> {
  const firsts = new Map<string, Firsts>()
  for (const order of orders.filter(({ isCancelled }) => isCancelled === 0)) {
    const { orderTag, checkoutType, tags } = kinds.get(order.id)!
    const known = firsts.get(order.customerId)
    const at = order.placedAt.toString()
    const found = known ?? {
      first: at,
      membership: '',
      renewal: '',
      product: '',
      productRenewal: '',
      type: checkoutType
    }
    firsts.set(order.customerId, found)
    if (['New-vip', 'trial fee', 'recharge'].includes(orderTag)) found.membership ||= at
    if (orderTag === 'recharge') found.renewal ||= at
    if (tags.includes('New-SubsProd') || tags.includes('SubsProd-Recharge')) found.product ||= at
    if (tags.includes('SubsProd-Recharge')) found.productRenewal ||= at
  }
  return firsts
}

async function readShop(service: Service, storeId: number) {
  return service.sandboxDb.inInstallation(async (tx) => {
    const orders = await tx.many(
      ShopOrder,
      sql`
      select o.id::text as id, o.customer_id::text as customer_id, o.contract_id::text as contract_id,
             coalesce(begun.ids, '{}') as began,
             o.financial_status, o.processed_at as placed_at, (o.cancelled_at is not null)::int as is_cancelled, o.total_minor,
             o.attributes, o.tags, r.at as last_refund_at, d.type as dispute_type, d.status as dispute_status,
             d.initiated_at as disputed_at, coalesce(c.spent, 0) as credit_spent_minor, coalesce(c.returned, 0) as credit_returned_minor
        from sandbox.orders o
        left join (select origin_order_id, array_agg(id::text order by id) as ids from sandbox.contracts
                    where store_id = ${storeId} group by origin_order_id) begun on begun.origin_order_id = o.id
        left join sandbox.disputes d on d.store_id = ${storeId} and d.order_id = o.id
        left join (select order_id, max(created_at) as at from sandbox.refunds where store_id = ${storeId} group by order_id) r
               on r.order_id = o.id
        left join (
          select order_id, (sum(amount_minor) filter (where kind = 'SALE'))::bigint as spent,
                 (sum(amount_minor) filter (where kind = 'REFUND'))::bigint as returned
            from sandbox.transactions where store_id = ${storeId} and paid_from is not null group by order_id) c on c.order_id = o.id
       where o.store_id = ${storeId} order by o.processed_at, o.id`
    )
    const contracts = await tx.many(
      ShopContract,
      sql`
      select id::text as id, customer_id::text as customer_id, status, lines -> 0 ->> 'title' as plan
        from sandbox.contracts where store_id = ${storeId}`
    )
    return { orders, contracts: new Map(contracts.map((contract) => [contract.id, contract])) }
  })
}

async function kindsHere(service: Service, storeId: number): Promise<Map<string, Omit<Kind, 'tags'>>> {
  const rows = await service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({
        id: text,
        checkoutType: nullable(text),
        orderTag: nullable(text),
        chargeNumber: nullable(int),
        status: nullable(text)
      }),
      sql`
      select o.platform_order_id as id, e.checkout_type, e.order_tag, e.charge_number, e.autocharge_status as status
        from orders o left join order_effects e on e.store_id = ${storeId} and e.order_id = o.id where o.store_id = ${storeId}`
    )
  )
  return new Map(rows.map(({ id, ...kind }) => [id, kind as Omit<Kind, 'tags'>]))
}

async function firstsHere(service: Service, storeId: number): Promise<Map<string, Firsts>> {
  const rows = await service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({
        customer: text,
        first: instant,
        membership: nullable(instant),
        renewal: nullable(instant),
        product: nullable(instant),
        productRenewal: nullable(instant),
        type: text
      }),
      sql`
      select m.platform_customer_id as customer, f.first_at as first, f.membership_at as membership,
             f.membership_renewal_at as renewal, f.product_at as product, f.product_renewal_at as product_renewal,
             coalesce(f.checkout_type, '') as type
        from first_orders f join members m on m.store_id = ${storeId} and m.id = f.member_id where f.store_id = ${storeId}`
    )
  )
  const at = (instant: Temporal.Instant | null) => instant?.toString() ?? ''
  return new Map(
    rows.map(({ customer, first, membership, renewal, product, productRenewal, type }) => [
      customer,
      {
        first: at(first),
        membership: at(membership),
        renewal: at(renewal),
        product: at(product),
        productRenewal: at(productRenewal),
        type
      }
    ])
  )
}
