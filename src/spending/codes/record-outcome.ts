import type { Ctx } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retrySeconds } from '#kit/walks'
import type { ClaimedCode, CodeEnd, LockedCode } from './claimed-codes.ts'
import { closeCode } from './code-queries.ts'
import { releaseHold } from './request-code.ts'
import type { CodeOutcome } from './work-on-code.ts'

/** By the store's clock, from when the platform takes a code no more until it is looked whether an order has it: it finds orders late. */
const LOOK_AFTER_MINUTES = 5
/** In real time, between looks whether a call that makes a code has ended. */
const REST_MS = 5_000
/** By the store's clock, after each look in a row. An order that was found is handled meanwhile. */
const LOOK_AGAIN_MINUTES = [1, 5, 15, 60, 360] as const

/**
 * Records what a visit to the platform came to; `code` is as it is now. Returns how the work ended, or null where the code is over. What
 * happened meanwhile counts: a code that was used or revoked while it was made stays that.
 */
export async function recordOutcome(
  ctx: Ctx,
  claimed: ClaimedCode,
  code: LockedCode,
  outcome: CodeOutcome
): Promise<CodeEnd | null> {
  const { id } = claimed
  const isOver = code.status === 'ended' || code.status === 'failed'
  switch (outcome.step) {
    case 'made':
      if (code.status !== 'pending' && code.status !== 'active') return { id, discountId: outcome.id, dueAt: ctx.now }
      return { id, discountId: outcome.id, status: 'active', dueAt: code.endsAt }
    case 'refused':
      // A call before may have made it all the same.
      if (claimed.wasSent) return { id, status: 'ending', problem: storableError(outcome.message), dueAt: ctx.now }
      return over(ctx, code, storableError(outcome.message))
    case 'closed': {
      const dueAt = code.status === 'ending' ? ctx.now.add({ minutes: LOOK_AFTER_MINUTES }) : null
      return { id, discountId: outcome.id, isClosed: true, dueAt }
    }
    case 'rest':
      return { id, dueAt: ctx.now, restMs: REST_MS, attempts: claimed.attempts }
    case 'unused':
      if (code.status !== 'ending') return { id, isClosed: true, dueAt: null }
      return over(ctx, code, code.problem)
    case 'used':
    case 'counted': {
      if (code.status !== 'ending') return { id, dueAt: null }
      const error =
        outcome.step === 'used' ? null : 'The platform says that the code was used, and shows no order with it'
      const minutes = LOOK_AGAIN_MINUTES[Math.min(claimed.attempts, LOOK_AGAIN_MINUTES.length - 1)]!
      return { id, dueAt: ctx.now.add({ minutes }), attempts: claimed.attempts + 1, error }
    }
    case 'failed': {
      if (isOver) return { id, dueAt: null }
      const error = storableError(outcome.failure.message)
      return {
        id,
        dueAt: ctx.now,
        restMs: retrySeconds(claimed.attempts) * 1000,
        attempts: claimed.attempts + 1,
        error
      }
    }
  }
}

/** The code is off the platform and unused: its credit is available again. */
async function over(ctx: Ctx, code: LockedCode, problem: string | null): Promise<null> {
  await closeCode(ctx, code.id, { status: problem === null ? 'ended' : 'failed', problem })
  await releaseHold(ctx, code)
  return null
}
