import { type CreditOutcome, captureReservation, redeemCredit } from '#credits'
import type { Ctx } from '#kit/postgres'
import { settingsOf } from '#stores'
import { codeKey, isCreditCode } from '../codes/code-form.ts'
import { findHold, releaseHold } from '../codes/request-code.ts'
import { creditFunctionSettings } from '../settings.ts'
import {
  type DiscountedOrder,
  insertRedemption,
  isFunctionUsed,
  type LockedCode,
  listDiscountedOrders,
  lockCodesOf,
  markUsed,
  type Redeemed
} from './redemption-queries.ts'

/**
 * Does in the ledger what discounts that spend store credit have taken off these orders, each once: a redemption on the order. It reads what is
 * true now, so it may be called for any order at any time, in any order.
 */
export async function settleDiscountedOrders(ctx: Ctx, orderIds: number[]): Promise<void> {
  if (orderIds.length === 0) return
  const title = (await isFunctionUsed(ctx)) ? (await settingsOf(ctx, creditFunctionSettings)).title : null
  const orders = await listDiscountedOrders(ctx, [...new Set(orderIds)], title)
  if (orders.length === 0) return
  const taken = orders.flatMap((order) => takenOff(order).map((one) => ({ ...one, order })))
  const codes = await lockCodesOf(
    ctx,
    taken.map(({ code }) => code)
  )
  for (const { order, code, amountMinor } of taken) {
    if (order.sources.includes(code)) continue
    await redeem(ctx, order, code, amountMinor, codes.get(code) ?? null)
  }
  for (const order of orders) {
    if (order.byFunctionMinor > 0 && !order.isOtherCurrency && !order.sources.includes(FUNCTION)) {
      await redeemByFunction(ctx, order)
    }
  }
}

/** Which discount took something off an order where it was none of our codes. */
const FUNCTION = 'function'

/**
 * Spends what the discount function took off, of the order's customer, whose balance it has read. What they do not have by now is the shortfall.
 * Nobody but a customer has a balance that it could read.
 */
async function redeemByFunction(ctx: Ctx, { id: orderId, memberId, byFunctionMinor }: DiscountedOrder): Promise<void> {
  if (memberId === null) return
  const reason = 'redeemed by the discount function'
  const [outcome] = await redeemCredit(ctx, [
    { memberId, orderId, amountMinor: byFunctionMinor, reason, part: FUNCTION }
  ])
  const entryId = entryOf(outcome!)
  await insertRedemption(ctx, {
    orderId,
    source: FUNCTION,
    codeId: null,
    memberId,
    amountMinor: byFunctionMinor,
    entryId
  })
}

type TakenOff = { code: string; amountMinor: number }

/** Our codes on an order, each with what it took off. An order in another currency than the store's says nothing about its credit. */
function takenOff({ coupons, isOtherCurrency }: DiscountedOrder): TakenOff[] {
  if (isOtherCurrency) return []
  const sums = new Map<string, number>()
  for (const { code, amountMinor } of coupons ?? []) {
    if (!isCreditCode(code)) continue
    sums.set(codeKey(code), (sums.get(codeKey(code)) ?? 0) + amountMinor)
  }
  return [...sums].map(([code, amountMinor]) => ({ code, amountMinor }))
}

/**
 * Spends what the code took off: from its reservation while that holds, else from what the customer has, and what is missing is the shortfall.
 * A code that is not known here was made after the backup from which the store was restored; it was for nobody but the order's customer.
 */
async function redeem(
  ctx: Ctx,
  order: DiscountedOrder,
  source: string,
  tookOffMinor: number,
  code: LockedCode | null
): Promise<void> {
  const memberId = code?.memberId ?? order.memberId
  if (memberId === null) return
  const amountMinor = Math.min(tookOffMinor, code?.amountMinor ?? tookOffMinor)
  const reason = `redeemed by code ${source}`
  const orderId = order.id
  const hold = code && (await findHold(ctx, code))
  let entryId: number | null = null
  if (amountMinor === 0) {
    if (code) await releaseHold(ctx, code)
  } else if (hold) {
    const { entry } = await captureReservation(ctx, hold.memberId, hold.id, { amountMinor, orderId, reason })
    entryId = entry.id
  } else {
    const [outcome] = await redeemCredit(ctx, [{ memberId, orderId, amountMinor, reason, part: source }])
    entryId = entryOf(outcome!)
  }
  const redeemed: Redeemed = { orderId, source, codeId: code?.id ?? null, memberId, amountMinor, entryId }
  await insertRedemption(ctx, redeemed)
  if (code) await markUsed(ctx, code.id)
}

/** A redemption is never refused. */
function entryOf({ entry, refusal }: CreditOutcome): number {
  if (!entry) throw refusal!
  return entry.id
}
