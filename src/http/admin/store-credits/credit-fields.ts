import { randomUUID } from 'node:crypto'
import { minorOf } from '#kit/money'
import { invalidField } from '#kit/refusal'
import { notBlank } from '../../shared/not-blank.ts'
import { acceptedAmount, amount, type FieldText } from '../fields.ts'

/** Above it the decimals of some currencies would get lost in a JSON number; the limit of the direct API. */
const MAX_AMOUNT = 1_000_000_000

export const Reason = (example: string) =>
  notBlank(500, { meaning: 'The reason, for the history', examples: [example] })

/** By the least number of minor units. */
const LIMITS = { 0: `from 0 to ${MAX_AMOUNT}`, 1: `above 0 and at most ${MAX_AMOUNT}` }

/** An amount of store credit of at least `min` minor units. */
export const creditAmount = (min: keyof typeof LIMITS, more: FieldText) => amount({ ...more, limits: LIMITS[min] })

/** The amount of such a field in minor units. Refuses what is outside its limits. */
export function minorFrom(field: string, given: string | number, currency: string, min: keyof typeof LIMITS): number {
  const outside = () => invalidField(field, `must be ${acceptedAmount(LIMITS[min])}`)
  if (Math.abs(Number(given)) > MAX_AMOUNT) throw outside()
  const minor = minorOf(given, currency, field)
  if (minor < min) throw outside()
  return minor
}

/** Each request is a change of its own. */
export const operationOfRequest = () => `admin:${randomUUID()}`
