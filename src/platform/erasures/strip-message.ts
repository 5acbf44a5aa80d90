import type { Subject } from './erased-subjects.ts'

/** What these topics ask for is about people who may have been erased before: they are read as they are. */
export const COMPLIANCE_TOPICS = ['customers/data_request', 'customers/redact', 'shop/redact'] as const

type Json = null | boolean | number | string | Json[] | { [field: string]: Json }
/** `true`: the value as it is; an object: these of its fields, or of those of each in a list. */
type Kept = true | { [field: string]: Kept }

const ID = { id: true, admin_graphql_api_id: true } as const
const MONEY = { shop_money: { amount: true, currency_code: true } } as const
const ALLOCATION = { amount: true, discount_application_index: true, discount_application: true } as const
const TRANSACTION: Kept = {
  ...ID,
  order_id: true,
  admin_graphql_api_order_id: true,
  kind: true,
  status: true,
  gateway: true,
  amount: true,
  amount_set: MONEY,
  currency: true,
  parent_id: true,
  receipt: { gift_card_id: true },
  processed_at: true,
  created_at: true
}
const REFUND: Kept = {
  ...ID,
  order_id: true,
  admin_graphql_api_order_id: true,
  created_at: true,
  processed_at: true,
  transactions: TRANSACTION
}
const ORDER: Kept = {
  ...ID,
  name: true,
  order_number: true,
  currency: true,
  created_at: true,
  updated_at: true,
  processed_at: true,
  cancelled_at: true,
  total_price: true,
  current_total_price: true,
  taxes_included: true,
  total_tax: true,
  total_discounts: true,
  subtotal_price: true,
  total_shipping_price_set: MONEY,
  financial_status: true,
  payment_gateway_names: true,
  source_name: true,
  app_id: true,
  discount_codes: { code: true, amount: true, type: true },
  discount_applications: { type: true, title: true, code: true },
  shipping_lines: { discount_allocations: ALLOCATION },
  line_items: {
    ...ID,
    product_id: true,
    variant_id: true,
    title: true,
    quantity: true,
    current_quantity: true,
    gift_card: true,
    price: true,
    discount_allocations: ALLOCATION
  },
  refunds: REFUND
}
const CONTRACT: Kept = {
  ...ID,
  status: true,
  revision_id: true,
  origin_order_id: true,
  admin_graphql_api_origin_order_id: true,
  currency_code: true,
  billing_policy: true
}
const DISPUTE: Kept = {
  ...ID,
  order_id: true,
  admin_graphql_api_order_id: true,
  type: true,
  status: true,
  reason: true,
  network_reason_code: true,
  amount: true,
  currency: true,
  initiated_at: true,
  finalized_on: true
}
const KEPT: Record<string, Kept> = {
  orders: ORDER,
  refunds: REFUND,
  order_transactions: TRANSACTION,
  disputes: DISPUTE,
  subscription_contracts: CONTRACT
}
/** A number that is nobody's, where a contract has to name a customer. */
const NOBODY = { customer_id: 0 }

/** The body of a message without the person that it is about; null where nothing is left that would have to be handled. */
export function stripMessage(topic: string, body: string): string | null {
  const family = topic.slice(0, topic.search(/[/.]/))
  const kept = KEPT[family]
  if (!kept) return null
  const stripped = pick(parse(body), kept)
  return JSON.stringify(family === 'subscription_contracts' ? { ...(stripped as object), ...NOBODY } : stripped)
}

function pick(value: Json, kept: Kept): Json {
  // What a provider of payments said is JSON in a text.
  if (kept !== true && typeof value === 'string') return pickFromText(value, kept)
  if (kept === true || value === null || typeof value !== 'object') return kept === true ? value : null
  if (Array.isArray(value)) return value.map((one) => pick(one, kept))
  return Object.fromEntries(
    Object.entries(kept).flatMap(([field, inside]) => (field in value ? [[field, pick(value[field]!, inside)]] : []))
  )
}

/** A whole number that JavaScript would round is written again as it came. */
function parse(text: string): Json {
  return JSON.parse(text, (_field, value, context?: { source?: string }) => {
    const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    return isRounded ? JSON.rawJSON(context!.source!) : value
  }) as Json
}

function pickFromText(text: string, kept: Kept): Json {
  try {
    const value = parse(text)
    return typeof value === 'string' ? null : pick(value, kept)
  } catch {
    return null
  }
}

/** An order names some more, as its lines do; a message about so many is about nobody in particular. */
const MAX_SUBJECTS = 50

/** The customers and orders that a message names. Only what may be in question: its body is not read whole. */
export function subjectsOf(topic: string, body: string): Subject[] {
  if (COMPLIANCE_TOPICS.includes(topic as never)) return []
  const found = new Set<Subject>()
  for (const [, kind, number] of body.matchAll(/\/(Customer|Order)\/(\d{1,20})\b/g)) {
    found.add(`${kind === 'Customer' ? 'customer' : 'order'}:${number!}`)
    if (found.size >= MAX_SUBJECTS) break
  }
  for (const [, kind, number] of body.matchAll(/"(customer|order)_?[iI]d":\s*"?(\d{1,20})\b/g)) {
    found.add(`${kind as 'customer' | 'order'}:${number!}`)
    if (found.size >= 2 * MAX_SUBJECTS) break
  }
  const own = /^\s*\{[^[\]{}]*?"id":\s*(\d{1,20})\b/.exec(body)?.[1]
  if (own && /^customers(?:_marketing_consent)?\//.test(topic)) found.add(`customer:${own}`)
  if (own && topic.startsWith('orders/')) found.add(`order:${own}`)
  const nested = /"customer":\s*\{\s*"id":\s*(\d{1,20})\b/.exec(body)?.[1]
  if (nested) found.add(`customer:${nested}`)
  return [...found]
}
