import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { type Actor, actorOf, type NewActivity, type Subscription } from '#subscriptions'
import type { Attempt } from './attempts/attempt.ts'
import type { ChargedOrder, Settlement } from './attempts/settlement.ts'

// What the history of a contract says about its charges.

type Of = { attempt: Attempt; subscription: Subscription }

const refsOf = ({ id, cycleIndex, attemptNumber, amountMinor, currency }: Attempt) => ({
  billing_attempt_id: publicId('ba', id),
  cycle: cycleIndex,
  attempt_number: attemptNumber,
  amount: numberOf(amountMinor, currency),
  currency
})
const sumOf = ({ amountMinor, currency }: Attempt) => `${numberOf(amountMinor, currency)} ${currency}`
const dayOf = (at: Temporal.Instant, timezone: string) => at.toZonedDateTimeISO(timezone).toPlainDate().toString()
const orderName = (order: ChargedOrder | null) => (order ? `, order ${order.ours.name}` : '')
const inWords = (code: string | null) => (code ?? 'unknown').replaceAll('_', ' ')

function activityMessage(
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

export function scheduledMessage(attempt: Attempt): NewActivity {
  const { cycleIndex } = attempt
  return activityMessage(
    { attempt },
    'charge_scheduled',
    'scheduler',
    `Charge of ${sumOf(attempt)} for cycle ${cycleIndex} started`
  )
}

/** Of an attempt that only the platform knew: the database is older, or it is a payment beside another attempt. */
export const foundMessage = (attempt: Attempt): NewActivity => ({
  ...activityMessage(
    { attempt },
    'reconciled',
    'platform',
    `The charge of ${sumOf(attempt)} for cycle ${attempt.cycleIndex} was found on the platform and taken over`
  ),
  cause: `attempt:${attempt.id}:found`
})

export const retryRequestedMessage = (attempt: Attempt, by: Actor): NewActivity => ({
  ...activityMessage(
    { attempt },
    'retry_requested',
    'api',
    `Retry of the charge for cycle ${attempt.cycleIndex} requested`
  ),
  ...actorOf(by)
})

/** Of an attempt that ended as the platform reported it. */
export function settlementMessages(
  of: Of,
  settled: Settlement,
  order: ChargedOrder | null,
  timezone: string
): NewActivity[] {
  const { attempt } = of
  if (settled.status === 'success') {
    const text = `Charged ${sumOf(attempt)} for cycle ${attempt.cycleIndex}${orderName(order)}`
    const charged = activityMessage(of, 'charge_succeeded', 'platform', text, { order: order?.ours.name ?? null })
    return settled.chargedAfterStop ? [charged, chargedAfterStopMessage(of)] : [charged]
  }
  const { errorCode, declineCode, retryAt } = settled
  const refs = { code: errorCode, decline_code: declineCode }
  const failed = activityMessage(
    of,
    'charge_failed',
    'platform',
    `Charge of ${sumOf(attempt)} for cycle ${attempt.cycleIndex} failed: ${inWords(declineCode ?? errorCode)}`,
    refs
  )
  if (!retryAt) return [failed]
  const retry = `Next retry on ${dayOf(retryAt, timezone)}`
  return [failed, activityMessage(of, 'retry_scheduled', 'dunning', retry, { retry_date: retryAt.toString() })]
}

/** A required action is recorded once, and so is each reminder of it. */
const causeOf = ({ id, actionRequiredAt }: Attempt, kind: string) => `attempt:${id}:${kind}:${actionRequiredAt}`

export const actionRequiredMessage = (attempt: Attempt): NewActivity => ({
  ...activityMessage(
    { attempt },
    'action_required',
    'platform',
    `The customer has to confirm the charge of ${sumOf(attempt)} for cycle ${attempt.cycleIndex}`
  ),
  cause: causeOf(attempt, 'action_required')
})

export const reminderMessage = (attempt: Attempt, reminder: number): NewActivity => ({
  ...activityMessage(
    { attempt },
    'action_reminded',
    'scheduler',
    `Reminder ${reminder} to confirm the charge of ${sumOf(attempt)} for cycle ${attempt.cycleIndex}`,
    { reminder }
  ),
  cause: causeOf(attempt, `action_reminded:${reminder}`)
})

/** A success after declines. */
export const recoveryMessage = (attempt: Attempt): NewActivity =>
  activityMessage({ attempt }, 'recovered', 'dunning', `Recovered ${sumOf(attempt)} after a decline`)

/** A success that the platform calls a failure. */
export const reversalMessage = (attempt: Attempt): NewActivity =>
  activityMessage(
    { attempt },
    'reconciled',
    'platform',
    `The platform reports the charge of ${sumOf(attempt)} for cycle ${attempt.cycleIndex} as failed, but had reported it as paid, or has a paid order for it; it counts as paid here`
  )

const chargedAfterStopMessage = (of: Of): NewActivity =>
  activityMessage(
    of,
    'charged_after_stop',
    'platform',
    `The charge became known after the subscription had ended (${of.subscription.status})`
  )

/** A failure that turned out to be a success. */
export function correctionMessages(of: Of, order: ChargedOrder | null, isAfterStop: boolean): NewActivity[] {
  const { attempt } = of
  const text = `The platform had reported the charge of ${sumOf(attempt)} for cycle ${attempt.cycleIndex} as failed; it was paid${orderName(order)}`
  const corrected = activityMessage(of, 'charge_corrected', 'platform', text, { order: order?.ours.name ?? null })
  return isAfterStop ? [corrected, chargedAfterStopMessage(of)] : [corrected]
}
