import { type Connector, isUnreached, type PlatformAttempt, type PlatformFailure, type PlatformResult } from '#platform'
import { resultOf } from '../attempts/attempt-result.ts'
import { declineOf } from '../dunning/decline-codes.ts'
import { findPayment, findPriorPayment, type PriorPayment } from './check-prior-attempts.ts'
import type { ClaimedAttempt } from './claims.ts'
import {
  checkAtOnce,
  checkLater,
  checkSoon,
  outcomeOf,
  outcomeOfFailure,
  refusedOutcome,
  type SubmitOutcome
} from './submit-outcome.ts'

/** A question to the platform about claimed attempts, or a charge. */
export type Call = { attempts: ClaimedAttempt[]; ask: () => Promise<Submitted> }

/** What became of claimed attempts at the platform, to be written. */
export type Submitted = {
  attempts: ClaimedAttempt[]
  outcomes: SubmitOutcome[]
  /** The platform had no points for one of the calls. */
  isThrottled: boolean
  /** They could not be read together: each is to be read by itself, or else the outcomes hold. */
  alone: Call[]
}

/**
 * Claimed attempts, and when they were claimed. `endBy`: until when the call of a charge that is sent now has to end, so that its
 * claim is ours until then; null where it may not be sent any more. `isEnding`: the work of the store is being ended: nothing
 * more is read or sent, and what is left is due at once.
 */
export type Claim = {
  attempts: ClaimedAttempt[]
  now: Temporal.Instant
  endBy: (attempt: ClaimedAttempt) => Promise<number | null>
  isEnding: () => boolean
}
type Asking = Claim & { noteThrottled: () => void; noteUnread: () => void }

/** Asks the platform for claimed attempts: charges, or reads what became of them. Writes nothing. */
export async function askPlatform(unlimited: Connector, claim: Claim): Promise<Submitted> {
  const { attempts, isEnding } = claim
  const connector = readingUnless(isEnding, unlimited)
  let isThrottled = false
  let areUnread = false
  const asking: Asking = {
    ...claim,
    noteThrottled: () => void (isThrottled = true),
    noteUnread: () => void (areUnread = true)
  }
  const outcomes = await ask(connector, asking)
  const byKey = new Map(attempts.map((a) => [a.idempotencyKey, a]))
  const settled = await Promise.all(outcomes.map((outcome) => findWhatPaid(connector, outcome, byKey, asking)))
  const alone = areUnread
    ? attempts.map((attempt) => ({
        attempts: [attempt],
        ask: () => askPlatform(unlimited, { ...claim, attempts: [attempt] })
      }))
    : []
  return { attempts, outcomes: settled, isThrottled, alone }
}

/** The connector, where no reading begins when the work is being ended. */
function readingUnless(isEnding: () => boolean, connector: Connector): Connector {
  const { billing } = connector
  const unlessEnding =
    <Args extends unknown[], T>(read: (...args: Args) => Promise<PlatformResult<T>>) =>
    async (...args: Args): Promise<PlatformResult<T>> =>
      isEnding() ? NOT_ASKED : read(...args)
  return {
    ...connector,
    billing: {
      ...billing,
      findAttempts: unlessEnding(billing.findAttempts),
      findAttemptsByKeys: unlessEnding(billing.findAttemptsByKeys),
      findPaymentOfCycle: unlessEnding(billing.findPaymentOfCycle)
    }
  }
}

const NOT_ASKED = {
  ok: false,
  failure: { kind: 'unavailable', message: 'The work of the store is being ended' }
} as const

function ask(connector: Connector, asking: Asking): Promise<SubmitOutcome[]> {
  const [attempt] = asking.attempts
  if (attempt!.platformAttemptId !== null) return fetchOutcomes(connector, asking)
  if (!attempt!.isWanted) return fetchUnwanted(connector, attempt!, asking)
  return isFirstCall(attempt!) ? send(connector, attempt!, asking) : sendUnlessPaid(connector, attempt!, asking)
}

async function send(connector: Connector, attempt: ClaimedAttempt, asking: Asking): Promise<SubmitOutcome[]> {
  // Otherwise another process might have the attempt by the time that the platform answers.
  const endBy = await asking.endBy(attempt)
  if (endBy === null) return [asking.isEnding() ? checkAtOnce(attempt) : checkSoon(attempt, asking.now)]
  const [result] = await connector.billing.createAttempts([
    {
      contractId: attempt.platformContractId,
      idempotencyKey: attempt.idempotencyKey,
      originTime: attempt.cycleAt ?? attempt.scheduledAt,
      cycleAt: attempt.cycleAt,
      endBy
    }
  ])
  if (result!.ok) return [outcomeOf(attempt, result!.value)]
  const { failure } = result!
  return [failure.kind === 'rejected' ? refusedOutcome(attempt, failure) : failedCall(attempt, failure, asking)]
}

/** The outcome of a call that the platform did not carry out. */
function failedCall(
  attempt: ClaimedAttempt,
  failure: PlatformFailure,
  { now, isEnding, noteThrottled }: Asking
): SubmitOutcome {
  if (failure.kind === 'throttled') noteThrottled()
  if (isEnding() && isUnreached(failure)) return checkAtOnce(attempt)
  return outcomeOfFailure(attempt, failure, now)
}

/** Whether the platform cannot have anything of the cycle from us yet. */
const isFirstCall = ({ earlier, submittedBefore }: ClaimedAttempt) => earlier.length === 0 && submittedBefore === null

/** Sends an attempt of a cycle that was tried before, unless an earlier one was paid or the platform has the attempt itself. */
async function sendUnlessPaid(connector: Connector, attempt: ClaimedAttempt, asking: Asking): Promise<SubmitOutcome[]> {
  const prior = await findPriorPayment(connector, attempt)
  if (prior.state !== 'nothing') return outcomesOfPriorPayment(connector, attempt, prior, asking)
  if (attempt.submittedBefore === null) return send(connector, attempt, asking)
  // Its earlier call may have arrived.
  const itself = await fetchUnwanted(connector, attempt, asking)
  return isUnsent(itself) ? send(connector, attempt, asking) : itself
}

const isUnsent = (outcomes: SubmitOutcome[]) => outcomes.some((outcome) => 'unsent' in outcome)

async function outcomesOfPriorPayment(
  connector: Connector,
  attempt: ClaimedAttempt,
  prior: Exclude<PriorPayment, { state: 'nothing' }>,
  asking: Asking
): Promise<SubmitOutcome[]> {
  if (prior.state === 'unknown') return [whileUnknown(attempt, prior, asking)]
  const isOurs = ({ idempotencyKey }: PlatformAttempt) =>
    attempt.earlier.some((e) => e.idempotencyKey === idempotencyKey)
  const payments = [prior.by, ...prior.also]
  const by = payments.find(isOurs) ?? prior.by
  const instead = resultOf(by)!
  // Each is a charge: those after the first are booked beside it.
  const others = payments.filter((one) => one !== by && isOurs(one)).map((one) => ({ result: resultOf(one)! }))
  // An earlier call of this attempt may have arrived: then it exists there, and ends as it ended there.
  const itself = attempt.submittedBefore === null ? null : await fetchUnwanted(connector, attempt, asking)
  if (itself && !isUnsent(itself)) return isOurs(by) ? [{ result: instead }, ...others, ...itself] : itself
  return [isOurs(by) ? { superseded: attempt, instead } : settledBy(attempt, by), ...others]
}

function whileUnknown(
  attempt: ClaimedAttempt,
  { failure }: Extract<PriorPayment, { state: 'unknown' }>,
  asking: Asking
): SubmitOutcome {
  return failure ? failedCall(attempt, failure, asking) : checkLater(attempt)
}

/** Reads attempts together; where the platform does not answer, one of them may be the reason, which is to hold up no other. */
async function fetchOutcomes(connector: Connector, asking: Asking): Promise<SubmitOutcome[]> {
  const { attempts } = asking
  const found = await connector.billing.findAttempts(attempts.map((a) => a.platformAttemptId!))
  if (!found.ok && found.failure.kind === 'unavailable' && attempts.length > 1) asking.noteUnread()
  return attempts.map((attempt) => {
    if (!found.ok) return failedCall(attempt, found.failure, asking)
    const reported = found.value.get(attempt.platformAttemptId!)
    return reported ? outcomeOf(attempt, reported) : checkLater(attempt)
  })
}

/**
 * Looks for what the platform has under the attempt's key; never charges. Each payment is one outcome: a second one is booked too.
 */
async function fetchUnwanted(connector: Connector, attempt: ClaimedAttempt, asking: Asking): Promise<SubmitOutcome[]> {
  const found = await connector.billing.findAttemptsByKeys(attempt.platformContractId, [attempt.idempotencyKey])
  if (!found.ok) return [failedCall(attempt, found.failure, asking)]
  const paid = found.value.filter(({ state }) => state === 'success')
  if (paid.length > 0) return paid.map((one) => outcomeOf(attempt, one))
  // One that is open may still be paid, whatever became of another.
  const shown = found.value.find(({ state }) => state !== 'failed') ?? found.value[0]
  return [shown ? outcomeOf(attempt, shown) : { unsent: attempt }]
}

/** Where the platform says that the cycle is paid, the payment is searched for, and settles the attempt. */
async function findWhatPaid(
  connector: Connector,
  submitOutcome: SubmitOutcome,
  byKey: Map<string, ClaimedAttempt>,
  asking: Asking
): Promise<SubmitOutcome> {
  if (!('result' in submitOutcome) || submitOutcome.result.state !== 'failed') return submitOutcome
  const attempt = byKey.get(submitOutcome.result.idempotencyKey)
  if (!attempt || declineOf(submitOutcome.result.errorCode).code !== 'already_paid') return submitOutcome
  const found = await findPayment(connector, attempt)
  if (found.state === 'unknown') return whileUnknown(attempt, found, asking)
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
