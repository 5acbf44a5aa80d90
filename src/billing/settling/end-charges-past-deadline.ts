import type { Ctx } from '#kit/postgres'
import { settingsOf } from '#stores'
import {
  lockPastPaymentMethodDeadline,
  PAYMENT_FAILED,
  planContextOf,
  planRetriesExhausted
} from '#subscriptions/transitions'
import { dunningSettings } from '../settings.ts'
import { applyPlans } from './apply-plans.ts'

/**
 * Ends charges that have waited for a new payment method until their deadline, up to `limit`, as the store has chosen for
 * exhausted retries. Returns how many.
 */
export async function endChargesPastDeadline(ctx: Ctx, limit: number): Promise<number> {
  const waiting = await lockPastPaymentMethodDeadline(ctx, limit)
  if (waiting.length === 0) return 0
  const context = await planContextOf(ctx)
  const { onFailure } = await settingsOf(ctx, dunningSettings)
  await applyPlans(
    ctx,
    waiting.map((s) => planRetriesExhausted(s, { ending: onFailure, reason: PAYMENT_FAILED }, context)),
    'dunning'
  )
  return waiting.length
}
