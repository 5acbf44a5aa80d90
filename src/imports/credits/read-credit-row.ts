import type { CustomerIdReference } from '#members'
import type { Input } from '../import.ts'
import { customerIn, type Facts, type Fields, invalid, readFields } from '../intake/fields.ts'

/** The columns of a CSV file of store credit, and the keys of a line of NDJSON. */
export const CREDIT_FIELDS = [
  'customer_id',
  'email',
  'amount',
  'currency',
  'expires_at',
  'reason',
  'external_id'
] as const

/** Above it the decimals of some currencies would get lost in a JSON number; the limit of the direct API. */
const MAX_AMOUNT = 1_000_000_000

export type CreditRow = {
  customer: CustomerIdReference | null
  email: string | null
  amountMinor: number
  expiresAt: Temporal.Instant | null
  reason: string
  externalId: string | null
}

export const readCreditRow = (input: Input, facts: Facts) => readFields(input, facts, (fields) => rowIn(fields, facts))

function rowIn(fields: Fields, facts: Facts): CreditRow {
  const named = customerIn(fields)
  const currency = fields.currency()
  if (currency !== null && currency !== facts.currency) {
    invalid('currency', `must be ${facts.currency}, the currency of the store`)
  }
  const amount = fields.amount('amount', { above0: true, max: MAX_AMOUNT })
  if (amount === null) return invalid('amount', 'is required')
  return {
    ...named,
    amountMinor: amount.minor,
    expiresAt: fields.instant('expires_at'),
    reason: fields.text('reason', 500) ?? 'import',
    externalId: fields.text('external_id', 200)
  }
}
