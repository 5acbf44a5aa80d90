import { randomUUID } from 'node:crypto'
import type { Queries } from '#kit/postgres'
import type { ContractDiscount } from '../state/contracts.ts'
import { findDiscountByCode } from '../state/discounts/redeem-codes.ts'
import type { Api } from '../wire/api.ts'
import { amountFrom } from '../wire/money.ts'

/** What a code takes off a contract's charges; one that does not apply takes nothing, and says why. */
export async function codeDiscountFrom(
  q: Queries,
  api: Api,
  code: string,
  currency: string
): Promise<ContractDiscount> {
  const found = await findDiscountByCode(q, api.shop.storeId, code)
  const now = await api.now()
  const { value, appliesOnSubscription } = found?.body.customerGets ?? {}
  const fixed = value?.discountAmount
  const isActive = found && isWithin(now, found.startsAt, found.endsAt)
  const isShipping = found?.kind === 'DiscountCodeFreeShipping'
  const rejection = !found
    ? 'NOT_FOUND'
    : !isActive
      ? 'CURRENTLY_INACTIVE'
      : isShipping || appliesOnSubscription
        ? null
        : 'INCOMPATIBLE_PURCHASE_TYPE'
  return {
    id: randomUUID(),
    title: found?.title ?? code,
    code: found?.code ?? code,
    rejection,
    targetType: isShipping ? 'SHIPPING_LINE' : 'LINE_ITEM',
    // A code has a share of one, a discount of a contract per cent.
    percentage: isShipping ? 100 : value?.percentage == null ? null : value.percentage * 100,
    amountMinor: fixed?.amount == null ? null : amountFrom(fixed.amount, currency),
    appliesOnEachItem: fixed?.appliesOnEachItem ?? false,
    recurringCycleLimit: null,
    usageCount: 0,
    lineIds: null
  }
}

function isWithin(now: Temporal.Instant, from: Temporal.Instant, to: Temporal.Instant | null): boolean {
  return Temporal.Instant.compare(from, now) <= 0 && (to === null || Temporal.Instant.compare(now, to) < 0)
}
