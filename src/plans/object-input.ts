import { minorOf } from '#kit/money'
import { type FieldProblem, Refusal } from '#kit/refusal'
import { ACCEPTED_COUNTRIES, ACCEPTED_COUNTRY, isCountry } from './pricing/index.ts'

const MAX_IDS = 250
const ID = /^(?:gid:\/\/(?:platform|shopify)\/([A-Za-z]+)\/)?([1-9][0-9]{0,19})$/

/**
 * Reads one object of the request field by field. It does not throw: it collects each problem with its full path
 * (`perks.discount.steps[1].value`) and what is accepted there, so that one response lists them all.
 */
export class ObjectInput {
  readonly path: string
  readonly #given: Record<string, unknown>
  readonly #problems: FieldProblem[]

  /** `keys` are the only fields that the object may have. Null counts as omitted. */
  constructor(given: unknown, path: string, keys: readonly string[], problems: FieldProblem[]) {
    this.path = path
    this.#problems = problems
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
    this.#given = isObject ? (given as Record<string, unknown>) : {}
    if (!isObject) problems.push({ field: path, code: 'invalid', message: `must be an object with ${keys.join(', ')}` })
    for (const key of Object.keys(this.#given).filter((key) => !keys.includes(key))) {
      const field = `${path}.${key}`.slice(0, 200)
      problems.push({ field, code: 'unknown', message: `is not a field here; ${path} accepts ${keys.join(', ')}` })
    }
  }

  refuse(key: string, message: string): null {
    this.#problems.push({ field: `${this.path}.${key}`, code: 'invalid', message })
    return null
  }

  has(key: string): boolean {
    return (this.#given[key] ?? null) !== null
  }

  /** A nested object; null if omitted. */
  part(key: string, keys: readonly string[]): ObjectInput | null {
    return this.has(key) ? new ObjectInput(this.#given[key], `${this.path}.${key}`, keys, this.#problems) : null
  }

  /** A nested list of at most `max` objects. */
  parts(key: string, keys: readonly string[], max: number): ObjectInput[] {
    const list = this.#listOf(key, max, `a list of at most ${max} objects with ${keys.join(', ')}`)
    return list.map((item, i) => new ObjectInput(item, `${this.path}.${key}[${i}]`, keys, this.#problems))
  }

  oneOf<const T extends string>(key: string, allowed: readonly T[], otherwise?: T): T | null {
    if (!this.has(key) && otherwise !== undefined) return otherwise
    const found = allowed.find((word) => word === this.#given[key])
    return found ?? this.refuse(key, `must be ${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1)}`)
  }

  /** False if omitted. */
  flag(key: string): boolean {
    const value = this.#given[key] ?? false
    return typeof value === 'boolean' ? value : (this.refuse(key, 'must be true or false') ?? false)
  }

  /** Trimmed; null if omitted. */
  text(key: string, max: number): string | null {
    if (!this.has(key)) return null
    const value = this.#given[key]
    const text = typeof value === 'string' ? value.trim() : ''
    return text.length >= 1 && text.length <= max ? text : this.refuse(key, `must be a text of 1 to ${max} characters`)
  }

  whole(key: string, low: number, high: number): number | null {
    const value = this.#given[key]
    const fits = Number.isInteger(value) && (value as number) >= low && (value as number) <= high
    return fits ? (value as number) : this.refuse(key, `must be a whole number from ${low} to ${high}`)
  }

  /** A percentage as a string or a number, such as 12.5. */
  percent(key: string): number | null {
    const given = this.#given[key]
    const text = typeof given === 'string' || typeof given === 'number' ? String(given).trim() : ''
    const percent = /^\d{1,3}(\.\d{1,2})?$/.test(text) ? Number(text) : 0
    if (percent > 0 && percent <= 100) return percent
    return this.refuse(key, 'must be a percentage above 0 and up to 100, with at most 2 decimals')
  }

  /** An amount in minor units, above 0 or, with `orZero`, of 0 or more. */
  amount(key: string, currency: string, orZero = false): number | null {
    const given = this.#given[key]
    const accepts = orZero ? 'an amount of 0 or more' : 'an amount above 0'
    if (typeof given !== 'string' && typeof given !== 'number') {
      return this.refuse(key, `must be ${accepts}, such as 29.00`)
    }
    try {
      const minor = minorOf(given, currency, key)
      return minor > 0 || (orZero && minor === 0) ? minor : this.refuse(key, `must be ${accepts}`)
    } catch (err) {
      if (!(err instanceof Refusal)) throw err
      return this.refuse(key, err.details[0]!.message)
    }
  }

  /** Ids of the platform, given as digits or global ids of that type; returned as digits without duplicates. */
  ids(key: string, type: 'Product' | 'Collection'): string[] {
    const accepts = `a list of at most ${MAX_IDS} ${type.toLowerCase()} ids of the platform, as texts of digits or as global ids`
    const ids = this.#listOf(key, MAX_IDS, accepts).map((given) => idOf(given, type))
    if (ids.some((id) => id === null)) this.refuse(key, `must be ${accepts}`)
    return [...new Set(ids.filter((id) => id !== null))]
  }

  /** An id of the platform, given as digits or a global id of that type; returned as digits. */
  id(key: string, type: string): string | null {
    const name = type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
    const accepts = `a ${name} id of the platform, as a text of digits or as a global id`
    return idOf(this.#given[key], type) ?? this.refuse(key, `must be ${accepts}`)
  }

  /** At most `most` texts of at most `max` characters; empty when it is left out. */
  texts(key: string, most: number, max: number): string[] {
    const accepts = `a list of at most ${most} texts of at most ${max} characters`
    const list = this.#listOf(key, most, accepts)
    const texts = list.filter((one): one is string => typeof one === 'string' && one.length <= max)
    if (texts.length < list.length) this.refuse(key, `must be ${accepts}`)
    return texts
  }

  /** Null when it is left out. */
  country(key: string): string | null {
    if (!this.has(key)) return null
    const code = this.#given[key]
    return isCountry(code) ? code : this.refuse(key, `must be ${ACCEPTED_COUNTRY}`)
  }

  /** Each once; empty when it is left out. */
  countries(key: string): string[] {
    const list = this.#listOf(key, MAX_IDS, ACCEPTED_COUNTRIES)
    if (!list.every(isCountry)) this.refuse(key, `must be ${ACCEPTED_COUNTRIES}`)
    return [...new Set(list.filter(isCountry))]
  }

  #listOf(key: string, max: number, accepts: string): unknown[] {
    const value = this.#given[key] ?? []
    if (Array.isArray(value) && value.length <= max) return value
    this.refuse(key, `must be ${accepts}`)
    return []
  }
}

/** The digits of an id given as digits or as a global id of the type; null if it is neither. */
export function idOf(given: unknown, type: string): string | null {
  const match = ID.exec(typeof given === 'string' ? given.trim() : '')
  return match && (match[1] === undefined || match[1] === type) ? match[2]! : null
}

/** Refuses a request with all of its problems. */
export function refuseProblems(problems: FieldProblem[]): void {
  if (problems.length === 0) return
  throw new Refusal('invalid_request', problems.map((p) => `${p.field} ${p.message}`).join('; '), problems)
}
