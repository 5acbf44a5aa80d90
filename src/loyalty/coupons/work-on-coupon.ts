import { type Connector, type CouponValue, type PlatformFailure, type PlatformResult, succeeded } from '#platform'
import type { ClaimedCoupon } from './claimed-coupons.ts'
import { type FreePiece, findFreePiece } from './free-piece.ts'

/**
 * What a visit to the platform came to. `made`: the discount is there. `refused`: it cannot be made. `absent`: it is not there, and no call
 * makes it any more. `deleted`: it was taken off. `off`: the platform takes it no more, and keeps it since it was used. `kept`: there was
 * nothing to do. `rest`: a call that makes it may still be under way.
 */
export type CouponOutcome =
  | { step: 'made'; id: string; piece?: FreePiece | null }
  | { step: 'refused'; message: string }
  | { step: 'absent' }
  | { step: 'deleted'; id: string }
  | { step: 'off'; id: string }
  | { step: 'kept'; id: string }
  | { step: 'rest' }
  | { step: 'failed'; failure: PlatformFailure }

type Calls = { connector: Connector; currency: string; now: Temporal.Instant; endBy: number }

/** Makes the discount of a wanted coupon, or takes one off the platform that is over. Writes nothing here. */
export async function workOnCoupon(calls: Calls, claimed: ClaimedCoupon): Promise<CouponOutcome> {
  if (claimed.status === 'pending') return make(calls, claimed)
  if (claimed.status === 'active') return { step: 'kept', id: claimed.platformDiscountId! }
  return close(calls.connector, claimed)
}

const WHOLE = 10_000

async function make(calls: Calls, claimed: ClaimedCoupon): Promise<CouponOutcome> {
  const { discounts } = calls.connector
  const { code, name, customerId, wasSent, isDeleted, expiresAt, productIds, collectionIds, minimumMinor } = claimed
  if (isDeleted) return { step: 'refused', message: 'The customer is deleted on the platform' }
  if (claimed.type === 'free_shipping' && claimed.percentHundredths !== WHOLE) {
    return { step: 'refused', message: 'The platform has no code that takes a part off shipping, only all of it' }
  }
  // One that is there already is ours: nobody else knows the code.
  const before = wasSent ? await discounts.findByCode(code) : null
  if (before && !before.ok) return failed(before)
  if (before?.value) return { step: 'made', id: before.value.id }
  const value = await couponValue(calls, claimed)
  if (!value.ok) return failed(value)
  if ('problem' in value.value) return { step: 'refused', message: value.value.problem }
  const { currency, now: startsAt, endBy } = calls
  const made = await discounts.createCoupon(
    {
      ...{ code, title: name, customerId, currency, startsAt, endsAt: expiresAt },
      ...{ value: value.value.value, productIds, collectionIds, minimumMinor }
    },
    { endBy }
  )
  if (made.ok) return { step: 'made', id: made.value.id, piece: value.value.piece }
  const { kind, code: reason, message } = made.failure
  if (reason === 'taken') {
    const found = await discounts.findByCode(code)
    return found.ok && found.value ? { step: 'made', id: found.value.id } : failed(made)
  }
  // What the app may not do says nothing of this coupon: it is made when the app may.
  if (kind === 'rejected') return { step: 'refused', message }
  return failed(made)
}

type Value = { value: CouponValue; piece: FreePiece | null } | { problem: string }

async function couponValue(
  { connector, currency }: Calls,
  { type, percentHundredths, amountMinor, productIds }: ClaimedCoupon
): Promise<PlatformResult<Value>> {
  const plain = (value: CouponValue) => succeeded({ value, piece: null })
  if (type === 'free_shipping') return plain({ isShipping: true as const })
  if (type !== 'free_product')
    return plain(percentHundredths === null ? { amountMinor: amountMinor! } : { percentHundredths })
  const piece = await findFreePiece(connector, productIds[0]!, currency)
  if (!piece.ok) return piece
  if ('problem' in piece.value) return succeeded(piece.value)
  return succeeded({ value: { amountMinor: piece.value.amountMinor }, piece: piece.value })
}

async function close({ discounts }: Connector, claimed: ClaimedCoupon): Promise<CouponOutcome> {
  const { code, platformDiscountId, wasSent, isSettled, endedBy } = claimed
  if (!wasSent) return { step: 'absent' }
  // The platform takes it no more by itself.
  const isOver = endedBy === 'expired' || endedBy === 'used'
  if (isOver && platformDiscountId !== null) return { step: 'kept', id: platformDiscountId }
  // A call that arrives after this would make it.
  if (platformDiscountId === null && !isSettled) return { step: 'rest' }
  const found =
    platformDiscountId === null ? await discounts.findByCode(code) : await discounts.findById(platformDiscountId)
  if (!found.ok) return failed(found)
  if (!found.value)
    return platformDiscountId === null ? { step: 'absent' } : { step: 'deleted', id: platformDiscountId }
  const { id, uses } = found.value
  if (isOver) return { step: 'kept', id }
  const ended = uses > 0 ? await discounts.deactivate(id) : await discounts.delete(id)
  if (ended.ok) return { step: uses > 0 ? 'off' : 'deleted', id }
  if (ended.failure.kind !== 'rejected') return failed(ended)
  // Somebody has deleted it there.
  const left = await discounts.findById(id)
  if (!left.ok) return failed(left)
  return left.value ? failed(ended) : { step: 'deleted', id }
}

const failed = (result: PlatformResult<unknown>): CouponOutcome => {
  if (result.ok) throw new Error('The platform has answered')
  return { step: 'failed', failure: result.failure }
}
