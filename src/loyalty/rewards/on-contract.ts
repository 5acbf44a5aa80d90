import type { GrantTerms } from '#contracts'
import type { Money } from '#kit/json-fields'
import type { Reward } from './reward.ts'

/** What a reward gives on a contract of the customer; null where it gives something else. */
export function termsOnContract(reward: Reward, money: Money): GrantTerms | null {
  if (reward.type === 'subscription_free_product') {
    return { kind: 'free_product', productId: reward.product_id, cycles: reward.cycles }
  }
  if (reward.type !== 'subscription_discount') return null
  const { discount_type, discount_amount, cycles } = reward
  // A percentage is a whole one, which was checked when it was entered.
  return discount_type === 'percentage'
    ? { kind: 'discount', percent: discount_amount, cycles }
    : { kind: 'discount', amountMinor: money.minor(discount_amount)!, cycles }
}
