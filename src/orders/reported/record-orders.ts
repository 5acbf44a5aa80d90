import { record } from '#kit/outbox'
import { type Ctx, sql } from '#kit/postgres'
import { type CustomerUpdate, findErasedCustomers, insertMissingCustomers } from '#members'
import type { PlatformOrder } from '#platform'
import { settingsOf, storeContext } from '#stores'
import { findChannels, recordChannels } from '../channels.ts'
import { type Discrepancy, recordDiscrepancies } from '../discrepancies.ts'
import { orderRecorded } from '../events/order-recorded.ts'
import { digestOf, type StoredOrder } from '../order.ts'
import { brandSettings } from '../settings.ts'
import { mergeOrder, newsIn, type ReportSource, type Resolved } from './merge-order.ts'
import { findKnownOrders, findMemberIds, lockOrders, RecordedOrder } from './order-queries.ts'
import { withoutErased } from './without-erased.ts'

export type OrdersRecorded = {
  /** By the platform's id, all that were reported. */
  orders: Map<string, RecordedOrder>
  /** The rows that were written, as they are now. */
  written: { order: StoredOrder; isNew: boolean; formerMemberId: number | null }[]
  /** The platform's ids of orders about which messages contradict each other: only the platform knows what is right. */
  contradictory: string[]
}

/**
 * Stores orders as the platform reports them. If an order is reported twice or out of order, the newest revision stays
 * (`merge-order.ts`), and a repetition writes nothing. Unknown customers are created. What the platform withholds from us stays as it
 * is.
 */
export async function storeOrders(ctx: Ctx, reported: PlatformOrder[], source: ReportSource): Promise<OrdersRecorded> {
  const rows = await findKnownOrders(
    ctx,
    reported.map(({ id }) => id)
  )
  const known = new Map(rows.map((o) => [o.platformOrderId, o]))
  const { newest, contradictory } = newestOfEach(await withoutErased(ctx, reported, known), source)
  const recorded: OrdersRecorded = { orders: new Map(), written: [], contradictory }
  if (newest.length === 0) return recorded
  for (const order of known.values()) recorded.orders.set(order.platformOrderId, order)
  const toWrite: PlatformOrder[] = []
  for (const order of newest) {
    const row = known.get(order.id)
    const news = row ? newsIn(row, order, source) : 'new'
    if (news === 'new') toWrite.push(order)
    else if (news === 'contradicts') contradictory.push(order.id)
  }
  if (toWrite.length === 0) return recorded

  const resolve = await resolver(ctx, toWrite)
  const added = await addOrders(
    ctx,
    toWrite.filter(({ id }) => !known.has(id)),
    source,
    resolve
  )
  for (const { order } of added) recorded.orders.set(order.platformOrderId, order)
  const isAdded = new Set(added.map(({ order }) => order.platformOrderId))
  const changed = await changeOrders(
    ctx,
    toWrite.filter(({ id }) => !isAdded.has(id)),
    source,
    resolve
  )
  // Also those that somebody else has inserted meanwhile, and that have no news now.
  for (const order of changed.locked) recorded.orders.set(order.platformOrderId, order)
  contradictory.push(...changed.contradictory)
  recorded.written.push(...added, ...changed.written)
  await recordPeculiarities(ctx, recorded.written)
  await record(ctx, ...recorded.written.map(({ order, ...written }) => orderRecorded(order, written)))
  return recorded
}

/** Stores orders that were read from the platform without details, and returns our rows by the platform's order id. */
export async function recordOrders(ctx: Ctx, reported: PlatformOrder[]): Promise<Map<string, RecordedOrder>> {
  return (await storeOrders(ctx, reported, 'platform')).orders
}

/** Of several reports of one order the newest revision; of the same revision the last one. */
function newestOfEach(reported: PlatformOrder[], source: ReportSource) {
  const newest = new Map<string, PlatformOrder>()
  const contradictory = new Set<string>()
  for (const order of reported) {
    const other = newest.get(order.id)
    const isSame = other?.updatedAt.equals(order.updatedAt) ?? false
    if (source === 'message' && isSame && digestOf(order) !== digestOf(other!)) contradictory.add(order.id)
    if (!other || isSame || Temporal.Instant.compare(order.updatedAt, other.updatedAt) > 0) newest.set(order.id, order)
  }
  return { newest: [...newest.values()].sort((a, b) => (a.id < b.id ? -1 : 1)), contradictory: [...contradictory] }
}

/** What reports lack: our customers, the names of apps, brands. */
async function resolver(ctx: Ctx, orders: PlatformOrder[]): Promise<(order: PlatformOrder) => Resolved> {
  const byCustomer = new Map(orders.filter((o) => o.customerId !== null).map((o) => [o.customerId!, o]))
  const customers = [...byCustomer].map(([id, { email, details }]) => ({
    id,
    email,
    firstName: details?.customer?.firstName ?? null,
    lastName: details?.customer?.lastName ?? null,
    createdAt: details?.customer?.createdAt ?? null
  }))
  const members = await memberIdsOf(ctx, customers)
  const apps = new Map(
    orders.flatMap(({ details }) => (details?.appId ? [[details.appId, details.appName] as const] : []))
  )
  const channels = apps.size > 0 ? await findChannels(ctx, [...apps.keys()]) : new Map<string, string>()
  const named = new Map([...apps].flatMap(([id, name]) => (name && !channels.has(id) ? [[id, name] as const] : [])))
  if (named.size > 0) await recordChannels(ctx, named)
  const brand = await settingsOf(ctx, brandSettings)
  return ({ customerId, details }) => ({
    memberId: customerId === null ? null : (members.get(customerId) ?? null),
    channel: details?.appId ? (channels.get(details.appId) ?? named.get(details.appId) ?? null) : null,
    brand: details?.attributes.find(({ name }) => name === brand.attribute)?.value || brand.default || null
  })
}

/** Customers who are unknown are created; mostly there is none. */
async function memberIdsOf(ctx: Ctx, customers: CustomerUpdate[]): Promise<Map<string, number>> {
  if (customers.length === 0) return new Map()
  const ids = customers.map(({ id }) => id)
  const known = await findMemberIds(ctx, ids)
  const missing = customers.filter(({ id }) => !known.has(id))
  if (missing.length === 0) return known
  await insertMissingCustomers(ctx, missing)
  const found = await findMemberIds(ctx, ids)
  if (found.size === ids.length) return found
  const erased = await findErasedCustomers(
    ctx,
    ids.filter((id) => !found.has(id))
  )
  return new Map([...found, ...[...erased].map(([id, customer]) => [id, customer.id] as const)])
}

async function addOrders(
  ctx: Ctx,
  orders: PlatformOrder[],
  source: ReportSource,
  resolve: (order: PlatformOrder) => Resolved
): Promise<OrdersRecorded['written']> {
  if (orders.length === 0) return []
  const rows = orders.map((order) => mergeOrder(null, order, source, resolve(order)))
  const inserted = await insertOrders(
    ctx,
    rows,
    orders.map(({ createdAt }) => createdAt)
  )
  const idOf = new Map(inserted.map(({ platformOrderId, id }) => [platformOrderId, id]))
  return rows.flatMap((row) => {
    const id = idOf.get(row.platformOrderId)
    return id === undefined ? [] : { order: { ...row, id }, isNew: true, formerMemberId: null }
  })
}

/** A statement after the insert, so that it sees what somebody else has inserted meanwhile. */
async function changeOrders(
  ctx: Ctx,
  orders: PlatformOrder[],
  source: ReportSource,
  resolve: (order: PlatformOrder) => Resolved
) {
  const changed = {
    written: [] as OrdersRecorded['written'],
    contradictory: [] as string[],
    locked: [] as RecordedOrder[]
  }
  if (orders.length === 0) return changed
  const locked = new Map(
    (
      await lockOrders(
        ctx,
        orders.map(({ id }) => id)
      )
    ).map((o) => [o.platformOrderId, o])
  )
  for (const order of orders) {
    const row = locked.get(order.id)
    if (!row) continue
    changed.locked.push(row)
    const news = newsIn(row, order, source)
    if (news === 'contradicts') changed.contradictory.push(order.id)
    if (news !== 'new') continue
    const merged = { ...mergeOrder(row, order, source, resolve(order)), id: row.id }
    const formerMemberId = merged.memberId === row.memberId ? null : row.memberId
    changed.written.push({ order: merged, isNew: false, formerMemberId })
  }
  if (changed.written.length > 0) {
    await updateOrders(
      ctx,
      changed.written.map(({ order }) => order)
    )
  }
  return changed
}

/** What can be recorded and should be looked at. */
async function recordPeculiarities(ctx: Ctx, written: OrdersRecorded['written']): Promise<void> {
  const { currency } = await storeContext(ctx)
  const found = written.flatMap(({ order }): Discrepancy[] => {
    const { platformOrderId, lines } = order
    const about = { platformOrderId, subject: `order ${platformOrderId}` }
    const negative = lines?.find((line) => line.quantity < 0 || line.priceMinor < 0)
    return [
      ...(order.currency === currency
        ? []
        : [
            {
              ...about,
              kind: 'other_currency' as const,
              message: `is in ${order.currency} and the store in ${currency}: it is in no metric of money`
            }
          ]),
      ...(negative
        ? [
            {
              ...about,
              kind: 'negative_line' as const,
              message: `has a line with a negative quantity or price: ${negative.quantity} x "${negative.title}"`
            }
          ]
        : [])
    ]
  })
  await recordDiscrepancies(ctx, found)
}

/** Inserts orders that are new here, and returns their rows; one that somebody else has inserted meanwhile is left out. */
function insertOrders(
  ctx: Ctx,
  orders: Omit<StoredOrder, 'id'>[],
  created: Temporal.Instant[]
): Promise<RecordedOrder[]> {
  return ctx.tx.many(
    RecordedOrder,
    // unnest() flattens nested arrays, so lists are passed as JSON.
    sql`
    insert into orders (store_id, platform_order_id, member_id, name, number, email, currency, total_minor, tax_minor, discount_minor, refunded_minor,
      financial_status, gateway, country_code, province, tags, discount_codes, source_name, cancelled_at, processed_at,
      platform_updated_at, details_at, message_digest, read_digest, customer_name, subtotal_minor, is_tax_included,
      current_total_minor, shipping_minor, shipping_discount_minor, app_id, channel, brand, coupons, automatic_discounts, attributes, lines,
      created_at, updated_at)
    select ${ctx.storeId}, t.platform_order_id, t.member_id, t.name, t.number, t.email, t.currency, t.total_minor, t.tax_minor,
           t.discount_minor, t.refunded_minor, t.financial_status, t.gateway, t.country_code, t.province,
           array(select jsonb_array_elements_text(t.tags::jsonb)),
           array(select jsonb_array_elements_text(t.discount_codes::jsonb)), t.source_name, t.cancelled_at, t.processed_at,
           t.platform_updated_at, t.details_at, t.message_digest, t.read_digest, t.customer_name, t.subtotal_minor,
           t.is_tax_included, t.current_total_minor, t.shipping_minor, t.shipping_discount_minor, t.app_id, t.channel, t.brand, t.coupons::jsonb, t.automatic_discounts::jsonb,
           t.attributes::jsonb, t.lines::jsonb, t.created_at, ${ctx.now}
      from unnest(${orders.map((o) => o.platformOrderId)}::text[], ${orders.map((o) => o.memberId)}::bigint[],
                  ${orders.map((o) => o.name)}::text[], ${orders.map((o) => o.number)}::text[],
                  ${orders.map((o) => o.email)}::text[], ${orders.map((o) => o.currency)}::text[],
                  ${orders.map((o) => o.totalMinor)}::bigint[], ${orders.map((o) => o.taxMinor)}::bigint[],
                  ${orders.map((o) => o.discountMinor)}::bigint[], ${orders.map((o) => o.refundedMinor)}::bigint[],
                  ${orders.map((o) => o.financialStatus)}::text[], ${orders.map((o) => o.gateway)}::text[],
                  ${orders.map((o) => o.countryCode)}::text[], ${orders.map((o) => o.province)}::text[],
                  ${orders.map((o) => JSON.stringify(o.tags))}::text[],
                  ${orders.map((o) => JSON.stringify(o.discountCodes))}::text[], ${orders.map((o) => o.sourceName)}::text[],
                  ${orders.map((o) => o.cancelledAt)}::timestamptz[], ${orders.map((o) => o.processedAt)}::timestamptz[],
                  ${orders.map((o) => o.platformUpdatedAt)}::timestamptz[], ${orders.map((o) => o.detailsAt)}::timestamptz[],
                  ${orders.map((o) => o.messageDigest)}::text[], ${orders.map((o) => o.readDigest)}::text[],
                  ${orders.map((o) => o.customerName)}::text[], ${orders.map((o) => o.subtotalMinor)}::bigint[],
                  ${orders.map((o) => o.isTaxIncluded)}::boolean[], ${orders.map((o) => o.currentTotalMinor)}::bigint[],
                  ${orders.map((o) => o.shippingMinor)}::bigint[],
                  ${orders.map((o) => o.shippingDiscountMinor)}::bigint[], ${orders.map((o) => o.appId)}::text[],
                  ${orders.map((o) => o.channel)}::text[], ${orders.map((o) => o.brand)}::text[],
                  ${orders.map((o) => jsonOf(o.coupons))}::text[], ${orders.map((o) => jsonOf(o.automaticDiscounts))}::text[],
                  ${orders.map((o) => jsonOf(o.attributes))}::text[],
                  ${orders.map((o) => jsonOf(o.lines))}::text[], ${created}::timestamptz[])
             as t(platform_order_id, member_id, name, number, email, currency, total_minor, tax_minor, discount_minor,
                  refunded_minor, financial_status, gateway, country_code, province, tags, discount_codes, source_name,
                  cancelled_at, processed_at, platform_updated_at, details_at, message_digest, read_digest, customer_name,
                  subtotal_minor, is_tax_included, current_total_minor, shipping_minor, shipping_discount_minor, app_id, channel, brand, coupons, automatic_discounts,
                  attributes, lines, created_at)
     order by t.platform_order_id
    on conflict (store_id, platform_order_id) do nothing
    returning id, platform_order_id, name, number`
  )
}

/** Writes whole rows. They must be locked. */
async function updateOrders(ctx: Ctx, orders: StoredOrder[]): Promise<void> {
  await ctx.tx.run(sql`
    update orders o
       set member_id = t.member_id, name = t.name, number = t.number, email = t.email, currency = t.currency,
           total_minor = t.total_minor, tax_minor = t.tax_minor, discount_minor = t.discount_minor,
           refunded_minor = t.refunded_minor, financial_status = t.financial_status, gateway = t.gateway,
           country_code = t.country_code, province = t.province,
           tags = array(select jsonb_array_elements_text(t.tags::jsonb)),
           discount_codes = array(select jsonb_array_elements_text(t.discount_codes::jsonb)), source_name = t.source_name,
           cancelled_at = t.cancelled_at, processed_at = t.processed_at, platform_updated_at = t.platform_updated_at,
           details_at = t.details_at, message_digest = t.message_digest, read_digest = t.read_digest,
           customer_name = t.customer_name, subtotal_minor = t.subtotal_minor,
           is_tax_included = t.is_tax_included, current_total_minor = t.current_total_minor, shipping_minor = t.shipping_minor,
           shipping_discount_minor = t.shipping_discount_minor, app_id = t.app_id, channel = t.channel, brand = t.brand, coupons = t.coupons::jsonb,
           automatic_discounts = t.automatic_discounts::jsonb,
           attributes = t.attributes::jsonb, lines = t.lines::jsonb,
           updated_at = ${ctx.now}
      from unnest(${orders.map((o) => o.id)}::bigint[], ${orders.map((o) => o.memberId)}::bigint[],
                  ${orders.map((o) => o.name)}::text[], ${orders.map((o) => o.number)}::text[],
                  ${orders.map((o) => o.email)}::text[], ${orders.map((o) => o.currency)}::text[],
                  ${orders.map((o) => o.totalMinor)}::bigint[], ${orders.map((o) => o.taxMinor)}::bigint[],
                  ${orders.map((o) => o.discountMinor)}::bigint[], ${orders.map((o) => o.refundedMinor)}::bigint[],
                  ${orders.map((o) => o.financialStatus)}::text[], ${orders.map((o) => o.gateway)}::text[],
                  ${orders.map((o) => o.countryCode)}::text[], ${orders.map((o) => o.province)}::text[],
                  ${orders.map((o) => JSON.stringify(o.tags))}::text[],
                  ${orders.map((o) => JSON.stringify(o.discountCodes))}::text[], ${orders.map((o) => o.sourceName)}::text[],
                  ${orders.map((o) => o.cancelledAt)}::timestamptz[], ${orders.map((o) => o.processedAt)}::timestamptz[],
                  ${orders.map((o) => o.platformUpdatedAt)}::timestamptz[], ${orders.map((o) => o.detailsAt)}::timestamptz[],
                  ${orders.map((o) => o.messageDigest)}::text[], ${orders.map((o) => o.readDigest)}::text[],
                  ${orders.map((o) => o.customerName)}::text[], ${orders.map((o) => o.subtotalMinor)}::bigint[],
                  ${orders.map((o) => o.isTaxIncluded)}::boolean[], ${orders.map((o) => o.currentTotalMinor)}::bigint[],
                  ${orders.map((o) => o.shippingMinor)}::bigint[],
                  ${orders.map((o) => o.shippingDiscountMinor)}::bigint[], ${orders.map((o) => o.appId)}::text[],
                  ${orders.map((o) => o.channel)}::text[], ${orders.map((o) => o.brand)}::text[],
                  ${orders.map((o) => jsonOf(o.coupons))}::text[], ${orders.map((o) => jsonOf(o.automaticDiscounts))}::text[],
                  ${orders.map((o) => jsonOf(o.attributes))}::text[],
                  ${orders.map((o) => jsonOf(o.lines))}::text[])
             as t(id, member_id, name, number, email, currency, total_minor, tax_minor, discount_minor, refunded_minor,
                  financial_status, gateway, country_code, province, tags, discount_codes, source_name, cancelled_at,
                  processed_at, platform_updated_at, details_at, message_digest, read_digest, customer_name, subtotal_minor,
                  is_tax_included, current_total_minor, shipping_minor, shipping_discount_minor, app_id, channel, brand, coupons, automatic_discounts, attributes,
                  lines)
     where o.store_id = ${ctx.storeId} and o.id = t.id`)
}

const jsonOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
