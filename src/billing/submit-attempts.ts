import { carryOutTogether } from '#kit/gather'
import { type Ctx, type Database, isOutage } from '#kit/postgres'
import type { Connector } from '#platform'
import { lockSubscriptions, lookAtContracts, markDueNow, type Subscription } from '#subscriptions'
import { type Answer, answerOf, later, refused, resultOf } from './answers.ts'
import { lockAttemptsByKey, lockLateOnes } from './attempt.ts'
import { isKnownPayment } from './attempt-ends.ts'
import { type ClaimedAttempt, claimAttempts, markChecked } from './claims.ts'
import { correctAttempts, ofRow } from './correct-attempts.ts'
import { declineOf } from './decline-codes.ts'
import { type Found, findPaidBefore, findPayment } from './look-before.ts'
import { noteChallenges } from './note-challenge.ts'
import { settleAttempts } from './settle-attempts.ts'
import { voidAttempts } from './stop-billing.ts'

/**
 * Sends waiting attempts to the platform and asks after those sent before, up to `limit`, and writes what came of it.
 * Every call is made under the attempt's stored key, so a repetition after a crash or a lost answer charges nothing anew. A new
 * key is sent only when no earlier one of the cycle was paid, which the platform is asked first.
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
  const known = claim.attempts.filter((a) => a.platformAttemptId !== null)
  const unknown = claim.attempts.filter((a) => a.platformAttemptId === null)
  const wanted = unknown.filter((a) => a.isWanted)

  const answers = (
    await Promise.all([
      send(
        connector,
        wanted.filter((a) => a.earlier.length === 0),
        claim.now
      ),
      sendUnlessPaid(
        connector,
        wanted.filter((a) => a.earlier.length > 0),
        claim.now
      ),
      askAfter(connector, known, claim.now),
      Promise.all(unknown.filter((a) => !a.isWanted).map((attempt) => lookUp(connector, attempt, claim.now)))
    ])
  ).flat()
  const byKey = new Map(claim.attempts.map((a) => [a.idempotencyKey, a]))
  const settled = await Promise.all(answers.map((answer) => findWhatPaid(connector, answer, byKey, claim.now)))
  await writeAll(db, storeId, byKey, settled, claim.now)
  return claim.attempts.length
}

/**
 * Writes answers together, and each by itself where that fails: one that cannot be written holds up no other. Its attempt is looked
 * at again later, and the error goes on.
 */
async function writeAll(
  db: Database,
  storeId: number,
  byKey: Map<string, ClaimedAttempt>,
  answers: Answer[],
  now: Temporal.Instant
): Promise<void> {
  const outcomes = await carryOutTogether(answers, (some) =>
    db.inStore(storeId, async (ctx) => {
      await write(ctx, byKey, some)
      return some
    })
  )
  const failures = outcomes.flatMap((outcome, i) =>
    outcome.status === 'rejected' ? { attempt: attemptOf(answers[i]!, byKey), reason: outcome.reason as unknown } : []
  )
  if (failures.length === 0) return
  // After an outage nothing can be written either, and what is leased is taken up again by itself.
  const attempts = failures.flatMap(({ attempt, reason }) => (attempt && !isOutage(reason) ? attempt : []))
  if (attempts.length > 0) {
    const checked = attempts.map((attempt) => later(attempt, now).checked)
    await db.inStore(storeId, (ctx) => markChecked(ctx, checked))
  }
  throw failures[0]!.reason
}

function attemptOf(answer: Answer, byKey: Map<string, ClaimedAttempt>): ClaimedAttempt | undefined {
  if ('never' in answer) return answer.never
  if ('superseded' in answer) return answer.superseded
  return byKey.get(('checked' in answer ? answer.checked : answer.result).idempotencyKey)
}

async function send(connector: Connector, attempts: ClaimedAttempt[], now: Temporal.Instant): Promise<Answer[]> {
  if (attempts.length === 0) return []
  const results = await connector.billing.createAttempts(
    attempts.map((a) => ({
      contractId: a.platformContractId,
      idempotencyKey: a.idempotencyKey,
      originTime: a.cycleAt ?? a.scheduledAt,
      cycleAt: a.cycleAt
    }))
  )
  return results.map((result, i) => {
    const attempt = attempts[i]!
    if (result.ok) return answerOf(attempt, result.value, now)
    return result.failure.kind === 'rejected' ? refused(attempt, result.failure, now) : later(attempt, now)
  })
}

/** For attempts of cycles that were tried before. */
async function sendUnlessPaid(
  connector: Connector,
  attempts: ClaimedAttempt[],
  now: Temporal.Instant
): Promise<Answer[]> {
  if (attempts.length === 0) return []
  const found = await findPaidBefore(connector, attempts)
  const clear = attempts.filter((_, i) => found[i]!.state === 'nothing')
  const others = attempts.flatMap((attempt, i) => {
    const look = found[i]!
    return look.state === 'nothing' ? [] : [insteadOf(connector, attempt, look, now)]
  })
  const [sent, ...rest] = await Promise.all([send(connector, clear, now), ...others])
  return [...sent, ...rest.flat()]
}

async function insteadOf(
  connector: Connector,
  attempt: ClaimedAttempt,
  look: Exclude<Found, { state: 'nothing' }>,
  now: Temporal.Instant
): Promise<Answer[]> {
  if (look.state === 'unknown') return [later(attempt, now)]
  const instead = resultOf(look.by)!
  // An earlier call of this very attempt may have arrived: then it is there too, and ends as it ended there.
  const itself = attempt.submittedBefore === null ? null : await lookUp(connector, attempt, now)
  if (itself && !('never' in itself)) return [{ result: instead }, itself]
  return [{ superseded: attempt, instead }]
}

async function askAfter(connector: Connector, attempts: ClaimedAttempt[], now: Temporal.Instant): Promise<Answer[]> {
  if (attempts.length === 0) return []
  const found = await connector.billing.findAttempts(attempts.map((a) => a.platformAttemptId!))
  return attempts.map((attempt) => {
    const told = found.ok ? found.value.get(attempt.platformAttemptId!) : undefined
    return told ? answerOf(attempt, told, now) : later(attempt, now)
  })
}

/** For an attempt that is no longer wanted: only a look, never a charge. */
async function lookUp(connector: Connector, attempt: ClaimedAttempt, now: Temporal.Instant): Promise<Answer> {
  const found = await connector.billing.findAttemptByKey(attempt.platformContractId, attempt.idempotencyKey)
  if (!found.ok) return later(attempt, now)
  return found.value ? answerOf(attempt, found.value, now) : { never: attempt }
}

/** Where the platform says that the cycle is paid, the payment is looked for, and settles it. */
async function findWhatPaid(
  connector: Connector,
  answer: Answer,
  byKey: Map<string, ClaimedAttempt>,
  now: Temporal.Instant
): Promise<Answer> {
  if (!('result' in answer) || answer.result.state !== 'failed') return answer
  const attempt = byKey.get(answer.result.idempotencyKey)
  if (!attempt || declineOf(answer.result.errorCode).code !== 'already_paid') return answer
  const found = await findPayment(connector, attempt)
  if (found.state === 'unknown') return later(attempt, now)
  if (found.state === 'nothing') return { result: { ...answer.result, isLookedFor: true } }
  const result = resultOf(found.by)!
  if (attempt.earlier.some((e) => e.idempotencyKey === found.by.idempotencyKey)) {
    return { superseded: attempt, instead: result }
  }
  return {
    result: { ...result, idempotencyKey: attempt.idempotencyKey },
    foreign: attempt,
    platformAttemptId: found.by.id
  }
}

async function write(ctx: Ctx, byKey: Map<string, ClaimedAttempt>, told: Answer[]): Promise<void> {
  const answers = await Promise.all(told.map((answer) => withoutKnown(ctx, answer)))
  const checked = answers.flatMap((a) => ('checked' in a ? a.checked : []))
  const never = answers.flatMap((a) => ('never' in a ? a.never : []))
  const superseded = answers.flatMap((a) => ('superseded' in a ? a : []))
  const results = answers.flatMap((a) => ('result' in a ? a.result : []))
  // Subscriptions before attempts, and all at once, as everyone locks them.
  const challenges = checked.flatMap(({ idempotencyKey, actionUrl }) =>
    actionUrl === null ? [] : { idempotencyKey, actionUrl }
  )
  const isHolding = never.length > 0 || superseded.length > 0 || challenges.length > 0
  const held = isHolding
    ? await lockSubscriptions(ctx, [...new Set([...byKey.values()].map((a) => a.subscriptionId))])
    : []
  await noteChallenges(ctx, challenges)
  await end(ctx, never, 'voided')
  await markDueNow(ctx, waitingFor(held, never))
  // First what stands in the way of the cycle's other attempt.
  await end(
    ctx,
    superseded.map((a) => a.superseded),
    'superseded'
  )
  const ends = [...results, ...superseded.map((a) => a.instead)]
  if (ends.length > 0) await settleAttempts(ctx, ends)
  // It holds attempts without their subscriptions, so nothing that locks subscriptions may follow.
  if (checked.length > 0) await markChecked(ctx, checked)
  // A contract that the platform will not bill, or calls paid, may have changed behind our back.
  const doubtful = ends.flatMap((r) =>
    r.state === 'failed' && DOUBTFUL.has(declineOf(r.errorCode).code) ? (byKey.get(r.idempotencyKey) ?? []) : []
  )
  await lookAtContracts(
    ctx,
    doubtful.map((a) => a.platformContractId)
  )
}

/** Those that came back after the look at their attempt had begun, and are waiting for it: it never was, so they are due. */
function waitingFor(held: Subscription[], never: ClaimedAttempt[]): number[] {
  const cycles = new Map(never.map((a) => [a.subscriptionId, a.cycleIndex]))
  return held
    .filter((s) => s.status === 'active' && s.billingDueAt === null && cycles.get(s.id) === s.nextCycle)
    .map(({ id }) => id)
}

const DOUBTFUL = new Set(['contract_not_billable', 'already_paid'])

async function end(ctx: Ctx, attempts: ClaimedAttempt[], code: 'voided' | 'superseded'): Promise<void> {
  if (attempts.length === 0) return
  const keys = attempts.map((a) => a.idempotencyKey)
  const ended = await lockAttemptsByKey(ctx, keys)
  await voidAttempts(ctx, ended, code)
  // A success of their cycle that was told late meanwhile has waited for this end.
  await correctAttempts(ctx, (await lockLateOnes(ctx, ended)).map(ofRow))
}

/** A payment that we have of another cycle has not paid this one. */
async function withoutKnown(ctx: Ctx, answer: Answer): Promise<Answer> {
  if (!('foreign' in answer)) return answer
  const { foreign, platformAttemptId } = answer
  if (!(await isKnownPayment(ctx, foreign.subscriptionId, platformAttemptId))) return answer
  return {
    result: {
      idempotencyKey: foreign.idempotencyKey,
      platformAttemptId: null,
      state: 'failed',
      errorCode: 'invoice_already_paid',
      errorMessage: 'The platform calls the cycle paid, by the payment of another one',
      isLookedFor: true
    }
  }
}
