import { isCurrency, minorOf } from '#kit/money'
import { Refusal } from '#kit/refusal'
import type { Interval } from '#platform'
import { type Input, type RowRefusal, refused } from '../import.ts'

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

type Facts = { now: Temporal.Instant; timezone: string; currency: string; mayHavePassed?: boolean }

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
    price: fields.price(),
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

class Refused extends Error {
  readonly refusal: RowRefusal

  constructor(refusal: RowRefusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

function invalid(field: Field, message: string): never {
  throw new Refused(refused('invalid_field', field, `${field} ${message}`))
}

const DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/
const TIME = /^((?!0000)\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+-]\d{2}:\d{2})?$/
/** The same limit as for every date that a person sets; a later one is taken for a typing error. */
const MAX_YEARS_AHEAD = 5

class Fields {
  readonly #input: Input
  readonly #facts: Facts

  constructor(input: Input, facts: Facts) {
    this.#input = input
    this.#facts = facts
  }

  text(field: Field, max: number): string | null {
    const value = this.#input[field]?.trim() ?? ''
    if (value === '') return null
    if ([...value].length > max) invalid(field, `must have at most ${max} characters`)
    return value
  }

  matching(field: Field, pattern: RegExp, accepts: string): string | null {
    const value = this.text(field, 320)
    return value === null || pattern.test(value) ? value : invalid(field, `must be ${accepts}`)
  }

  oneOf<const T extends string>(field: Field, allowed: readonly T[]): T | null {
    const value = this.text(field, 100)?.toLowerCase() ?? null
    if (value === null) return null
    return allowed.find((word) => word === value) ?? invalid(field, `must be one of ${allowed.join(', ')}`)
  }

  whole(field: Field, min: number, max: number): number | null {
    const value = this.text(field, 100)
    if (value === null) return null
    const number = /^\d{1,9}$/.test(value) ? Number(value) : -1
    return number >= min && number <= max ? number : invalid(field, `must be a whole number from ${min} to ${max}`)
  }

  /** An id of the platform, as digits or as a global id of that type; returns the digits. */
  id(field: Field, type: string): string | null {
    const value = this.text(field, 200)
    if (value === null) return null
    const digits = new RegExp(`^(?:gid://[a-z]+/${type}/)?0*([1-9][0-9]{0,19})$`).exec(value)?.[1]
    return digits ?? invalid(field, `must be the platform's number, or gid://…/${type}/…`)
  }

  currency(): string | null {
    const value = this.text('currency', 100)?.toUpperCase() ?? null
    return value === null || isCurrency(value) ? value : invalid('currency', 'must be an ISO 4217 code such as USD')
  }

  price(): RequestedContract['price'] {
    const text = this.text('price', 40)
    if (text === null) return null
    const currency = this.currency() ?? this.#facts.currency
    try {
      const minor = minorOf(text, currency, 'price')
      return minor >= 0 ? { text, minor } : invalid('price', 'must be an amount of 0 or more')
    } catch (err) {
      if (!(err instanceof Refusal)) throw err
      throw new Refused(refused('invalid_field', 'price', err.message))
    }
  }

  /** A date means midnight, and a time without an offset means local time, in the shop's time zone. */
  instant(field: Field): Temporal.Instant | null {
    const value = this.text(field, 100)
    if (value === null) return null
    const { timezone } = this.#facts
    try {
      if (DAY.test(value)) return Temporal.PlainDate.from(value).toZonedDateTime(timezone).toInstant()
      const [, local, offset] = TIME.exec(value) ?? []
      if (local && offset) return Temporal.Instant.from(local + offset)
      if (local) return Temporal.PlainDateTime.from(local).toZonedDateTime(timezone).toInstant()
    } catch (err) {
      // The day or time does not exist.
      if (!(err instanceof RangeError)) throw err
    }
    return invalid(field, 'must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z')
  }

  future(field: 'next_billing_date' | 'paused_until'): Temporal.Instant | null {
    const at = this.instant(field)
    if (at === null) return null
    const { now, timezone, mayHavePassed = false } = this.#facts
    if (!mayHavePassed && Temporal.Instant.compare(at, now) <= 0) {
      throw new Refused(refused('date_passed', field, `${field} has passed`))
    }
    const latest = now.toZonedDateTimeISO(timezone).add({ years: MAX_YEARS_AHEAD }).toInstant()
    if (Temporal.Instant.compare(at, latest) > 0) invalid(field, `must be at most ${MAX_YEARS_AHEAD} years ahead`)
    return at
  }
}
