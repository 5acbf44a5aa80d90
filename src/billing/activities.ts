import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { type Actor, type NewActivity, named, type Subscription } from '#subscriptions'
import type { Attempt } from './attempt.ts'
import type { Settled } from './attempt-ends.ts'
import type { ToldOrder } from './settle-attempts.ts'

// What the history of a contract says of its charges.

type Of = { attempt: Attempt; subscription: Subscription }

const refsOf = ({ id, cycleIndex, attemptNumber }: Attempt) => ({
  billing_attempt_id: publicId('ba', id),
  cycle: cycleIndex,
  attempt_number: attemptNumber
})
const sumOf = ({ amountMinor, currency }: Attempt) => `${numberOf(amountMinor, currency)} ${currency}`
const dayOf = (at: Temporal.Instant, timezone: string) => at.toZonedDateTimeISO(timezone).toPlainDate().toString()
const orderName = (order: ToldOrder | null) => (order ? `, order ${order.ours.name}` : '')
const inWords = (code: string | null) => (code ?? 'unknown').replaceAll('_', ' ')

function line(
  { attempt }: Pick<Of, 'attempt'>,
  kind: NewActivity['kind'],
  actor: NewActivity['actor'],
  text: string,
  refs: Record<string, unknown> = {}
): NewActivity {
  return {
    subscriptionId: attempt.subscriptionId,
    kind,
    actor,
    text: text.slice(0, 500),
    refs: { ...refsOf(attempt), ...refs },
    cause: `attempt:${attempt.id}:${kind}`
  }
}

export function lineOfOpening(attempt: Attempt): NewActivity {
  const { cycleIndex } = attempt
  return line({ attempt }, 'charge_scheduled', 'scheduler', `Charge of ${sumOf(attempt)} for cycle ${cycleIndex}`)
}

export const lineOfRetryAsked = (attempt: Attempt, by: Actor): NewActivity => ({
  ...line({ attempt }, 'retry_asked', 'api', `Another try of cycle ${attempt.cycleIndex} was asked for`),
  ...named(by)
})

/** Of an attempt that ended as the platform told it. */
export function activitiesOfEnd(of: Of, settled: Settled, order: ToldOrder | null, timezone: string): NewActivity[] {
  const { attempt } = of
  if (settled.status === 'success') {
    const text = `Charged ${sumOf(attempt)} for cycle ${attempt.cycleIndex}${orderName(order)}`
    const charged = line(of, 'charge_succeeded', 'platform', text)
    return settled.chargedAfterStop ? [charged, lineAfterStop(of)] : [charged]
  }
  const { errorCode, declineCode, retryAt } = settled
  const refs = { code: errorCode, decline_code: declineCode }
  const failed = line(
    of,
    'charge_failed',
    'platform',
    `Charge of ${sumOf(attempt)} for cycle ${attempt.cycleIndex} failed: ${inWords(declineCode ?? errorCode)}`,
    refs
  )
  if (!retryAt) return [failed]
  const retry = `Next try on ${dayOf(retryAt, timezone)}`
  return [failed, line(of, 'retry_scheduled', 'dunning', retry, { retry_date: retryAt.toString() })]
}

/** The same challenge is told once, and so is each reminder of it. */
const causeOf = ({ id, actionRequiredAt }: Attempt, kind: string) => `attempt:${id}:${kind}:${actionRequiredAt}`

export const lineOfChallenge = (attempt: Attempt): NewActivity => ({
  ...line(
    { attempt },
    'action_required',
    'platform',
    `The customer has to confirm the charge of ${sumOf(attempt)} for cycle ${attempt.cycleIndex}`
  ),
  cause: causeOf(attempt, 'action_required')
})

export const lineOfReminder = (attempt: Attempt, reminder: number): NewActivity => ({
  ...line(
    { attempt },
    'action_reminded',
    'scheduler',
    `Reminder ${reminder} to confirm the charge of ${sumOf(attempt)} for cycle ${attempt.cycleIndex}`,
    { reminder }
  ),
  cause: causeOf(attempt, `action_reminded:${reminder}`)
})

/** A success behind declines. */
export const lineOfRecovery = (attempt: Attempt): NewActivity =>
  line({ attempt }, 'recovered', 'dunning', `Recovered ${sumOf(attempt)} after a decline`)

const lineAfterStop = (of: Of): NewActivity =>
  line(
    of,
    'charged_after_stop',
    'platform',
    `The charge became known after the subscription had ended (${of.subscription.status})`
  )

/** A failure that turned out to be a success. */
export function correctionLines(of: Of, order: ToldOrder | null, isAfterStop: boolean): NewActivity[] {
  const { attempt } = of
  const text = `The platform had told the charge of ${sumOf(attempt)} for cycle ${attempt.cycleIndex} as failed; it was paid${orderName(order)}`
  const corrected = line(of, 'charge_corrected', 'platform', text)
  return isAfterStop ? [corrected, lineAfterStop(of)] : [corrected]
}
