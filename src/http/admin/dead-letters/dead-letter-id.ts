import type { DeadLetterKey } from '#kit/outbox'
import { Refusal } from '#kit/refusal'

/** The public id of a dead letter: its consumer and the number of the fact, `webhooks:812`. */
export const deadLetterId = ({ consumer, factId }: DeadLetterKey): string => `${consumer}:${factId}`

/** The dead letter that an id names. Refuses a text that is no such id. */
export function deadLetterKey(id: string): DeadLetterKey {
  const [, consumer, digits] = /^([a-z_-]+):([1-9][0-9]{0,15})$/.exec(id) ?? []
  const factId = Number(digits)
  if (!consumer || !Number.isSafeInteger(factId)) throw deadLetterNotFound(id)
  return { consumer, factId }
}

export const deadLetterNotFound = (id: string) =>
  new Refusal('not_found', `There is no dead letter ${id.slice(0, 100)}`)
