import type { Ctx } from '#kit/postgres'
import { settingsOf } from '#stores'
import {
  applyTransitions,
  lockPastPaymentMethodDeadline,
  PAYMENT_FAILED,
  planContextOf,
  planRetriesExhausted
} from '#subscriptions/transitions'
import { dunningSettings } from '../settings.ts'

/**
 * Ends charges that have waited for a new payment method until their deadline, up to `limit`, as the store has chosen for
 * exhausted retries. Returns how many. A charge that waits has no open attempt, so there is no billing to stop.
 */
export async function endChargesPastDeadline(ctx: Ctx, limit: number): Promise<number> {
  const waiting = await lockPastPaymentMethodDeadline(ctx, limit)
  if (waiting.length === 0) return 0
  const context = await planContextOf(ctx)
  const { onFailure } = await settingsOf(ctx, dunningSettings)
  await applyTransitions(
    ctx,
    waiting.map((s) => planRetriesExhausted(s, { ending: onFailure, reason: PAYMENT_FAILED }, context)),
    'dunning'
  )
  return waiting.length
}
