import type { CustomerIdReference } from '#members'
import type { Input, RowRefusal } from '../import.ts'
import { type Facts, Fields, invalid, Refused } from '../intake/fields.ts'

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

/** Reads and validates a row without any look-up. A refusal's message never contains a value. */
export function readCreditRow(
  input: Input,
  facts: Facts
): { row: CreditRow; refusal: null } | { row: null; refusal: RowRefusal } {
  try {
    return { row: rowIn(new Fields(input, facts), facts), refusal: null }
  } catch (err) {
    if (!(err instanceof Refused)) throw err
    return { row: null, refusal: err.refusal }
  }
}

function rowIn(fields: Fields, facts: Facts): CreditRow {
  const customer = fields.customer('customer_id')
  const email = fields.matching('email', /^[^\s@]{1,64}@[^\s@]{1,255}$/, 'an e-mail address')
  if (customer === null && email === null) invalid('customer_id', 'or email is required')
  const currency = fields.currency()
  if (currency !== null && currency !== facts.currency) {
    invalid('currency', `must be ${facts.currency}, the currency of the store`)
  }
  const amount = fields.amount('amount', { above0: true, max: MAX_AMOUNT })
  if (amount === null) return invalid('amount', 'is required')
  return {
    customer,
    email: email?.toLowerCase() ?? null,
    amountMinor: amount.minor,
    expiresAt: fields.instant('expires_at'),
    reason: fields.text('reason', 500) ?? 'import',
    externalId: fields.text('external_id', 200)
  }
}
