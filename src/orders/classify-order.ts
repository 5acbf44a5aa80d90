/**
 * What kind of order it was, by document 2 (`checkout_type`, `order_tag`, `autocharge_status`) and document 3 (the order's tags): one
 * classification gives all of them. Pure: what it needs is in its input, and nobody is asked. docs/orders.md has its table.
 */
export function classifyOrder(order: OrderToClassify): OrderClassification {
  const orderTag = orderTagOf(order)
  return {
    checkoutType: checkoutTypeOf(order),
    orderTag,
    chargeNumber: order.membership?.orderNumber ?? order.product?.orderNumber ?? null,
    autochargeStatus: orderTag === 'recharge' || orderTag === 'SubsProd-Recharge' ? autochargeStatusOf(order) : '',
    tags: [
      ...new Set([
        ...membershipTags(order),
        ...productTags(order),
        ...chargeTags(order),
        ...creditTags(order),
        ...chargebackTags(order),
        ...attributeTags(order)
      ])
    ]
  }
}

/**
 * The part of an order in a contract: `trial` and `signup` are the checkout that began it, `renewal` each later charge, also the first
 * full one after a trial. `orderNumber`: it is the contract's n-th order; the checkout is 1, skipped cycles leave no gap.
 */
export type ContractPart = { part: 'trial' | 'signup' | 'renewal'; orderNumber: number }

export type DisputeToClassify = {
  type: string
  status: string
  initiatedAt: Temporal.Instant
}

export type OrderToClassify = {
  /** Of a membership's contract (VIP or Elite), with the name of its tier; null when it has no such line. */
  membership: (ContractPart & { tierName: string }) | null
  /** Of a product plan's contract, or of one without a plan of ours. */
  product: ContractPart | null
  /** The tier of the membership that the customer held, active or in trial, when the order was placed; null when none. */
  activeTierName: string | null
  /** Lower case, as the platform has it. */
  financialStatus: string
  /** When money went back. */
  refundedAt: Temporal.Instant[]
  disputes: DisputeToClassify[]
  /** Store credit that was spent on it, and what of that was restored; in minor units. */
  creditRedeemedMinor: number
  creditRestoredMinor: number
  attributes: { name: string; value: string }[]
  /** The setting `order_gift`, now or when the order got the tag. */
  isOrderGiftEnabled: boolean
}

export type CheckoutType = 'VIP' | 'Product Subscription' | 'PAYG'
export type OrderTag = 'New-vip' | 'recharge' | 'trial fee' | 'New-SubsProd' | 'SubsProd-Recharge' | ''

export type OrderClassification = {
  checkoutType: CheckoutType
  orderTag: OrderTag
  /** Of the membership, else of the product; null for an order of no contract. */
  chargeNumber: number | null
  autochargeStatus: 'Dispute' | 'refunded' | 'voided' | ''
  /** In the order of document 3, each once. */
  tags: string[]
}

/** Membership comes before product, and a contract before what the customer was. */
function checkoutTypeOf({ membership, product, activeTierName }: OrderToClassify): CheckoutType {
  if (membership) return 'VIP'
  if (product) return 'Product Subscription'
  return activeTierName === null ? 'PAYG' : 'VIP'
}

const MEMBERSHIP_ORDER_TAG = { trial: 'trial fee', signup: 'New-vip', renewal: 'recharge' } as const
const PRODUCT_ORDER_TAG = { trial: 'New-SubsProd', signup: 'New-SubsProd', renewal: 'SubsProd-Recharge' } as const

function orderTagOf({ membership, product }: OrderToClassify): OrderTag {
  if (membership) return MEMBERSHIP_ORDER_TAG[membership.part]
  return product ? PRODUCT_ORDER_TAG[product.part] : ''
}

/** A dispute that is open, lost or accepted counts before what was paid back. */
function autochargeStatusOf({ disputes, financialStatus }: OrderToClassify): OrderClassification['autochargeStatus'] {
  const newest = disputes.toSorted((a, b) => Temporal.Instant.compare(a.initiatedAt, b.initiatedAt)).at(-1)
  if (newest && newest.status !== 'won' && newest.status !== 'prevented') return 'Dispute'
  return financialStatus === 'refunded' || financialStatus === 'voided' ? financialStatus : ''
}

function membershipTags({ membership, activeTierName }: OrderToClassify): string[] {
  if (!membership) return activeTierName === null ? [] : [activeTierName]
  const { part, tierName } = membership
  if (part === 'trial') return [`${tierName}-trial`]
  return [part === 'signup' ? `new-${tierName}` : `${tierName}-Recharge`]
}

const productTags = ({ product }: OrderToClassify): string[] => (product ? [PRODUCT_ORDER_TAG[product.part]] : [])

const chargeTags = ({ membership, product }: OrderToClassify): string[] =>
  [membership, product].flatMap((part) => (part ? `charge-${part.orderNumber}` : []))

const creditTags = ({ creditRedeemedMinor, creditRestoredMinor }: OrderToClassify): string[] => [
  ...(creditRedeemedMinor > 0 ? ['credits-redeemed'] : []),
  ...(creditRestoredMinor > 0 ? ['credits-redeemed-restored'] : [])
]

function chargebackTags({ disputes, refundedAt }: OrderToClassify): string[] {
  const tags = disputes.map((dispute) => {
    if (dispute.status === 'lost' || dispute.status === 'accepted') return 'Chargeback-Bank-Refund'
    if (dispute.status === 'prevented') return 'Chargeback-Alert-Refund'
    const isRefunded = refundedAt.some((at) => Temporal.Instant.compare(at, dispute.initiatedAt) >= 0)
    const isAlert = dispute.type === 'inquiry' && dispute.status !== 'won' && isRefunded
    return isAlert ? 'Chargeback-Alert-Refund' : ''
  })
  return ['Chargeback-Alert-Refund', 'Chargeback-Bank-Refund'].filter((tag) => tags.some((found) => found === tag))
}

/** The platform accepts 40 characters in a tag of an order, and a comma would end it. */
const MAX_TAG = 40

function attributeTags({ attributes, isOrderGiftEnabled }: OrderToClassify): string[] {
  const attributeOf = (name: string) => attributes.find((attribute) => attribute.name === name)?.value.trim() ?? ''
  const schedule = attributeOf('deliverySchedule').replaceAll(',', ' ').trim()
  const isGift = isOrderGiftEnabled && ['true', '1'].includes(attributeOf('mystery_gift').toLowerCase())
  return [
    ...(schedule === '' ? [] : [firstCharacters(`deliverySchedule: ${schedule}`, MAX_TAG).trimEnd()]),
    ...(isGift ? ['mystery_gift'] : [])
  ]
}

/** Whole characters: half of a surrogate pair is none. */
const firstCharacters = (text: string, count: number): string => [...text].slice(0, count).join('')
