import { runBatched } from '#kit/batcher'
import { type Ctx, type Database, isOutage } from '#kit/postgres'
import { type Connector, MAX_CALL_MS, type PlatformAttempt } from '#platform'
import { enqueueContractSync, lockSubscriptions, type Subscription } from '#subscriptions'
import { markDueNow } from '#subscriptions/for-billing'
import { lockAttemptsByKey, lockLateSuccesses } from '../attempts/attempt.ts'
import { resultOf } from '../attempts/attempt-result.ts'
import { isKnownPayment } from '../attempts/settlement.ts'
import { declineOf } from '../dunning/decline-codes.ts'
import { recordActionRequired } from '../dunning/record-action-required.ts'
import { applyLateSuccesses, lateSuccessOfRow } from '../settling/apply-late-success.ts'
import { settleAttempts } from '../settling/settle-attempts.ts'
import { voidAttempts } from '../settling/void-attempts.ts'
import { findPayment, findPriorPayment, type PriorPayment } from './check-prior-attempts.ts'
import { CLAIM_MS, type ClaimedAttempt, claimAttempts, markChecked } from './claims.ts'
import { checkLater, outcomeOf, refusedOutcome, type SubmitOutcome } from './submit-outcome.ts'

/** What became of claimed attempts at the platform, to be written. */
export type Submitted = {
  attempts: ClaimedAttempt[]
  outcomes: SubmitOutcome[]
  now: Temporal.Instant
  /** The platform had no points for one of the calls. */
  isThrottled: boolean
}

/** Claimed attempts, and until when, in milliseconds of `performance.now()`, a charge may be sent for them. */
type Claim = { attempts: ClaimedAttempt[]; now: Temporal.Instant; sendUntil: number }

/** Beside the call itself, what is written before the claim ends needs a moment. */
const WRITE_MS = 10_000

/**
 * Sends waiting attempts to the platform and checks those sent before, up to `limit`, and writes the outcomes. Every call uses the
 * attempt's stored key. After a crash or a lost response the platform is searched for the attempt before its key is sent again,
 * because keys are forgotten there after a time. A new key is sent only after the platform has said that no earlier attempt of the
 * cycle was paid.
 */
export async function submitAttempts(
  db: Database,
  storeId: number,
  connector: Connector,
  leaseOwner: number,
  limit: number
): Promise<number> {
  const { calls, claimed } = await claimCalls(db, storeId, connector, leaseOwner, limit)
  await writeSubmitted(db, storeId, await Promise.all(calls.map((call) => call())))
  return claimed
}

/**
 * Claims up to `limit` attempts, and returns what to ask the platform for them. Each attempt that may charge is asked for by
 * itself, so that one whose call hangs holds up no other; those that are only read are read together. Nothing is written.
 */
export async function claimCalls(
  db: Database,
  storeId: number,
  connector: Connector,
  leaseOwner: number,
  limit: number
): Promise<{ calls: (() => Promise<Submitted>)[]; claimed: number }> {
  const sendUntil = performance.now() + CLAIM_MS - MAX_CALL_MS - WRITE_MS
  const claim: Claim = await db.inStore(storeId, async (ctx) => ({
    now: ctx.now,
    attempts: await claimAttempts(ctx, limit, leaseOwner),
    sendUntil
  }))
  const known = claim.attempts.filter((a) => a.platformAttemptId !== null)
  const parts = claim.attempts.filter((a) => a.platformAttemptId === null).map((attempt) => [attempt])
  if (known.length > 0) parts.push(known)
  const calls = parts.map((attempts) => () => submit(connector, { ...claim, attempts }))
  return { calls, claimed: claim.attempts.length }
}

async function submit(connector: Connector, claim: Claim): Promise<Submitted> {
  const { attempts, now } = claim
  let isThrottled = false
  const noteThrottled = () => void (isThrottled = true)
  const outcomes = await ask(connector, claim, noteThrottled)
  const byKey = new Map(attempts.map((a) => [a.idempotencyKey, a]))
  const settled = await Promise.all(outcomes.map((outcome) => findWhatPaid(connector, outcome, byKey, claim)))
  return { attempts, outcomes: settled, now, isThrottled }
}

function ask(connector: Connector, claim: Claim, noteThrottled: () => void): Promise<SubmitOutcome[]> {
  const [attempt] = claim.attempts
  if (attempt!.platformAttemptId !== null) return fetchOutcomes(connector, claim)
  if (!attempt!.isWanted) return Promise.all([fetchUnwanted(connector, attempt!, claim.now)])
  return isFirstCall(attempt!)
    ? send(connector, attempt!, claim, noteThrottled)
    : sendUnlessPaid(connector, attempt!, claim, noteThrottled)
}

/** Writes what the platform answered. One that cannot be written is asked for again later, and its error is thrown. */
export async function writeSubmitted(db: Database, storeId: number, submitted: Submitted[]): Promise<void> {
  if (submitted.length === 0) return
  const byKey = new Map(submitted.flatMap(({ attempts }) => attempts.map((a) => [a.idempotencyKey, a])))
  const outcomes = submitted.flatMap((one) => one.outcomes)
  await writeAll(db, storeId, byKey, outcomes, submitted[0]!.now)
}

/**
 * Writes outcomes together, and each by itself where that fails, so that one that cannot be written holds up no other. Its attempt
 * is checked again later, and the error is thrown.
 */
async function writeAll(
  db: Database,
  storeId: number,
  byKey: Map<string, ClaimedAttempt>,
  submitOutcomes: SubmitOutcome[],
  now: Temporal.Instant
): Promise<void> {
  const outcomes = await runBatched(submitOutcomes, (some) =>
    db.inStore(storeId, async (ctx) => {
      await write(ctx, byKey, some)
      return some
    })
  )
  const failures = outcomes.flatMap((outcome, i) =>
    outcome.status === 'rejected'
      ? { attempt: attemptOf(submitOutcomes[i]!, byKey), reason: outcome.reason as unknown }
      : []
  )
  if (failures.length === 0) return
  // After an outage nothing can be written either; expired leases are claimed again.
  const attempts = failures.flatMap(({ attempt, reason }) => (attempt && !isOutage(reason) ? attempt : []))
  if (attempts.length > 0) {
    const checked = attempts.map((attempt) => checkLater(attempt, now).checked)
    await db.inStore(storeId, (ctx) => markChecked(ctx, checked))
  }
  throw failures[0]!.reason
}

function attemptOf(submitOutcome: SubmitOutcome, byKey: Map<string, ClaimedAttempt>): ClaimedAttempt | undefined {
  if ('unsent' in submitOutcome) return submitOutcome.unsent
  if ('superseded' in submitOutcome) return submitOutcome.superseded
  return byKey.get(('checked' in submitOutcome ? submitOutcome.checked : submitOutcome.result).idempotencyKey)
}

async function send(
  connector: Connector,
  attempt: ClaimedAttempt,
  { now, sendUntil }: Claim,
  noteThrottled: () => void
): Promise<SubmitOutcome[]> {
  // Later, another process might have the attempt by the time that the platform answers.
  if (performance.now() > sendUntil) return [checkLater(attempt, now)]
  const [result] = await connector.billing.createAttempts([
    {
      contractId: attempt.platformContractId,
      idempotencyKey: attempt.idempotencyKey,
      originTime: attempt.cycleAt ?? attempt.scheduledAt,
      cycleAt: attempt.cycleAt
    }
  ])
  if (result!.ok) return [outcomeOf(attempt, result!.value, now)]
  const { failure } = result!
  if (failure.kind === 'throttled') noteThrottled()
  return [failure.kind === 'rejected' ? refusedOutcome(attempt, failure, now) : checkLater(attempt, now)]
}

/** Whether the platform cannot have anything of the cycle from us yet. */
const isFirstCall = ({ earlier, submittedBefore }: ClaimedAttempt) => earlier.length === 0 && submittedBefore === null

/** Sends an attempt of a cycle that was tried before, unless an earlier one was paid or the platform has the attempt itself. */
async function sendUnlessPaid(
  connector: Connector,
  attempt: ClaimedAttempt,
  claim: Claim,
  noteThrottled: () => void
): Promise<SubmitOutcome[]> {
  const [prior] = await findPriorPayment(connector, [attempt])
  if (prior!.state !== 'nothing') return outcomeOfPriorPayment(connector, attempt, prior!, claim.now)
  if (attempt.submittedBefore === null) return send(connector, attempt, claim, noteThrottled)
  // Its earlier call may have arrived.
  const itself = await fetchUnwanted(connector, attempt, claim.now)
  return 'unsent' in itself ? send(connector, attempt, claim, noteThrottled) : [itself]
}

async function outcomeOfPriorPayment(
  connector: Connector,
  attempt: ClaimedAttempt,
  prior: Exclude<PriorPayment, { state: 'nothing' }>,
  now: Temporal.Instant
): Promise<SubmitOutcome[]> {
  if (prior.state === 'unknown') return [checkLater(attempt, now)]
  const instead = resultOf(prior.by)!
  // An earlier call of this attempt may have arrived: then it exists there, and ends as it ended there.
  const itself = attempt.submittedBefore === null ? null : await fetchUnwanted(connector, attempt, now)
  const isOurs = attempt.earlier.some((e) => e.idempotencyKey === prior.by.idempotencyKey)
  if (itself && !('unsent' in itself)) return isOurs ? [{ result: instead }, itself] : [itself]
  return [isOurs ? { superseded: attempt, instead } : settledBy(attempt, prior.by)]
}

/** Reads attempts together, and one by one where the platform does not answer: one that cannot be read holds up no other. */
async function fetchOutcomes(
  connector: Connector,
  { attempts, now }: Omit<Claim, 'sendUntil'>
): Promise<SubmitOutcome[]> {
  const found = await connector.billing.findAttempts(attempts.map((a) => a.platformAttemptId!))
  if (!found.ok && found.failure.kind === 'unavailable' && attempts.length > 1) {
    const each = attempts.map((attempt) => fetchOutcomes(connector, { attempts: [attempt], now }))
    return (await Promise.all(each)).flat()
  }
  return attempts.map((attempt) => {
    const reported = found.ok ? found.value.get(attempt.platformAttemptId!) : undefined
    return reported ? outcomeOf(attempt, reported, now) : checkLater(attempt, now)
  })
}

/** Checks an attempt that is no longer wanted; never charges. */
async function fetchUnwanted(
  connector: Connector,
  attempt: ClaimedAttempt,
  now: Temporal.Instant
): Promise<SubmitOutcome> {
  const found = await connector.billing.findAttemptByKey(attempt.platformContractId, attempt.idempotencyKey)
  if (!found.ok) return checkLater(attempt, now)
  return found.value ? outcomeOf(attempt, found.value, now) : { unsent: attempt }
}

/** Where the platform says that the cycle is paid, the payment is searched for, and settles the attempt. */
async function findWhatPaid(
  connector: Connector,
  submitOutcome: SubmitOutcome,
  byKey: Map<string, ClaimedAttempt>,
  { now, sendUntil }: Claim
): Promise<SubmitOutcome> {
  if (!('result' in submitOutcome) || submitOutcome.result.state !== 'failed') return submitOutcome
  const attempt = byKey.get(submitOutcome.result.idempotencyKey)
  if (!attempt || declineOf(submitOutcome.result.errorCode).code !== 'already_paid') return submitOutcome
  if (performance.now() > sendUntil) return checkLater(attempt, now)
  const found = await findPayment(connector, attempt)
  if (found.state === 'unknown') return checkLater(attempt, now)
  if (found.state === 'nothing') return { result: { ...submitOutcome.result, isPaymentSearched: true } }
  const result = resultOf(found.by)!
  if (attempt.earlier.some((e) => e.idempotencyKey === found.by.idempotencyKey)) {
    return { superseded: attempt, instead: result }
  }
  return settledBy(attempt, found.by)
}

/** The payment of somebody else as the result of an attempt of ours. */
function settledBy(attempt: ClaimedAttempt, by: PlatformAttempt): SubmitOutcome {
  const result = { ...resultOf(by)!, idempotencyKey: attempt.idempotencyKey }
  return { result, external: attempt, platformAttemptId: by.id }
}

async function write(ctx: Ctx, byKey: Map<string, ClaimedAttempt>, reported: SubmitOutcome[]): Promise<void> {
  const submitOutcomes = await Promise.all(reported.map((submitOutcome) => withoutKnownPayment(ctx, submitOutcome)))
  const checked = submitOutcomes.flatMap((a) => ('checked' in a ? a.checked : []))
  const unsent = submitOutcomes.flatMap((a) => ('unsent' in a ? a.unsent : []))
  const superseded = submitOutcomes.flatMap((a) => ('superseded' in a ? a : []))
  const results = submitOutcomes.flatMap((a) => ('result' in a ? a.result : []))
  // Subscriptions before attempts, and all at once, as everyone locks them.
  const requiredActions = checked.flatMap(({ idempotencyKey, actionUrl }) =>
    actionUrl === null ? [] : { idempotencyKey, actionUrl }
  )
  const isHolding = unsent.length > 0 || superseded.length > 0 || requiredActions.length > 0
  const held = isHolding
    ? await lockSubscriptions(ctx, [...new Set([...byKey.values()].map((a) => a.subscriptionId))])
    : []
  await recordActionRequired(ctx, requiredActions)
  await end(ctx, unsent, 'voided')
  await markDueNow(ctx, waitingFor(held, unsent))
  // First the attempts that block the other attempt of their cycle.
  await end(
    ctx,
    superseded.map((a) => a.superseded),
    'superseded'
  )
  const ends = [...results, ...superseded.map((a) => a.instead)]
  if (ends.length > 0) await settleAttempts(ctx, ends)
  // This locks attempts without their subscriptions, so nothing that locks subscriptions may follow.
  if (checked.length > 0) await markChecked(ctx, checked)
  // A contract that the platform does not bill, or calls paid, may have changed there without a message.
  const doubtful = ends.flatMap((r) =>
    r.state === 'failed' && DOUBTFUL.has(declineOf(r.errorCode).code) ? (byKey.get(r.idempotencyKey) ?? []) : []
  )
  await enqueueContractSync(
    ctx,
    doubtful.map((a) => a.platformContractId)
  )
}

/** Subscriptions that continued while their attempt was checked, and wait for it: it never existed, so they are due. */
function waitingFor(held: Subscription[], unsent: ClaimedAttempt[]): number[] {
  const cycles = new Map(unsent.map((a) => [a.subscriptionId, a.cycleIndex]))
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
  // A success of their cycle that was reported late has waited for this end.
  await applyLateSuccesses(ctx, (await lockLateSuccesses(ctx, ended)).map(lateSuccessOfRow))
}

/** A payment that is known as that of another cycle has not paid this one. */
async function withoutKnownPayment(ctx: Ctx, submitOutcome: SubmitOutcome): Promise<SubmitOutcome> {
  if (!('external' in submitOutcome)) return submitOutcome
  const { external, platformAttemptId } = submitOutcome
  if (!(await isKnownPayment(ctx, external.subscriptionId, platformAttemptId))) return submitOutcome
  return {
    result: {
      idempotencyKey: external.idempotencyKey,
      platformAttemptId: null,
      state: 'failed',
      errorCode: 'invoice_already_paid',
      errorMessage: 'The platform calls the cycle paid, by the payment of another cycle',
      isPaymentSearched: true
    }
  }
}
