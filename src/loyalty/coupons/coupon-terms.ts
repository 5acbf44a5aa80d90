import type { Money } from '#kit/json-fields'
import type { Reward } from '../rewards/reward.ts'
import type { LoyaltyTemplate } from '../templates/template.ts'
import type { CouponTerms } from './coupon.ts'

const ALL = 10_000
const FOR_ALL = { productIds: [], collectionIds: [], minimumMinor: null }

/** What the coupon of a reward takes off; null where the reward is none. */
export function termsOfReward(reward: Reward, money: Money): CouponTerms | null {
  const all = { ...FOR_ALL, percentHundredths: ALL, amountMinor: null }
  if (reward.type === 'free_shipping') return { ...all, type: 'free_shipping' }
  if (reward.type === 'free_product') return { ...all, type: 'free_product', productIds: [reward.product_id] }
  if (reward.type !== 'discount') return null
  return { ...FOR_ALL, type: 'amount_off_orders', ...takenOff(reward.discount_type, reward.discount_amount, money) }
}

/** What a coupon takes off that points have bought. */
export function termsOfTemplate({ type, rules, money }: LoyaltyTemplate): CouponTerms {
  const { amount, applies_to, product_ids, collection_ids, minimum_subtotal } = rules
  return {
    type: applies_to === 'all' ? 'amount_off_orders' : 'amount_off_products',
    ...takenOff(type, amount, money),
    productIds: product_ids,
    collectionIds: collection_ids,
    minimumMinor: minimum_subtotal === 0 ? null : minimum_subtotal
  }
}

/** Percentages have at most two decimals, which was checked when they were entered. */
const takenOff = (type: 'percentage' | 'fixed_amount', amount: number, money: Money) =>
  type === 'percentage'
    ? { percentHundredths: Math.round(amount * 100), amountMinor: null }
    : { percentHundredths: null, amountMinor: money.minor(amount)! }
