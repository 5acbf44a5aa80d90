import type { Interval } from '#platform'
import type { Input, RowRefusal } from '../import.ts'
import { type Facts, Fields, invalid, Refused } from './fields.ts'

/** The columns of a CSV file, and the keys of a line of NDJSON. */
export const FIELDS = [
  'contract_id',
  'customer_id',
  'email',
  'plan',
  'variant_id',
  'price',
  'currency',
  'interval',
  'interval_count',
  'next_billing_date',
  'status',
  'paused_until',
  'payment_method_id',
  'cycles_paid',
  'max_cycles',
  'started_at',
  'external_id'
] as const
type Field = (typeof FIELDS)[number]

/** The content of a row. Null: the row leaves it open. */
export type RequestedContract = {
  contractId: string | null
  customerId: string | null
  email: string | null
  plan: string | null
  variantId: string | null
  /** In `currency`, or the store's currency if the row names none. */
  price: { text: string; minor: number } | null
  currency: string | null
  interval: Interval | null
  intervalCount: number | null
  nextBillingAt: Temporal.Instant | null
  /** Null: the import's mode decides. */
  status: 'active' | 'paused' | null
  pausedUntil: Temporal.Instant | null
  paymentMethodId: string | null
  cyclesPaid: number | null
  maxCycles: number | null
  startedAt: Temporal.Instant | null
  externalId: string | null
}

export type RowReading = { requested: RequestedContract; refusal: null } | { requested: null; refusal: RowRefusal }

/** Parses and validates the fields of a row without any look-up. A refusal's message never contains a value. */
export function readRow(input: Input, facts: Facts): RowReading {
  try {
    return { requested: requestedIn(new Fields(input, facts), facts), refusal: null }
  } catch (err) {
    if (!(err instanceof Refused)) throw err
    return { requested: null, refusal: err.refusal }
  }
}

/** The contract id of a row, even if its other fields are invalid; null if it has none. */
export function contractIn(input: Input, facts: Facts): string | null {
  try {
    return contractOf(new Fields(input, facts))
  } catch (err) {
    if (!(err instanceof Refused)) throw err
    return null
  }
}

const contractOf = (fields: Fields) => fields.id('contract_id', 'SubscriptionContract')

function requestedIn(fields: Fields, { now }: Facts): RequestedContract {
  const requested: RequestedContract = {
    contractId: contractOf(fields),
    customerId: fields.id('customer_id', 'Customer'),
    email: fields.matching('email', /^[^\s@]{1,64}@[^\s@]{1,255}$/, 'an e-mail address'),
    plan: fields.text('plan', 100),
    variantId: fields.id('variant_id', 'ProductVariant'),
    currency: fields.currency(),
    price: fields.amount('price'),
    interval: fields.oneOf('interval', ['day', 'week', 'month', 'year']),
    intervalCount: fields.whole('interval_count', 1, 28),
    nextBillingAt: fields.future('next_billing_date'),
    status: fields.oneOf('status', ['active', 'paused']),
    pausedUntil: fields.future('paused_until'),
    paymentMethodId: fields.text('payment_method_id', 200),
    cyclesPaid: fields.whole('cycles_paid', 0, 100_000),
    maxCycles: fields.whole('max_cycles', 1, 100_000),
    startedAt: fields.instant('started_at'),
    externalId: fields.text('external_id', 200)
  }
  const { contractId, nextBillingAt, pausedUntil, cyclesPaid, maxCycles } = requested
  if (pausedUntil && requested.status === 'active') {
    invalid('paused_until', 'is accepted only if status is paused')
  }
  if (pausedUntil && nextBillingAt && Temporal.Instant.compare(pausedUntil, nextBillingAt) >= 0) {
    invalid('paused_until', 'must be before next_billing_date')
  }
  if (requested.startedAt && Temporal.Instant.compare(requested.startedAt, now) > 0)
    invalid('started_at', 'must not be in the future')
  if (maxCycles !== null && (cyclesPaid ?? 0) >= maxCycles) invalid('cycles_paid', 'must be less than max_cycles')
  if (contractId === null) checkNew(requested)
  return requested
}

/** A contract to create needs a customer, a plan or a variant with its terms, and the date of the first charge. */
function checkNew(requested: RequestedContract) {
  const missing = (field: Field, why: string): never => invalid(field, why)
  if (!requested.customerId && !requested.email) missing('contract_id', 'or customer_id or email is required')
  if (!requested.plan && !requested.variantId) missing('plan', 'or variant_id is required without contract_id')
  if (!requested.nextBillingAt) missing('next_billing_date', 'is required without contract_id')
  if (requested.plan) return
  if (!requested.price) missing('price', 'is required with variant_id and no plan')
  if (!requested.interval) missing('interval', 'is required with variant_id and no plan')
}
