import { minorOf } from '#kit/money'
import { Refusal } from '#kit/refusal'

/**
 * Something that the platform sent does not have the shape which its API promises. The message names the field; a repetition does
 * not help.
 */
export class MalformedPayload extends Error {
  readonly field: string

  constructor(field: string, message: string) {
    super(`${field} ${message}`)
    this.name = 'MalformedPayload'
    this.field = field
  }
}

/** A value that is needed is withheld from us: the platform has it, and we may not read it. */
export class Withheld extends MalformedPayload {}

const DIGITS = /^[0-9]{1,20}$/

/**
 * One JSON object from the platform, read field by field. Each read checks its value and otherwise throws MalformedPayload
 * with the whole path (`order.customer.id`). Absent and null are the same, and so is what is withheld from us (`withheld`), except
 * that a needed value that is withheld throws `Withheld`.
 */
export class Fields {
  readonly path: string
  readonly #raw: Record<string, unknown>
  readonly #withheld: readonly string[]

  /** `withheld`: the whole paths of fields that are null because we may not read them, or something below them. */
  constructor(value: unknown, path: string, withheld: readonly string[] = []) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new MalformedPayload(path, 'must be an object')
    }
    this.#raw = value as Record<string, unknown>
    this.path = path
    this.#withheld = withheld
  }

  /** Whether a value is null because we may not read it: nobody knows what it is. */
  isWithheld(key: string): boolean {
    if (this.has(key)) return false
    const path = `${this.path}.${key}`
    return this.#withheld.some((one) => one === path || one.startsWith(`${path}.`))
  }

  has(key: string): boolean {
    return this.#raw[key] !== undefined && this.#raw[key] !== null
  }

  /** A value that the caller checks itself. */
  raw(key: string): unknown {
    return this.#raw[key]
  }

  keys(): string[] {
    return Object.keys(this.#raw)
  }

  text(key: string): string {
    const value = this.#raw[key]
    return typeof value === 'string' ? value : this.refuse(key, 'must be text')
  }

  maybeText(key: string): string | null {
    return this.has(key) ? this.text(key) : null
  }

  /** The name of an enum value: the platform writes it in upper case in one API and in lower case in another. */
  lower(key: string): string {
    return this.text(key).toLowerCase()
  }

  oneOf<const T extends string>(key: string, allowed: readonly T[]): T {
    const value = this.lower(key)
    return allowed.find((name) => name === value) ?? this.refuse(key, `must be one of ${allowed.join(', ')}`)
  }

  flag(key: string): boolean {
    const value = this.#raw[key]
    return typeof value === 'boolean' ? value : this.refuse(key, 'must be true or false')
  }

  int(key: string): number {
    const value = this.#raw[key]
    return Number.isSafeInteger(value) ? (value as number) : this.refuse(key, 'must be a whole number')
  }

  number(key: string): number {
    const value = this.#raw[key]
    return Number.isFinite(value) ? (value as number) : this.refuse(key, 'must be a number')
  }

  maybeInt(key: string): number | null {
    return this.has(key) ? this.int(key) : null
  }

  /** A 64-bit number: text in GraphQL, perhaps a JSON number elsewhere. */
  digits(key: string): string {
    const value = String(this.#raw[key])
    return DIGITS.test(value) ? value : this.refuse(key, 'must be digits')
  }

  instant(key: string): Temporal.Instant {
    const value = this.text(key)
    try {
      return Temporal.Instant.from(value)
    } catch {
      return this.refuse(key, 'must be a date and time with an offset')
    }
  }

  maybeInstant(key: string): Temporal.Instant | null {
    return this.has(key) ? this.instant(key) : null
  }

  /** The digits of a global id. */
  id(key: string): string {
    return numericIdOf(this.text(key)) ?? this.refuse(key, 'must be a global id')
  }

  maybeId(key: string): string | null {
    return this.has(key) ? this.id(key) : null
  }

  /** The last part of a global id that is not a number: contract lines have UUIDs, payment methods have tokens. */
  token(key: string): string {
    const id = this.text(key)
    return id.slice(id.lastIndexOf('/') + 1)
  }

  /**
   * The id of a webhook's object, from its global id: the plain number beside it may be beyond 2^53, and JSON then loses its
   * last digits. The number is used only where there is no global id and the number is exact.
   */
  exactId(gidKey: string, numberKey: string): string {
    if (this.has(gidKey)) return this.id(gidKey)
    const value = this.#raw[numberKey]
    if (typeof value === 'string' && DIGITS.test(value)) return value
    if (Number.isSafeInteger(value) && (value as number) >= 0) return String(value)
    return this.refuse(gidKey, `must be a global id, or ${numberKey} a whole number below 2^53`)
  }

  maybeExactId(gidKey: string, numberKey: string): string | null {
    return this.has(gidKey) || this.has(numberKey) ? this.exactId(gidKey, numberKey) : null
  }

  /** An id that is only there as a plain number; null where JSON has rounded it, or there is none. */
  plainId(key: string): string | null {
    const value = this.#raw[key]
    if (typeof value === 'string' && DIGITS.test(value)) return value
    return Number.isSafeInteger(value) && (value as number) >= 0 ? String(value) : null
  }

  /** A decimal amount as text. */
  amount(key: string, currency: string): number {
    const value = this.text(key)
    try {
      return minorOf(value, currency, `${this.path}.${key}`)
    } catch (err) {
      // A RangeError means that the code is not a currency.
      if (err instanceof Refusal || err instanceof RangeError) return this.refuse(key, `is no amount of ${currency}`)
      throw err
    }
  }

  maybeAmount(key: string, currency: string): number | null {
    return this.has(key) ? this.amount(key, currency) : null
  }

  /** A MoneyV2 in minor units. The amounts of one contract or order have one currency; a sum over two would mean nothing. */
  money(key: string, currency: string): number {
    const value = this.at(key)
    if (value.text('currencyCode') !== currency) value.refuse('currencyCode', `must be ${currency}`)
    return value.amount('amount', currency)
  }

  at(key: string): Fields {
    if (this.isWithheld(key)) this.refuse(key, 'must be an object')
    return new Fields(this.#raw[key], `${this.path}.${key}`, this.#withheld)
  }

  maybeAt(key: string): Fields | null {
    return this.has(key) ? this.at(key) : null
  }

  /** Like `maybeAt`, for an object whose absence means something: throws if it is withheld. */
  atIfAny(key: string): Fields | null {
    return this.isWithheld(key) ? this.refuse(key, 'must be readable') : this.maybeAt(key)
  }

  list(key: string): Fields[] {
    return this.#array(key).map((value, i) => new Fields(value, `${this.path}.${key}.${i}`, this.#withheld))
  }

  /** Like `list`, without the nulls that `nodes(ids:)` returns for ids that it does not know. */
  known(key: string): Fields[] {
    return this.#array(key).flatMap((value, i) =>
      value ? [new Fields(value, `${this.path}.${key}.${i}`, this.#withheld)] : []
    )
  }

  /** Whether an entry of a list is null because we may not read it. */
  hasWithheldEntries(key: string): boolean {
    const start = `${this.path}.${key}.`
    const places = this.#withheld.flatMap((path) =>
      path.startsWith(start) ? Number(path.slice(start.length).split('.')[0]) : []
    )
    return places.some((place) => this.#array(key)[place] === null)
  }

  maybeList(key: string): Fields[] {
    return this.has(key) ? this.list(key) : []
  }

  texts(key: string): string[] {
    return this.#array(key).map((value, i) =>
      typeof value === 'string' ? value : this.refuse(`${key}.${i}`, 'must be text')
    )
  }

  refuse(key: string, message: string): never {
    if (this.isWithheld(key)) throw new Withheld(`${this.path}.${key}`, 'may not be read by us')
    throw new MalformedPayload(`${this.path}.${key}`, message)
  }

  #array(key: string): unknown[] {
    const value = this.#raw[key]
    return Array.isArray(value) ? value : this.refuse(key, 'must be a list')
  }
}

/**
 * The digits of a global id of either profile, as text because they go beyond 2^53. Null when the text is not such an id; also
 * null for payment methods and manual discounts, whose ids are not numbers.
 */
export function numericIdOf(text: string): string | null {
  return /^gid:\/\/(?:platform|shopify)\/[A-Za-z]+\/([0-9]{1,20})(?:\?.*)?$/.exec(text)?.[1] ?? null
}
