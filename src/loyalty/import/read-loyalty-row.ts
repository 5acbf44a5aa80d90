import { customerIn, type Fields, readFields, refuseField } from '#imports'
import { isBirthDate } from '#members'

/** The columns of a CSV file of what customers have of loyalty, and the keys of a line of NDJSON. */
export const LOYALTY_FIELDS = ['customer_id', 'email', 'points', 'lifetime_points', 'tier', 'birth_date'] as const

/** More is a typing error. */
const MAX_POINTS = 999_999_999

type Facts = { now: Temporal.Instant; timezone: string; currency: string }

export type LoyaltyRow = ReturnType<typeof rowIn>

/** Reads and validates a row without any look-up. A refusal's message never contains a value. */
export const readLoyaltyRow = (input: Record<string, string>, facts: Facts) =>
  readFields(input, facts, (fields) => rowIn(fields, facts))

function rowIn(fields: Fields, { now, timezone }: Facts) {
  const named = customerIn(fields)
  const points = fields.whole('points', 0, MAX_POINTS)
  const lifetimePoints = fields.whole('lifetime_points', 0, MAX_POINTS) ?? points ?? 0
  if (lifetimePoints < (points ?? 0)) refuseField('lifetime_points', 'must not be less than points')
  const birthDate = fields.day('birth_date')
  const today = now.toZonedDateTimeISO(timezone).toPlainDate()
  if (birthDate !== null && !isBirthDate(birthDate, today)) {
    refuseField('birth_date', 'must be a day in the past, from 1900-01-01 on')
  }
  const tier = fields.text('tier', 255)
  if (points === null && lifetimePoints === 0 && birthDate === null && tier === null) {
    refuseField('points', 'or lifetime_points, or tier, or birth_date is required')
  }
  return { ...named, points: points ?? 0, lifetimePoints, tier, birthDate }
}
