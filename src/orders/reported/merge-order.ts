import { isDeepStrictEqual } from 'node:util'
import type { OrderLine, PlatformOrder } from '#platform'
import { digestOf, type KnownOrder, type StoredOrder } from '../order.ts'

/** Whether the platform sent a report by itself, or was asked for it: then it is the present state. */
export type ReportSource = 'message' | 'platform'

/** `contradicts`: another report of the same revision says something else, or a part that never changes has changed. */
export type News = 'new' | 'none' | 'contradicts'

/** What a report lacks and its row has. */
export type Resolved = { memberId: number | null; channel: string | null; brand: string | null }

const isBefore = (one: Temporal.Instant, other: Temporal.Instant) => Temporal.Instant.compare(one, other) < 0

/**
 * Whether a report says something that the row does not have yet. The newest revision wins; of the same revision what was read from the
 * platform wins, and a message contradicts what it differs from: revisions have seconds, and an order can be changed and changed back
 * within one, so that neither content nor time tells which report is the last.
 */
export function newsIn(known: KnownOrder, reported: PlatformOrder, source: ReportSource): News {
  if (!reported.details) return newsInSummary(known, reported)
  const { detailsAt } = known
  if (detailsAt !== null && isBefore(reported.updatedAt, detailsAt)) return 'none'
  const isSameRevision = detailsAt !== null && reported.updatedAt.equals(detailsAt)
  if (source === 'platform') {
    return isSameRevision && known.readDigest === digestOf(reported) ? 'none' : 'new'
  }
  if (isSameRevision) return known.messageDigest === digestOf(reported) ? 'none' : 'contradicts'
  const areTotalsOther = reported.updatedAt.equals(known.platformUpdatedAt) && newsInSummary(known, reported) !== 'none'
  const isCurrencyOther = known.currency !== reported.currency && known.name !== ''
  return areTotalsOther || isCurrencyOther ? 'contradicts' : 'new'
}

function newsInSummary(known: KnownOrder, reported: PlatformOrder): News {
  if (isBefore(reported.updatedAt, known.platformUpdatedAt)) return 'none'
  if (!reported.updatedAt.equals(known.platformUpdatedAt)) return 'new'
  const before = summaryOf(known)
  const after = { ...before, ...summaryFrom(known, reported) }
  return JSON.stringify(before) === JSON.stringify(after) ? 'none' : 'new'
}

/** The row after a report that has news. */
export function mergeOrder(
  stored: StoredOrder | null,
  reported: PlatformOrder,
  source: ReportSource,
  { memberId, channel, brand }: Resolved
): Omit<StoredOrder, 'id'> {
  const isSummaryKnown =
    stored !== null &&
    !isBefore(stored.platformUpdatedAt, reported.updatedAt) &&
    // What was read at the same revision stays; a message may be older within its second.
    !(source === 'platform' && reported.updatedAt.equals(stored.platformUpdatedAt))
  const merged: Omit<StoredOrder, 'id'> = {
    ...(stored ?? NOTHING),
    ...(isSummaryKnown ? {} : { ...summaryFrom(stored, reported), platformUpdatedAt: reported.updatedAt }),
    platformOrderId: reported.id,
    memberId: memberId ?? stored?.memberId ?? null
  }
  const { details } = reported
  const isSameRevision = stored?.detailsAt?.equals(reported.updatedAt) ?? false
  if (!details) {
    const isOther = isSameRevision && !saysSame(stored!, merged)
    return isOther ? { ...merged, messageDigest: null, readDigest: null } : merged
  }
  const digest = digestOf(reported)
  const whole = {
    ...merged,
    customerName: details.customerName,
    subtotalMinor: details.subtotalMinor,
    isTaxIncluded: details.isTaxIncluded === undefined ? false : details.isTaxIncluded,
    currentTotalMinor: details.currentTotalMinor ?? null,
    shippingMinor: details.shippingMinor,
    shippingDiscountMinor: details.shippingDiscountMinor ?? 0,
    appId: details.appId,
    channel,
    brand,
    coupons: details.coupons,
    automaticDiscounts: details.automaticDiscounts ?? null,
    attributes: details.attributes,
    lines: source === 'platform' ? details.lines : withPlans(details.lines, stored?.lines ?? []),
    detailsAt: reported.updatedAt
  }
  if (source === 'message') return { ...whole, messageDigest: digest, readDigest: null }
  const isConfirmed = isSameRevision && saysSame(stored!, whole)
  return { ...whole, messageDigest: isConfirmed ? stored!.messageDigest : null, readDigest: digest }
}

/** Whether two states of a row agree in all that messages say. */
const saysSame = (before: StoredOrder, after: Omit<StoredOrder, 'id'>): boolean =>
  isDeepStrictEqual(saidBy(before), saidBy(after))

const saidBy = (order: Omit<StoredOrder, 'id'>): unknown =>
  JSON.parse(
    JSON.stringify({
      ...summaryOf(order),
      customerName: order.customerName,
      subtotalMinor: order.subtotalMinor,
      isTaxIncluded: order.isTaxIncluded,
      currentTotalMinor: order.currentTotalMinor,
      shippingMinor: order.shippingMinor,
      shippingDiscountMinor: order.shippingDiscountMinor ?? 0,
      appId: order.appId,
      coupons: order.coupons,
      automaticDiscounts: order.automaticDiscounts,
      attributes: order.attributes,
      lines: withPlans(order.lines ?? [], [])
    })
  )

/** Messages have neither selling plans nor contracts, and a line never changes them. */
function withPlans(lines: OrderLine[], before: OrderLine[]): OrderLine[] {
  const known = new Map(before.map((line) => [line.id, line]))
  return lines.map((line) => {
    const { sellingPlanId = null, contractId = null } = known.get(line.id) ?? {}
    return { ...line, sellingPlanId, contractId }
  })
}

type Summary = Pick<
  StoredOrder,
  | 'name'
  | 'number'
  | 'email'
  | 'currency'
  | 'totalMinor'
  | 'taxMinor'
  | 'discountMinor'
  | 'refundedMinor'
  | 'financialStatus'
  | 'gateway'
  | 'countryCode'
  | 'province'
  | 'tags'
  | 'discountCodes'
  | 'sourceName'
  | 'cancelledAt'
  | 'processedAt'
>

/** What the platform withholds stays as it is. */
function summaryFrom(stored: KnownOrder | null, reported: PlatformOrder): Summary {
  const isKept = (field: NonNullable<PlatformOrder['withheld']>[number]) =>
    stored !== null && (reported.withheld?.includes(field) ?? false)
  return {
    name: reported.name,
    number: reported.number,
    email: isKept('email') ? stored!.email : reported.email,
    currency: reported.currency,
    totalMinor: reported.totalMinor,
    taxMinor: isKept('taxMinor') ? stored!.taxMinor : reported.taxMinor,
    discountMinor: isKept('discountMinor') ? stored!.discountMinor : reported.discountMinor,
    refundedMinor: reported.refundedMinor,
    financialStatus:
      isKept('financialStatus') && stored!.financialStatus !== '' ? stored!.financialStatus : reported.financialStatus,
    gateway: reported.gateway,
    countryCode: isKept('countryCode') ? (reported.countryCode ?? stored!.countryCode) : reported.countryCode,
    province: isKept('countryCode') ? (reported.province ?? stored!.province) : reported.province,
    tags: reported.tags,
    discountCodes: reported.discountCodes,
    sourceName: isKept('sourceName') ? stored!.sourceName : reported.sourceName,
    cancelledAt: isKept('cancelledAt') ? stored!.cancelledAt : reported.cancelledAt,
    processedAt: reported.processedAt
  }
}

const summaryOf = (known: Omit<KnownOrder, 'id'>): Summary => ({
  name: known.name,
  number: known.number,
  email: known.email,
  currency: known.currency,
  totalMinor: known.totalMinor,
  taxMinor: known.taxMinor,
  discountMinor: known.discountMinor,
  refundedMinor: known.refundedMinor,
  financialStatus: known.financialStatus,
  gateway: known.gateway,
  countryCode: known.countryCode,
  province: known.province,
  tags: known.tags,
  discountCodes: known.discountCodes,
  sourceName: known.sourceName,
  cancelledAt: known.cancelledAt,
  processedAt: known.processedAt
})

const EPOCH = Temporal.Instant.fromEpochMilliseconds(0)

const NOTHING: Omit<StoredOrder, 'id'> = {
  platformOrderId: '',
  memberId: null,
  name: '',
  number: '',
  email: null,
  currency: '',
  totalMinor: 0,
  taxMinor: 0,
  discountMinor: 0,
  refundedMinor: 0,
  financialStatus: '',
  gateway: null,
  countryCode: null,
  province: null,
  tags: [],
  discountCodes: [],
  sourceName: null,
  cancelledAt: null,
  processedAt: EPOCH,
  platformUpdatedAt: EPOCH,
  detailsAt: null,
  messageDigest: null,
  readDigest: null,
  customerName: null,
  subtotalMinor: null,
  isTaxIncluded: null,
  currentTotalMinor: null,
  shippingMinor: null,
  shippingDiscountMinor: null,
  appId: null,
  channel: null,
  brand: null,
  coupons: null,
  automaticDiscounts: null,
  attributes: null,
  lines: null
}
