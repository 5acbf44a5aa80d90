import { randomUUID } from 'node:crypto'
import { minorOf } from '#kit/money'
import { invalidField } from '#kit/refusal'
import { notBlank } from '../../shared/not-blank.ts'

/** Above it the decimals of some currencies would get lost in a JSON number; the limit of the direct API. */
const MAX_AMOUNT = 1_000_000_000

export const Reason = (example: string) =>
  notBlank(500, { meaning: 'The reason, for the history', examples: [example] })

/** The amount of a field in minor units. Refuses what is below `min` of them. */
export function minorFrom(field: string, given: string | number, currency: string, min: 0 | 1): number {
  const minor = minorOf(given, currency, field)
  if (minor < min || Number(given) > MAX_AMOUNT) {
    throw invalidField(field, `must be ${min === 0 ? '0 or more' : 'above 0'} and at most ${MAX_AMOUNT}`)
  }
  return minor
}

/** Each request is a change of its own. */
export const operationOfRequest = () => `admin:${randomUUID()}`
