import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { Ctx } from '#kit/postgres'
import { shortenList } from '#kit/texts'
import { type NewAlert, notify } from '#stores'
import { recordActivities } from '#subscriptions'
import type { ReadyChange } from './contract-edits.ts'

/** A requested change, or a part of one, that cannot be made for good. */
export type RefusedChange = { refused: ReadyChange; reason: string }

const MAX_TEXT_CHARACTERS = 500
/** An alert names up to ten changes in at most 2,000 characters. */
const MAX_REASON_IN_ALERT = 100

/** Writes what was dropped, and why, into the histories of the subscriptions and into one alert. */
export async function reportRefusedChanges(ctx: Ctx, changes: RefusedChange[]): Promise<void> {
  if (changes.length === 0) return
  await recordActivities(
    ctx,
    changes.map((one) => ({
      subscriptionId: one.refused.change.subscriptionId,
      kind: 'reconciled',
      actor: 'platform',
      text: `A requested change of ${wordsOf(one)} was not accepted: ${reasonOf(one)}`.slice(0, MAX_TEXT_CHARACTERS),
      refs: { requested_by: requesterOf(one), ...droppedOf(one) }
    }))
  )
  await notify(ctx, alertOf(changes))
}

const reasonOf = ({ reason }: RefusedChange) => reason.replaceAll('\0', '')

const requesterOf = ({ refused: { change } }: RefusedChange) => ({ actor: change.actor, actor_id: change.actorId })

/** What was asked for, in the forms of `pending_change`. A version of a plan sets the price of one unit, as `unit_price`. */
function droppedOf({ refused: { change, subscription } }: RefusedChange) {
  const amount = (minor: number | null) => (minor === null ? null : numberOf(minor, subscription.currency))
  return {
    plan_id: change.planId === null ? null : publicId('plan', change.planId),
    price: amount(change.priceMinor),
    ...(change.priceMinor === null && change.linePriceMinor !== null && { unit_price: amount(change.linePriceMinor) }),
    interval: change.interval,
    interval_count: change.intervalCount,
    payment_method_id: change.platformPaymentMethodId
  }
}

function wordsOf({ refused: { change } }: RefusedChange): string {
  const words = [
    change.planId !== null && 'plan',
    (change.priceMinor ?? change.linePriceMinor) !== null && 'price',
    (change.interval ?? change.intervalCount) !== null && 'interval',
    change.platformPaymentMethodId !== null && 'payment method'
  ].filter((word) => word !== false)
  return new Intl.ListFormat('en-GB').format(words)
}

const alertOf = (changes: RefusedChange[]): NewAlert => ({
  kind: 'change_not_accepted',
  subject: `Requested changes that were dropped: ${changes.length}`,
  message:
    `These changes were requested, cannot be made on the platform's contract, or not any more, and are dropped (${shortenList(
      changes.map((one) => {
        const id = publicId('sub', one.refused.change.subscriptionId)
        return `${id}, ${wordsOf(one)}: ${reasonOf(one).slice(0, MAX_REASON_IN_ALERT)}`
      }),
      '; '
    )}). ` +
    'The subscriptions keep the terms that they have, and their histories have what was requested. Request it again when the reason is gone.'
})
