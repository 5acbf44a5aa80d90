import { isCurrency, minorOf } from '#kit/money'
import { Refusal } from '#kit/refusal'
import type { Interval } from '#platform'
import { type Input, type RowRefusal, refused } from './import.ts'

/** The columns of a file, and the keys of a line of NDJSON. */
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

/** What a row asks for. Null is what it leaves open. */
export type RequestedContract = {
  contractId: string | null
  customerId: string | null
  email: string | null
  plan: string | null
  variantId: string | null
  /** In `currency`, or in the store's. */
  price: { text: string; minor: number } | null
  currency: string | null
  interval: Interval | null
  intervalCount: number | null
  nextBillingAt: Temporal.Instant | null
  /** What the row itself says; the import's mode holds where it says nothing. */
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

/** Reads and checks the fields of a row, without looking anything up. Values are never quoted in a refusal's message. */
export function readRow(input: Input, facts: Facts): RowReading {
  try {
    return { requested: requestedIn(new Fields(input, facts), facts), refusal: null }
  } catch (err) {
    if (!(err instanceof Refused)) throw err
    return { requested: null, refusal: err.refusal }
  }
}

/** The contract that a row names, whatever is wrong with its other fields. */
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
    nextBillingAt: fields.ahead('next_billing_date'),
    status: fields.oneOf('status', ['active', 'paused']),
    pausedUntil: fields.ahead('paused_until'),
    paymentMethodId: fields.text('payment_method_id', 200),
    cyclesPaid: fields.whole('cycles_paid', 0, 100_000),
    maxCycles: fields.whole('max_cycles', 1, 100_000),
    startedAt: fields.instant('started_at'),
    externalId: fields.text('external_id', 200)
  }
  const { contractId, nextBillingAt, pausedUntil, cyclesPaid, maxCycles } = requested
  if (pausedUntil && requested.status === 'active') {
    invalid('paused_until', 'is for a row whose status is paused')
  }
  if (pausedUntil && nextBillingAt && Temporal.Instant.compare(pausedUntil, nextBillingAt) >= 0) {
    invalid('paused_until', 'must be before next_billing_date')
  }
  if (requested.startedAt && Temporal.Instant.compare(requested.startedAt, now) > 0)
    invalid('started_at', 'must not be ahead')
  if (maxCycles !== null && (cyclesPaid ?? 0) >= maxCycles) invalid('cycles_paid', 'must be less than max_cycles')
  if (contractId === null) checkNew(requested)
  return requested
}

/** A contract that is to be made: who buys what, and when the first charge is. */
function checkNew(requested: RequestedContract) {
  const missing = (field: Field, why: string): never => invalid(field, why)
  if (!requested.customerId && !requested.email) missing('contract_id', 'or customer_id or email is needed')
  if (!requested.plan && !requested.variantId) missing('plan', 'or variant_id is needed without contract_id')
  if (!requested.nextBillingAt) missing('next_billing_date', 'is needed without contract_id')
  if (requested.plan) return
  if (!requested.price) missing('price', 'is needed with variant_id and no plan')
  if (!requested.interval) missing('interval', 'is needed with variant_id and no plan')
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
/** As with all dates that are set by hand; further ahead is a slip of the pen. */
const MAX_YEARS_AHEAD = 5

class Fields {
  readonly #input: Input
  readonly #facts: Facts

  constructor(input: Input, facts: Facts) {
    this.#input = input
    this.#facts = facts
  }

  text(field: Field, most: number): string | null {
    const value = this.#input[field]?.trim() ?? ''
    if (value === '') return null
    if ([...value].length > most) invalid(field, `takes at most ${most} characters`)
    return value
  }

  matching(field: Field, pattern: RegExp, accepts: string): string | null {
    const value = this.text(field, 320)
    return value === null || pattern.test(value) ? value : invalid(field, `takes ${accepts}`)
  }

  oneOf<const T extends string>(field: Field, allowed: readonly T[]): T | null {
    const value = this.text(field, 100)?.toLowerCase() ?? null
    if (value === null) return null
    return allowed.find((word) => word === value) ?? invalid(field, `takes ${allowed.join(', ')}`)
  }

  whole(field: Field, least: number, most: number): number | null {
    const value = this.text(field, 100)
    if (value === null) return null
    const number = /^\d{1,9}$/.test(value) ? Number(value) : -1
    return number >= least && number <= most ? number : invalid(field, `takes a whole number from ${least} to ${most}`)
  }

  /** A number of the platform's, by itself or in a global id. */
  id(field: Field, type: string): string | null {
    const value = this.text(field, 200)
    if (value === null) return null
    const digits = new RegExp(`^(?:gid://[a-z]+/${type}/)?0*([1-9][0-9]{0,19})$`).exec(value)?.[1]
    return digits ?? invalid(field, `takes the platform's number, or gid://…/${type}/…`)
  }

  currency(): string | null {
    const value = this.text('currency', 100)?.toUpperCase() ?? null
    return value === null || isCurrency(value) ? value : invalid('currency', 'takes an ISO 4217 code such as USD')
  }

  price(): RequestedContract['price'] {
    const text = this.text('price', 40)
    if (text === null) return null
    const currency = this.currency() ?? this.#facts.currency
    try {
      const minor = minorOf(text, currency, 'price')
      return minor >= 0 ? { text, minor } : invalid('price', 'takes an amount of 0 or more')
    } catch (err) {
      if (!(err instanceof Refusal)) throw err
      throw new Refused(refused('invalid_field', 'price', err.message))
    }
  }

  /** A date is midnight in the shop, as is a time without an offset a time in the shop. */
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
      // A day or a time that there is not.
      if (!(err instanceof RangeError)) throw err
    }
    return invalid(field, 'takes a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z')
  }

  ahead(field: 'next_billing_date' | 'paused_until'): Temporal.Instant | null {
    const at = this.instant(field)
    if (at === null) return null
    const { now, timezone, mayHavePassed = false } = this.#facts
    if (!mayHavePassed && Temporal.Instant.compare(at, now) <= 0) {
      throw new Refused(refused('date_passed', field, `${field} has passed`))
    }
    const latest = now.toZonedDateTimeISO(timezone).add({ years: MAX_YEARS_AHEAD }).toInstant()
    if (Temporal.Instant.compare(at, latest) > 0) invalid(field, `is more than ${MAX_YEARS_AHEAD} years ahead`)
    return at
  }
}
