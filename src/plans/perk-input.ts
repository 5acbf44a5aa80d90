import { minorOf } from '#kit/money'
import { type FieldProblem, Refusal } from '#kit/refusal'
import { ACCEPTED_COUNTRIES, isCountry } from './countries.ts'

const MAX_IDS = 250
const ID = /^(?:gid:\/\/(?:platform|shopify)\/([A-Za-z]+)\/)?([1-9][0-9]{0,19})$/

/**
 * One object of what was asked for, read field by field. It does not throw: each problem is kept with its whole path
 * (`perks.discount.steps[1].value`) and what belongs there, and the reader goes on, so that one answer names them all.
 */
export class PerkInput {
  readonly path: string
  readonly #given: Record<string, unknown>
  readonly #problems: FieldProblem[]

  /** `keys` is everything that the object may have. Null counts as left out. */
  constructor(given: unknown, path: string, keys: readonly string[], problems: FieldProblem[]) {
    this.path = path
    this.#problems = problems
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
    this.#given = isObject ? (given as Record<string, unknown>) : {}
    if (!isObject) problems.push({ field: path, message: `takes an object with ${keys.join(', ')}` })
    for (const key of Object.keys(this.#given).filter((key) => !keys.includes(key))) {
      const field = `${path}.${key}`.slice(0, 200)
      problems.push({ field, message: `is not a field here; ${path} takes ${keys.join(', ')}` })
    }
  }

  refuse(key: string, message: string): null {
    this.#problems.push({ field: `${this.path}.${key}`, message })
    return null
  }

  has(key: string): boolean {
    return (this.#given[key] ?? null) !== null
  }

  /** An object in this one, null when it is left out. */
  part(key: string, keys: readonly string[]): PerkInput | null {
    return this.has(key) ? new PerkInput(this.#given[key], `${this.path}.${key}`, keys, this.#problems) : null
  }

  /** The objects of a list in this one, at most `max`. */
  parts(key: string, keys: readonly string[], max: number): PerkInput[] {
    const list = this.#listOf(key, max, `a list of at most ${max} objects with ${keys.join(', ')}`)
    return list.map((item, i) => new PerkInput(item, `${this.path}.${key}[${i}]`, keys, this.#problems))
  }

  oneOf<const T extends string>(key: string, allowed: readonly T[], otherwise?: T): T | null {
    if (!this.has(key) && otherwise !== undefined) return otherwise
    const found = allowed.find((word) => word === this.#given[key])
    return found ?? this.refuse(key, `takes ${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1)}`)
  }

  /** False when it is left out. */
  flag(key: string): boolean {
    const value = this.#given[key] ?? false
    return typeof value === 'boolean' ? value : (this.refuse(key, 'takes true or false') ?? false)
  }

  /** Trimmed; null when it is left out. */
  text(key: string, max: number): string | null {
    if (!this.has(key)) return null
    const value = this.#given[key]
    const text = typeof value === 'string' ? value.trim() : ''
    return text.length >= 1 && text.length <= max ? text : this.refuse(key, `takes a text of 1 to ${max} characters`)
  }

  whole(key: string, low: number, high: number): number | null {
    const value = this.#given[key]
    const fits = Number.isInteger(value) && (value as number) >= low && (value as number) <= high
    return fits ? (value as number) : this.refuse(key, `takes a whole number from ${low} to ${high}`)
  }

  /** A percentage as a text or a number, such as 12.5. */
  percent(key: string): number | null {
    const given = this.#given[key]
    const written = typeof given === 'string' || typeof given === 'number' ? String(given).trim() : ''
    const percent = /^\d{1,3}(\.\d{1,2})?$/.test(written) ? Number(written) : 0
    if (percent > 0 && percent <= 100) return percent
    return this.refuse(key, 'takes a percentage above 0 and up to 100, with at most 2 decimals')
  }

  /** An amount above 0 in minor units. */
  amount(key: string, currency: string): number | null {
    const given = this.#given[key]
    if (typeof given !== 'string' && typeof given !== 'number') {
      return this.refuse(key, 'takes an amount above 0, such as 29.00')
    }
    try {
      const minor = minorOf(given, currency, key)
      return minor > 0 ? minor : this.refuse(key, 'takes an amount above 0')
    } catch (err) {
      if (!(err instanceof Refusal)) throw err
      return this.refuse(key, err.details[0]!.message)
    }
  }

  /** Ids of the platform, as digits or as global ids of that type; each once, as digits. */
  ids(key: string, type: 'Product' | 'Collection'): string[] {
    const accepts = `a list of at most ${MAX_IDS} ${type.toLowerCase()} ids of the platform, as texts of digits or as global ids`
    const ids = this.#listOf(key, MAX_IDS, accepts).map((given) => idOf(given, type))
    if (ids.some((id) => id === null)) this.refuse(key, `takes ${accepts}`)
    return [...new Set(ids.filter((id) => id !== null))]
  }

  /** Each once; empty when it is left out. */
  countries(key: string): string[] {
    const list = this.#listOf(key, MAX_IDS, ACCEPTED_COUNTRIES)
    if (!list.every(isCountry)) this.refuse(key, `takes ${ACCEPTED_COUNTRIES}`)
    return [...new Set(list.filter(isCountry))]
  }

  #listOf(key: string, max: number, accepts: string): unknown[] {
    const value = this.#given[key] ?? []
    if (Array.isArray(value) && value.length <= max) return value
    this.refuse(key, `takes ${accepts}`)
    return []
  }
}

/** The digits of an id that was given as digits or as a global id of the type; null when it is neither. */
export function idOf(given: unknown, type: string): string | null {
  const match = ID.exec(typeof given === 'string' ? given.trim() : '')
  return match && (match[1] === undefined || match[1] === type) ? match[2]! : null
}
