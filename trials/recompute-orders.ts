// What follows from the platform's own records of a sandbox shop, computed as plainly as it can be: one order after the other.
import assert from 'node:assert/strict'
import { instant, int, json, nullable, type RowOf, row, sql, text, textList } from '#kit/postgres'
import type { startServiceHere } from '../test/service-here.ts'

/** When a customer held an active membership; `to` is null while it lasts. */
export type ActiveTime = { customerId: string; tier: string; from: Temporal.Instant; to: Temporal.Instant | null }

type Service = Awaited<ReturnType<typeof startServiceHere>>
/** The tag of an active member, by the name of each membership's plan. */
export type Memberships = Record<string, string>

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
  refundedMinor: int,
  lastRefundAt: nullable(instant),
  disputeType: nullable(text),
  disputeStatus: nullable(text),
  disputedAt: nullable(instant),
  disputedMinor: int
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

const TRIAL_MINOR = 100
const MAX_TAG = 40

/** Compares kinds, first dates and tags with what the service has, and the tags on the platform. Returns how many owners of tags. */
export async function compareWithPlatform(
  service: Service,
  storeId: number,
  { memberships, active }: { memberships: Memberships; active: ActiveTime[] }
): Promise<number> {
  const { orders, contracts } = await readShop(service, storeId)
  const kinds = kindsOf(orders, contracts, memberships, active)
  const byOrder = await kindsHere(service, storeId)
  for (const order of orders) {
    const { tags, ...expected } = kinds.get(order.id)!
    assert.deepEqual(byOrder.get(order.id), expected, `order ${order.id}`)
    assert.deepEqual(order.tags.toSorted(), tags, `tags of order ${order.id}`)
  }
  assert.equal(byOrder.size, orders.length, 'orders that are known')

  await compareTaken(service, storeId, orders)
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
    assert.deepEqual(tags.toSorted(), [...new Set(held)].map((tier) => memberships[tier]!).sort(), `customer ${id}`)
  }
  return orders.length + customers.length
}

/**
 * Of what each order has issued, the part that was refunded or disputed is taken back: all of it where nothing was short, and never more.
 */
async function compareTaken(service: Service, storeId: number, orders: ShopOrder[]): Promise<void> {
  const rows = await service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ id: text, issuedMinor: int, takenMinor: int, shortMinor: int }),
      sql`
      select o.platform_order_id as id, (sum(e.amount_minor) filter (where e.type = 1))::bigint as issued_minor,
             coalesce(-sum(e.amount_minor) filter (where e.type in (6, 13)), 0)::bigint as taken_minor,
             coalesce(sum(e.shortfall_minor) filter (where e.type in (6, 13)), 0)::bigint as short_minor
        from credit_entries e join orders o on o.store_id = ${storeId} and o.id = e.order_id
       where e.store_id = ${storeId}
       group by o.platform_order_id having bool_or(e.type = 1)`
    )
  )
  const byId = new Map(rows.map((taken) => [taken.id, taken]))
  for (const { id, totalMinor, refundedMinor, disputeType, disputeStatus, disputedMinor } of orders) {
    const issued = byId.get(id)
    if (!issued) continue
    const isLost = ['LOST', 'ACCEPTED'].includes(disputeStatus ?? '')
    const isOpen = ['NEEDS_RESPONSE', 'UNDER_REVIEW'].includes(disputeStatus ?? '')
    const gone = refundedMinor + (isLost || (isOpen && disputeType === 'CHARGEBACK') ? disputedMinor : 0)
    const owed = Math.floor((issued.issuedMinor * Math.min(gone, totalMinor)) / totalMinor)
    const { takenMinor, shortMinor } = issued
    const isRight = takenMinor <= owed && (shortMinor > 0 || takenMinor === owed)
    assert.ok(isRight, `credit of order ${id}: ${takenMinor} taken of ${owed}, ${shortMinor} short`)
  }
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
          ...chargebackTags(order),
          ...order.attributes
            .filter(({ name }) => name === 'deliverySchedule')
            .map(({ value }) => `deliverySchedule: ${value.replaceAll(',', ' ')}`.slice(0, MAX_TAG))
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
             array(select c.id::text from sandbox.contracts c where c.store_id = ${storeId} and c.origin_order_id = o.id order by c.id)
               as began,
             o.financial_status, o.processed_at as placed_at, (o.cancelled_at is not null)::int as is_cancelled, o.total_minor,
             o.attributes, o.tags, r.at as last_refund_at, r.minor as refunded_minor, d.type as dispute_type, d.status as dispute_status,
             d.initiated_at as disputed_at, coalesce(d.amount_minor, 0) as disputed_minor
        from sandbox.orders o
        left join sandbox.disputes d on d.store_id = ${storeId} and d.order_id = o.id
        left join lateral (
          select max(created_at) as at, coalesce(sum(amount_minor), 0)::bigint as minor from sandbox.refunds r where r.store_id = ${storeId} and r.order_id = o.id) r on true
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
