import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { NewAlert } from '#stores'
import type { Subscription } from '#subscriptions'
import type { Attempt } from './attempts/attempt.ts'
import type { ReportedPayment } from './attempts/attempt-result.ts'
import type { SettledAttempt } from './attempts/settlement.ts'
import { isLastContractRetry } from './dunning/retry-schedule.ts'

type Of = { attempt: Attempt; subscription: Pick<Subscription, 'id'> }

const nameOf = ({ attempt }: Of) => `subscription ${publicId('sub', attempt.subscriptionId)}`
const sumOf = ({ amountMinor, currency }: Attempt) => `${numberOf(amountMinor, currency)} ${currency}`

/** The same fault of the shop is reported once a day, however many charges it concerns. */
const ONCE_A_DAY = 24

/** Alerts to the people who run the store: charges that failed without a customer's fault, and charges after an end. */
export function alertsOfSettlements(settled: SettledAttempt[]): NewAlert[] {
  const ofDeclines = new Map<string, NewAlert>()
  for (const { attempt, settlement } of settled) {
    const { errorCode, declineCode, errorMessage } = settlement
    // A contract that is paused there is followed here. One that is not billed for days needs a person.
    if (errorCode === 'contract_not_billable' && !isLastContractRetry(attempt.attemptNumber)) continue
    const alert = ALERTS[errorCode ?? '']?.(attempt, declineCode ?? '', errorMessage ?? '')
    if (alert && !ofDeclines.has(alert.kind)) ofDeclines.set(alert.kind, alert)
  }
  const afterStop = settled.filter(({ settlement }) => settlement.chargedAfterStop)
  return [
    ...ofDeclines.values(),
    ...afterStop.map(({ attempt, settlement }) =>
      chargedAfterStop({
        attempt: { ...attempt, amountMinor: settlement.chargedMinor ?? attempt.amountMinor },
        subscription: { id: attempt.subscriptionId }
      })
    )
  ]
}

const ALERTS: Record<string, (attempt: Attempt, code: string, message: string) => NewAlert> = {
  merchant_problem: (_attempt, code, message) => ({
    kind: 'merchant_problem',
    subject: 'Charges fail because of the shop itself',
    message: `The platform declined a charge with ${code}: ${message} Charges go on failing, and subscriptions may end, until this is fixed in the shop's payment settings.`,
    atMostEveryHours: ONCE_A_DAY
  }),
  not_accepted: (attempt, code, message) => ({
    kind: 'charge_not_accepted',
    subject: 'The platform does not accept a charge',
    message: `The platform refused several times to accept the charge of cycle ${attempt.cycleIndex} of ${publicId('sub', attempt.subscriptionId)}, with ${code}: ${message} It waits until it is retried manually.`,
    atMostEveryHours: ONCE_A_DAY
  }),
  contract_not_billable: (attempt, code, message) => ({
    kind: 'contract_not_billable',
    subject: 'The platform does not bill a contract that is active',
    message: `The platform refused all tries of cycle ${attempt.cycleIndex} of ${publicId('sub', attempt.subscriptionId)}, with ${code}: ${message} It waits until it is retried manually.`,
    atMostEveryHours: ONCE_A_DAY
  }),
  // Its own alert for each code: one that is about a customer's address says nothing about a currency.
  invalid_order: (attempt, code, message) => ({
    kind: `order_declined_${code}`,
    subject: 'A charge was declined for something that no card changes',
    message: `The platform declined the charge of cycle ${attempt.cycleIndex} of ${publicId('sub', attempt.subscriptionId)}, with ${code}: ${message} It is not retried, and it is not given up either. Correct what the code names on the platform, then retry ${publicId('ba', attempt.id)}, or skip the cycle. \`perennial doctor\` lists every charge that waits like this (charges_held).`,
    atMostEveryHours: ONCE_A_DAY
  }),
  already_paid: (attempt) => ({
    kind: 'paid_elsewhere',
    subject: 'The platform calls a cycle paid, and its payment is not found',
    message: `The platform says that cycle ${attempt.cycleIndex} of ${publicId('sub', attempt.subscriptionId)} is paid, but has no payment of it. The cycle is not charged; the next one is charged on its date.`
  })
}

export const chargedAfterStop = (of: Of): NewAlert => ({
  kind: 'charged_after_stop',
  subject: 'A subscription was charged after it had ended',
  message: `The charge of ${sumOf(of.attempt)} for cycle ${of.attempt.cycleIndex} of ${nameOf(of)} turned out to be paid after the subscription had ended. Nothing was refunded: please decide whether to refund it.`
})

/** The last charge of a subscription that dunning has paused: it was paid after all. */
export const paidAfterPause = (of: Of, isActive: boolean): NewAlert => ({
  kind: 'paid_after_pause',
  subject: 'A charge turned out to be paid after its last retry',
  message:
    `The charge of ${sumOf(of.attempt)} for cycle ${of.attempt.cycleIndex} of ${nameOf(of)} turned out to be paid after dunning had paused the subscription. ` +
    (isActive
      ? 'It is active again.'
      : 'It stays paused, since the period of that cycle is over: please decide whether to resume it or to refund the charge.')
})

export const chargeReversed = (attempt: Attempt): NewAlert => ({
  kind: 'charge_reversed',
  subject: 'The platform calls a paid charge failed',
  message: `The platform reports the charge of ${sumOf(attempt)} for cycle ${attempt.cycleIndex} of ${publicId('sub', attempt.subscriptionId)} (${publicId('ba', attempt.id)}) as failed, but had reported it as paid, or has a paid order for it. It counts as paid, and the cycle is not charged again: please look at its order on the platform, and cancel or refund there what was not paid.`
})

/** A payment that no attempt of ours has made, and that has not paid the next cycle for certain. */
export const paidOutside = ({ id }: Pick<Subscription, 'id'>, payment: ReportedPayment): NewAlert => ({
  kind: 'paid_outside',
  subject: 'A subscription was charged outside Perennial',
  message: `The platform has a charge of ${publicId('sub', id)} that Perennial did not make: attempt ${payment.platformAttemptId}${orderOf(payment)}. It was not counted for a cycle: please decide whether to refund it.`,
  isOnce: true
})

/** A payment that no attempt of ours has made, while ours of the same cycle is under way. */
export const paidMeanwhile = ({ id }: Pick<Subscription, 'id'>, payment: ReportedPayment): NewAlert => ({
  kind: 'paid_outside',
  subject: 'A subscription was charged outside Perennial',
  message: `The platform has a charge of ${publicId('sub', id)} that Perennial did not make: attempt ${payment.platformAttemptId}${orderOf(payment)}. Perennial's own charge of the cycle is still open. If that fails, this one has paid the cycle; if it is paid too, an alert charged_twice follows.`,
  isOnce: true
})

const orderOf = ({ order }: ReportedPayment) =>
  order ? `, order ${order.name} of ${numberOf(order.totalMinor, order.currency)} ${order.currency}` : ''

/** `platformId`: the payment that came second to our knowledge; `other` has paid the cycle. */
export const chargedTwice = (of: Of, platformId: string | null, other: Attempt): NewAlert => ({
  kind: 'charged_twice',
  subject: 'A cycle was charged twice',
  message: `Cycle ${of.attempt.cycleIndex} of ${nameOf(of)} was charged twice: by ${publicId('ba', other.id)}${ofPlatform(other.platformAttemptId)}, and by ${publicId('ba', of.attempt.id)}${ofPlatform(platformId)} (${sumOf(of.attempt)}). Please refund the second charge.`
})

const ofPlatform = (id: string | null) => (id === null ? '' : `, attempt ${id} of the platform`)
