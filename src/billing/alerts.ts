import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { NewAlert } from '#stores'
import type { Subscription } from '#subscriptions'
import type { Attempt } from './attempt.ts'
import { isLastContractRetry } from './dunning.ts'
import type { Ended } from './settle-attempts.ts'

type Of = { attempt: Attempt; subscription: Pick<Subscription, 'id'> }

const nameOf = ({ attempt }: Of) => `subscription ${publicId('sub', attempt.subscriptionId)}`
const sumOf = ({ amountMinor, currency }: Attempt) => `${numberOf(amountMinor, currency)} ${currency}`

/** A day's worth of the same fault is told once: it is the shop's, not one customer's. */
const ONCE_A_DAY = 24

/** What the people who run the store must hear of charges that failed without a customer's fault. */
export function alertsOfDeclines(ended: Ended[]): NewAlert[] {
  const found = new Map<string, NewAlert>()
  for (const { attempt, settled } of ended) {
    // A contract that stands still is followed here; that one is not billed for days is a person's matter.
    if (settled.errorCode === 'contract_not_billable' && !isLastContractRetry(attempt.attemptNumber)) continue
    const alert = ALERTS[settled.errorCode ?? '']?.(attempt, settled.declineCode ?? '', settled.errorMessage ?? '')
    if (alert && !found.has(alert.kind)) found.set(alert.kind, alert)
  }
  return [...found.values()]
}

const ALERTS: Record<string, (attempt: Attempt, code: string, message: string) => NewAlert> = {
  merchant_problem: (_attempt, code, message) => ({
    kind: 'merchant_problem',
    subject: 'Charges fail because of the shop itself',
    message: `The platform declined a charge with ${code}: ${message} Charges go on failing, and subscriptions may end, until this is mended in the shop's payment settings.`,
    atMostEveryHours: ONCE_A_DAY
  }),
  not_accepted: (attempt, code, message) => ({
    kind: 'charge_not_accepted',
    subject: 'The platform does not accept a charge',
    message: `The platform refused several times to take the charge of cycle ${attempt.cycleIndex} of ${publicId('sub', attempt.subscriptionId)}, with ${code}: ${message} It waits until it is retried by hand.`,
    atMostEveryHours: ONCE_A_DAY
  }),
  contract_not_billable: (attempt, code, message) => ({
    kind: 'contract_not_billable',
    subject: 'The platform does not bill a contract that is active',
    message: `The platform refused all tries of cycle ${attempt.cycleIndex} of ${publicId('sub', attempt.subscriptionId)}, with ${code}: ${message} It waits until it is retried by hand.`,
    atMostEveryHours: ONCE_A_DAY
  }),
  already_paid: (attempt) => ({
    kind: 'paid_elsewhere',
    subject: 'A cycle is said to be paid, and its payment is not found',
    message: `The platform says that cycle ${attempt.cycleIndex} of ${publicId('sub', attempt.subscriptionId)} is paid already, but shows no payment of it. It is not charged; the next cycle is, on its day.`
  })
}

/** Charges of subscriptions that had ended. */
export function alertsOfCharges(ended: Ended[]): NewAlert[] {
  return ended.flatMap(({ attempt, settled }) =>
    settled.chargedAfterStop
      ? [
          chargedAfterStop({
            attempt: { ...attempt, amountMinor: settled.chargedMinor ?? attempt.amountMinor },
            subscription: { id: attempt.subscriptionId }
          })
        ]
      : []
  )
}

export const chargedAfterStop = (of: Of): NewAlert => ({
  kind: 'charged_after_stop',
  subject: 'A subscription was charged after it had ended',
  message: `The charge of ${sumOf(of.attempt)} for cycle ${of.attempt.cycleIndex} of ${nameOf(of)} turned out to be paid after the subscription had ended. Nothing was paid back: please decide whether to refund it.`
})

/** A charge that dunning had given up, of a subscription that it had paused: paid after all. */
export const paidAfterPause = (of: Of, isActive: boolean): NewAlert => ({
  kind: 'paid_after_pause',
  subject: 'A charge that had been given up turned out to be paid',
  message:
    `The charge of ${sumOf(of.attempt)} for cycle ${of.attempt.cycleIndex} of ${nameOf(of)} turned out to be paid after dunning had given it up and paused the subscription. ` +
    (isActive
      ? 'It is active again.'
      : 'It stays paused, since the time of that cycle is over: please decide whether to resume it or to refund the charge.')
})

export const chargedTwice = (of: Of, other: Attempt): NewAlert => ({
  kind: 'charged_twice',
  subject: 'A cycle was charged twice',
  message: `Cycle ${of.attempt.cycleIndex} of ${nameOf(of)} was charged twice: by ${publicId('ba', other.id)}, and by ${publicId('ba', of.attempt.id)} (${sumOf(of.attempt)}), which the platform had told as failed. Please refund the second charge.`
})
