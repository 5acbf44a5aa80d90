import { runBatched } from '#kit/batcher'
import { type Ctx, type Database, isTemporary } from '#kit/postgres'
import { enqueueContractSync, lockSubscriptions, type Subscription } from '#subscriptions'
import { markDueNow } from '#subscriptions/for-billing'
import { type Attempt, lockAttemptsByKey, lockLateSuccesses } from '../attempts/attempt.ts'
import type { AttemptResult } from '../attempts/attempt-result.ts'
import { isKnownPayment } from '../attempts/settlement.ts'
import { declineOf } from '../dunning/decline-codes.ts'
import { recordActionRequired } from '../dunning/record-action-required.ts'
import { applyLateSuccesses, lateSuccessOfRow } from '../settling/apply-late-success.ts'
import { settleAttempts } from '../settling/settle-attempts.ts'
import { voidAttempts } from '../settling/void-attempts.ts'
import type { Submitted } from './ask-platform.ts'
import { type ClaimedAttempt, markChecked } from './claims.ts'
import { checkLater, type SubmitOutcome } from './submit-outcome.ts'

/** So often an outcome is written together with others, when that could not be done at the time; then by itself. */
const MAX_TOGETHER = 3

/** What came of earlier tries to write outcomes: which are written, and how often others could not be at the time. */
export type WriteHistory = { written: WeakSet<SubmitOutcome>; failures: WeakMap<SubmitOutcome, number> }
export const newWriteHistory = (): WriteHistory => ({ written: new WeakSet(), failures: new WeakMap() })

/**
 * Writes what the platform answered, and returns how that ended, for each. Outcomes are written together, and each by itself
 * where that fails, so that one that cannot be written holds up no other. Its attempt is checked again later, except after an
 * error that is over some time (`isTemporary`): then the same is to be written again, with the same `history`, also what may be
 * written already. Such an error ends the try; what met some is written by itself, and after all others, since it may be the
 * reason.
 */
export async function writeSubmitted(
  db: Database,
  storeId: number,
  submitted: Submitted[],
  { written, failures }: WriteHistory = newWriteHistory()
): Promise<PromiseSettledResult<void>[]> {
  const attemptsOf = attemptsOfOutcomes(submitted)
  const errors = new Map<SubmitOutcome, unknown>()
  const timesFailed = (outcome: SubmitOutcome) => failures.get(outcome) ?? 0
  /** False after an error that is over some time. */
  const tryToWrite = async (some: SubmitOutcome[]): Promise<boolean> => {
    const ends = await runBatched(some, (part) => writeTogether(db, storeId, part, attemptsOf), isTemporary)
    for (const [i, outcome] of some.entries()) {
      const end = ends[i]!
      if (end.status === 'fulfilled') written.add(outcome)
      else errors.set(outcome, end.reason)
      if (isTemporary(errors.get(outcome))) failures.set(outcome, timesFailed(outcome) + 1)
    }
    return !some.some((outcome) => isTemporary(errors.get(outcome)))
  }
  const outcomes = [...attemptsOf.keys()].filter((outcome) => !written.has(outcome))
  const alone = outcomes.filter((outcome) => timesFailed(outcome) >= MAX_TOGETHER)
  const together = outcomes.filter((outcome) => !alone.includes(outcome))
  const tries = alone.toSorted((a, b) => timesFailed(a) - timesFailed(b)).map((outcome) => [outcome])
  if (together.length > 0) tries.unshift(together)
  for (const some of tries) if (!(await tryToWrite(some))) break
  await putOff(db, storeId, errors, attemptsOf)
  // What was not tried waits for the same.
  const temporary = [...errors.values()].find(isTemporary)
  return submitted.map((one): PromiseSettledResult<void> => {
    const left = one.outcomes.filter((outcome) => !written.has(outcome))
    if (left.length === 0) return WRITTEN
    const reasons = left.map((outcome) => errors.get(outcome) ?? temporary)
    return { status: 'rejected', reason: reasons.find(isTemporary) ?? reasons[0] }
  })
}

const WRITTEN: PromiseSettledResult<void> = { status: 'fulfilled', value: undefined }

/** The attempts that outcomes are about: each about its own, or else all that were asked for with it, whose subscription it is. */
function attemptsOfOutcomes(submitted: Submitted[]): Map<SubmitOutcome, ClaimedAttempt[]> {
  const pairs = submitted.flatMap(({ attempts, outcomes }) => {
    const byKey = new Map(attempts.map((a) => [a.idempotencyKey, a]))
    return outcomes.map((outcome): [SubmitOutcome, ClaimedAttempt[]] => {
      const attempt = attemptOf(outcome, byKey)
      return [outcome, attempt ? [attempt] : attempts]
    })
  })
  return new Map(pairs)
}

async function writeTogether(
  db: Database,
  storeId: number,
  outcomes: SubmitOutcome[],
  attemptsOf: Map<SubmitOutcome, ClaimedAttempt[]>
): Promise<SubmitOutcome[]> {
  const attempts = outcomes.flatMap((outcome) => attemptsOf.get(outcome)!)
  await db.inStore(storeId, (ctx) => write(ctx, new Map(attempts.map((a) => [a.idempotencyKey, a])), outcomes))
  return outcomes
}

/** Has attempts checked later whose outcomes cannot be written. What cannot be put off either is as unwritten as the rest. */
async function putOff(
  db: Database,
  storeId: number,
  errors: Map<SubmitOutcome, unknown>,
  attemptsOf: Map<SubmitOutcome, ClaimedAttempt[]>
): Promise<void> {
  const unwritable = [...errors.keys()].filter((outcome) => !isTemporary(errors.get(outcome)))
  if (unwritable.length === 0) return
  const later = unwritable.flatMap((outcome) => attemptsOf.get(outcome)!.map((a) => checkLater(a).checked))
  const [marked] = await Promise.allSettled([db.inStore(storeId, (ctx) => markChecked(ctx, later))])
  if (marked.status === 'rejected') for (const outcome of unwritable) errors.set(outcome, marked.reason)
}

function attemptOf(submitOutcome: SubmitOutcome, byKey: Map<string, ClaimedAttempt>): ClaimedAttempt | undefined {
  if ('unsent' in submitOutcome) return submitOutcome.unsent
  if ('superseded' in submitOutcome) return submitOutcome.superseded
  return byKey.get(('checked' in submitOutcome ? submitOutcome.checked : submitOutcome.result).idempotencyKey)
}

async function write(ctx: Ctx, byKey: Map<string, ClaimedAttempt>, reported: SubmitOutcome[]): Promise<void> {
  const submitOutcomes = await Promise.all(reported.map((submitOutcome) => withoutKnownPayment(ctx, submitOutcome)))
  const checked = submitOutcomes.flatMap((a) => ('checked' in a ? a.checked : []))
  const unsent = submitOutcomes.flatMap((a) => ('unsent' in a ? a.unsent : []))
  const superseded = submitOutcomes.flatMap((a) => ('superseded' in a ? a : []))
  const results = submitOutcomes.flatMap((a) => ('result' in a ? a.result : []))
  const refused = results.flatMap((r) => (isRefused(r) ? byKey.get(r.idempotencyKey)! : []))
  // Subscriptions before attempts, and all at once, as everyone locks them.
  const requiredActions = checked.flatMap(({ idempotencyKey, platformAttemptId, actionUrl }) =>
    actionUrl === null ? [] : { idempotencyKey, platformAttemptId, actionUrl }
  )
  const isHolding = unsent.length + superseded.length + requiredActions.length + refused.length > 0
  const held = isHolding
    ? await lockSubscriptions(ctx, [...new Set([...byKey.values()].map((a) => a.subscriptionId))])
    : []
  await recordActionRequired(ctx, requiredActions)
  const voided = await end(ctx, unsent, 'voided')
  await markDueNow(ctx, waitingFor(held, voided))
  // First the attempts that block the other attempt of their cycle.
  await end(
    ctx,
    superseded.map((a) => a.superseded),
    'superseded'
  )
  const locked = new Map((await lockOurs(ctx, refused)).map((a) => [a.idempotencyKey, a]))
  const counts = (r: AttemptResult) => !isRefused(r) || mayFail(r, locked.get(r.idempotencyKey))
  const ends = [...results.filter(counts), ...superseded.map((a) => a.instead)]
  if (ends.length > 0) await settleAttempts(ctx, ends)
  // One that was sent meanwhile after all is looked at again.
  const left = unsent.filter((a) => !voided.includes(a))
  left.push(...results.flatMap((r) => (counts(r) ? [] : byKey.get(r.idempotencyKey)!)))
  checked.push(...left.map((a) => checkLater(a).checked))
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
function waitingFor(held: Subscription[], voided: ClaimedAttempt[]): number[] {
  const cycles = new Map(voided.map((a) => [a.subscriptionId, a.cycleIndex]))
  return held
    .filter((s) => s.status === 'active' && s.billingDueAt === null && cycles.get(s.id) === s.nextCycle)
    .map(({ id }) => id)
}

const DOUBTFUL = new Set(['contract_not_billable', 'already_paid'])

/** A failure without an attempt on the platform: it refused the call, or calls the cycle paid by the payment of another one. */
const isRefused = (result: AttemptResult) => result.state === 'failed' && result.platformAttemptId === null

/**
 * Whether a refusal ends an attempt: only under our claim (`ours`), and no refusal of a call when the platform has an attempt by
 * now.
 */
const mayFail = (result: AttemptResult, ours: Attempt | undefined): boolean =>
  ours !== undefined && !(result.state === 'failed' && result.isRefusal && ours.platformAttemptId !== null)

/** Locks those of these attempts whose claims are still ours: what another process has claimed meanwhile it may have sent. */
async function lockOurs(ctx: Ctx, attempts: ClaimedAttempt[]): Promise<Attempt[]> {
  if (attempts.length === 0) return []
  const tokens = new Map(attempts.map((a) => [a.idempotencyKey, a.leaseToken]))
  const locked = await lockAttemptsByKey(ctx, [...tokens.keys()])
  return locked.filter(({ idempotencyKey, leaseToken }) => leaseToken === tokens.get(idempotencyKey))
}

/**
 * Ends attempts whose claims are still ours, and returns these. Nothing is `voided` of which the platform has an attempt by now.
 */
async function end(ctx: Ctx, attempts: ClaimedAttempt[], code: 'voided' | 'superseded'): Promise<ClaimedAttempt[]> {
  const ours = await lockOurs(ctx, attempts)
  const ending = ours.filter(({ platformAttemptId }) => code === 'superseded' || platformAttemptId === null)
  if (ending.length === 0) return []
  await voidAttempts(ctx, ending, code)
  // A success of their cycle that was reported late has waited for this end.
  await applyLateSuccesses(ctx, (await lockLateSuccesses(ctx, ending)).map(lateSuccessOfRow))
  const ended = new Set(ending.map(({ idempotencyKey }) => idempotencyKey))
  return attempts.filter(({ idempotencyKey }) => ended.has(idempotencyKey))
}

/** A payment that is known as that of another cycle has not paid this one. */
async function withoutKnownPayment(ctx: Ctx, submitOutcome: SubmitOutcome): Promise<SubmitOutcome> {
  if (!('external' in submitOutcome)) return submitOutcome
  const { external, platformAttemptId } = submitOutcome
  if (!(await isKnownPayment(ctx, external, platformAttemptId))) return submitOutcome
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
