import { createHash } from 'node:crypto'
import { bool, instant, int, json, nullable, type RowOf, row, text, textList } from '#kit/postgres'
import type { AutomaticDiscount, OrderCoupon, OrderLine } from '#platform'

const summary = {
  id: int,
  platformOrderId: text,
  memberId: nullable(int),
  name: text,
  number: text,
  email: nullable(text),
  currency: text,
  /** As placed: refunds are not subtracted. */
  totalMinor: int,
  taxMinor: int,
  discountMinor: int,
  refundedMinor: int,
  financialStatus: text,
  gateway: nullable(text),
  countryCode: nullable(text),
  province: nullable(text),
  tags: textList,
  discountCodes: textList,
  sourceName: nullable(text),
  cancelledAt: nullable(instant),
  processedAt: instant,
  platformUpdatedAt: instant,
  detailsAt: nullable(instant),
  /** Of the message of the revision `detailsAt` that says what the row has; null where there is none. */
  messageDigest: nullable(text),
  /** Of what was read from the platform of that revision; null where nothing was, or where totals that were read since differ. */
  readDigest: nullable(text)
}

/** What tells whether a report is news: a row without its lists. */
export type KnownOrder = Omit<FoundOrder, 'isErased'>
/** `isErased`: its customer was erased, and it is stored without the person. */
export const FoundOrder = row({ ...summary, isErased: bool })
export type FoundOrder = RowOf<typeof FoundOrder>

/** A row. The details are null until a message or a walk has brought them. Amounts are minor units of `currency`. */
export const StoredOrder = row({
  ...summary,
  customerName: nullable(text),
  subtotalMinor: nullable(int),
  /** Null also where nobody has said so. */
  isTaxIncluded: nullable(bool),
  /** After edits, returns and refunds; null where no piece of it is gone. */
  currentTotalMinor: nullable(int),
  /** Before its discounts. */
  shippingMinor: nullable(int),
  /** Null also where the details are from a version that did not keep it. */
  shippingDiscountMinor: nullable(int),
  appId: nullable(text),
  channel: nullable(text),
  brand: nullable(text),
  coupons: nullable(json<OrderCoupon[]>()),
  automaticDiscounts: nullable(json<AutomaticDiscount[]>()),
  attributes: nullable(json<{ name: string; value: string }[]>()),
  lines: nullable(json<OrderLine[]>())
})
export type StoredOrder = RowOf<typeof StoredOrder>

/** The same for reports that say the same. */
export const digestOf = (reported: object): string =>
  createHash('sha256').update(JSON.stringify(reported)).digest('base64url').slice(0, 22)
