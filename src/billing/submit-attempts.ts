import { enqueue } from '#kit/jobs'
import type { Ctx, Database } from '#kit/postgres'
import type { Connector, PlatformAttempt, PlatformFailure } from '#platform'
import { type Checked, type ClaimedAttempt, claimAttempts, lockAttemptsByKey, markChecked } from './attempt.ts'
import { declineOf } from './decline-codes.ts'
import { type AttemptResult, settleAttempts } from './settle-attempts.ts'
import { voidAttempts } from './stop-billing.ts'

/** How long after each look at a pending attempt the next one follows; the platform's webhook mostly comes first. */
const CHECK_AFTER_MINUTES = [10, 60, 360, 1440] as const

export const SYNC_CONTRACT = 'sync-contract'

/** What a call came to: an end, or another look later. */
type Answer = { result: AttemptResult } | { checked: Checked } | { never: ClaimedAttempt }

/**
 * Sends waiting attempts to the platform and asks after those sent before, up to `limit`, and writes what came of it.
 * Every call is made under the attempt's stored key, so a repetition after a crash or a lost answer charges nothing anew.
 */
export async function submitAttempts(
  db: Database,
  storeId: number,
  connector: Connector,
  leaseOwner: number,
  limit: number
): Promise<number> {
  const claim = await db.inStore(storeId, async (ctx) => ({
    now: ctx.now,
    attempts: await claimAttempts(ctx, limit, leaseOwner)
  }))
  if (claim.attempts.length === 0) return 0
  const sendable = (a: ClaimedAttempt) => a.platformAttemptId === null && a.isWanted
  const known = claim.attempts.filter((a) => a.platformAttemptId !== null)
  const waiting = claim.attempts.filter(sendable)
  const stopped = claim.attempts.filter((a) => a.platformAttemptId === null && !a.isWanted)

  const answers = (
    await Promise.all([
      send(connector, waiting, claim.now),
      askAfter(connector, known, claim.now),
      Promise.all(stopped.map((attempt) => lookUp(connector, attempt, claim.now)))
    ])
  ).flat()
  await db.inStore(storeId, (ctx) => write(ctx, claim.attempts, answers))
  return claim.attempts.length
}

async function send(connector: Connector, attempts: ClaimedAttempt[], now: Temporal.Instant): Promise<Answer[]> {
  const results = await connector.createBillingAttempts(
    attempts.map((a) => ({
      contractId: a.platformContractId,
      idempotencyKey: a.idempotencyKey,
      originTime: a.scheduledAt
    }))
  )
  return results.map((result, i) => {
    const attempt = attempts[i]!
    if (result.ok) return answerOf(attempt, result.value, now)
    return result.failure.kind === 'rejected' ? refused(attempt, result.failure) : later(attempt, now)
  })
}

async function askAfter(connector: Connector, attempts: ClaimedAttempt[], now: Temporal.Instant): Promise<Answer[]> {
  if (attempts.length === 0) return []
  const found = await connector.billingAttempts(attempts.map((a) => a.platformAttemptId!))
  return attempts.map((attempt) => {
    const told = found.ok ? found.value.get(attempt.platformAttemptId!) : undefined
    return told ? answerOf(attempt, told, now) : later(attempt, now)
  })
}

/** For an attempt that is no longer wanted: only a look, never a charge. */
async function lookUp(connector: Connector, attempt: ClaimedAttempt, now: Temporal.Instant): Promise<Answer> {
  const found = await connector.billingAttemptByKey(attempt.platformContractId, attempt.idempotencyKey)
  if (!found.ok) return later(attempt, now)
  return found.value ? answerOf(attempt, found.value, now) : { never: attempt }
}

function answerOf(attempt: ClaimedAttempt, told: PlatformAttempt, now: Temporal.Instant): Answer {
  const result = resultOf(told)
  if (result) return { result: { ...result, idempotencyKey: attempt.idempotencyKey } }
  const { checked } = later(attempt, now)
  return { checked: { ...checked, platformAttemptId: told.id, actionUrl: told.nextActionUrl } }
}

/** How an attempt of the platform ended; null while it has not. */
export function resultOf(told: PlatformAttempt): AttemptResult | null {
  const ref = { idempotencyKey: told.idempotencyKey, platformAttemptId: told.id }
  if (told.state === 'success')
    return { ...ref, state: 'success', order: told.order, paymentMethod: told.paymentMethod }
  if (told.state === 'failed') {
    return { ...ref, state: 'failed', errorCode: told.errorCode, errorMessage: told.errorMessage }
  }
  return null
}

/** A definite no of the platform to the call itself: nothing was charged. */
function refused(attempt: ClaimedAttempt, failure: PlatformFailure): Answer {
  return {
    result: {
      idempotencyKey: attempt.idempotencyKey,
      platformAttemptId: null,
      state: 'failed',
      errorCode: failure.code ?? 'unexpected_error',
      errorMessage: failure.message
    }
  }
}

function later(attempt: ClaimedAttempt, now: Temporal.Instant): { checked: Checked } {
  const minutes = CHECK_AFTER_MINUTES[Math.min(attempt.checks, CHECK_AFTER_MINUTES.length) - 1]!
  return {
    checked: {
      id: attempt.id,
      leaseToken: attempt.leaseToken,
      checkAt: now.add({ minutes }),
      platformAttemptId: null,
      actionUrl: null
    }
  }
}

async function write(ctx: Ctx, attempts: ClaimedAttempt[], answers: Answer[]): Promise<void> {
  const checked = answers.flatMap((a) => ('checked' in a ? a.checked : []))
  const results = answers.flatMap((a) => ('result' in a ? a.result : []))
  const never = answers.flatMap((a) => ('never' in a ? a.never : []))
  if (checked.length > 0) await markChecked(ctx, checked)
  if (results.length > 0) await settleAttempts(ctx, results)
  await voidAttempts(
    ctx,
    await lockAttemptsByKey(
      ctx,
      never.map((a) => a.idempotencyKey)
    )
  )
  // A contract that the platform will not bill may have changed behind our back.
  const doubtful = new Set(
    results.flatMap((r) =>
      r.state === 'failed' && declineOf(r.errorCode).code === 'contract_not_billable' ? r.idempotencyKey : []
    )
  )
  await enqueue(
    ctx,
    SYNC_CONTRACT,
    attempts
      .filter((a) => doubtful.has(a.idempotencyKey))
      .map((a) => ({ key: a.platformContractId, payload: { contractId: a.platformContractId } }))
  )
}
