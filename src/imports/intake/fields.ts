import { internalId } from '#kit/ids'
import { isCurrency, minorOf } from '#kit/money'
import { Refusal } from '#kit/refusal'
import type { CustomerIdReference } from '#members'
import { type Input, type RowRefusal, refused } from '../import.ts'

/** What is known where a row is read. */
export type Facts = { now: Temporal.Instant; timezone: string; currency: string; mayHavePassed?: boolean }

/** Why a row cannot be read. */
export class Refused extends Error {
  readonly refusal: RowRefusal

  constructor(refusal: RowRefusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

export function invalid(field: string, message: string): never {
  throw new Refused(refused('invalid_field', field, `${field} ${message}`))
}

/** Reads and validates a row without any look-up. A refusal's message never contains a value. */
export function readFields<T>(
  input: Input,
  facts: Facts,
  read: (fields: Fields) => T
): { row: T; refusal: null } | { row: null; refusal: RowRefusal } {
  try {
    return { row: read(new Fields(input, facts)), refusal: null }
  } catch (err) {
    if (!(err instanceof Refused)) throw err
    return { row: null, refusal: err.refusal }
  }
}

const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,255}$/

/** Whom a row names: `customer_id`, `email`, or both. */
export function customerIn(fields: Fields): { customer: CustomerIdReference | null; email: string | null } {
  const customer = fields.customer('customer_id')
  const email = fields.matching('email', ADDRESS, 'an e-mail address')
  if (customer === null && email === null) invalid('customer_id', 'or email is required')
  return { customer, email: email?.toLowerCase() ?? null }
}

const DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/
const TIME = /^((?!0000)\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+-]\d{2}:\d{2})?$/
/** The same limit as for every date that a person sets; a later one is taken for a typing error. */
const MAX_YEARS_AHEAD = 5

/** The fields of a row, each read with what it accepts; an empty one is null. */
export class Fields {
  readonly #input: Input
  readonly #facts: Facts

  constructor(input: Input, facts: Facts) {
    this.#input = input
    this.#facts = facts
  }

  text(field: string, max: number): string | null {
    const value = this.#input[field]?.trim() ?? ''
    if (value === '') return null
    if ([...value].length > max) invalid(field, `must have at most ${max} characters`)
    return value
  }

  matching(field: string, pattern: RegExp, accepts: string): string | null {
    const value = this.text(field, 320)
    return value === null || pattern.test(value) ? value : invalid(field, `must be ${accepts}`)
  }

  oneOf<const T extends string>(field: string, allowed: readonly T[]): T | null {
    const value = this.text(field, 100)?.toLowerCase() ?? null
    if (value === null) return null
    return allowed.find((word) => word === value) ?? invalid(field, `must be one of ${allowed.join(', ')}`)
  }

  day(field: string): Temporal.PlainDate | null {
    const value = this.text(field, 100)
    if (value === null) return null
    try {
      if (DAY.test(value)) return Temporal.PlainDate.from(value)
    } catch (err) {
      // There is no such day.
      if (!(err instanceof RangeError)) throw err
    }
    return invalid(field, 'must be a day such as 1990-01-31')
  }

  whole(field: string, min: number, max: number): number | null {
    const value = this.text(field, 100)
    if (value === null) return null
    const number = /^\d{1,9}$/.test(value) ? Number(value) : -1
    return number >= min && number <= max ? number : invalid(field, `must be a whole number from ${min} to ${max}`)
  }

  /** An id of the platform, as digits or as a global id of that type; returns the digits. */
  id(field: string, type: string): string | null {
    const value = this.text(field, 200)
    if (value === null) return null
    const digits = new RegExp(`^(?:gid://[a-z]+/${type}/)?0*([1-9][0-9]{0,19})$`).exec(value)?.[1]
    return digits ?? invalid(field, `must be the platform's number, or gid://…/${type}/…`)
  }

  /** A customer by our id, or as `id` accepts them. */
  customer(field: string): CustomerIdReference | null {
    const value = this.text(field, 200)
    if (value === null) return null
    const memberId = internalId('cust', value)
    if (memberId !== null) return { memberId, platformId: null }
    if (/^(\d|gid:)/.test(value)) return { memberId: null, platformId: this.id(field, 'Customer') }
    return invalid(field, "must be a customer id such as cust_24, the platform's number, or gid://…/Customer/…")
  }

  currency(): string | null {
    const value = this.text('currency', 100)?.toUpperCase() ?? null
    return value === null || isCurrency(value) ? value : invalid('currency', 'must be an ISO 4217 code such as USD')
  }

  /**
   * In the currency of the row, or the store's if it names none; at least one minor unit where it must be above 0. `max` is in the
   * currency's major unit.
   */
  amount(field: string, { above0 = false, max = null as number | null } = {}): { text: string; minor: number } | null {
    const text = this.text(field, 40)
    if (text === null) return null
    if (max !== null && Number(text) > max) invalid(field, `must be at most ${max}`)
    const currency = this.currency() ?? this.#facts.currency
    try {
      const minor = minorOf(text, currency, field)
      if (minor >= (above0 ? 1 : 0)) return { text, minor }
      return invalid(field, above0 ? 'must be above 0' : 'must be an amount of 0 or more')
    } catch (err) {
      if (!(err instanceof Refusal)) throw err
      throw new Refused(refused('invalid_field', field, err.message))
    }
  }

  /** A date means midnight, and a time without an offset means local time, in the shop's time zone. */
  instant(field: string): Temporal.Instant | null {
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

  future(field: string): Temporal.Instant | null {
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
