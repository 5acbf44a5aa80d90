import { type IdPrefix, internalId } from './ids.ts'
import { invalidField } from './refusal.ts'

// A setting is plain data: the API's schema, the CLI's flags and the table in docs/settings.md are generated from it.
// The CLI loads every section, so this file and the files that declare sections must import little.

/** What a setting accepts. `T` is the type of its value. */
export type Accepted<T = unknown> = { type?: T } & (
  | { kind: 'choice'; options: readonly string[] }
  | { kind: 'number'; unit: string; from: number; to: number; isNullable?: boolean }
  | { kind: 'numbers'; unit: string; from: number; to: number; atMost: number; isRising?: boolean }
  | { kind: 'text'; from: number; to: number }
  | { kind: 'id'; prefix: IdPrefix; example: string }
)

export type Setting<T = unknown> = {
  accepts: Accepted<T>
  default: NoInfer<T>
  /** The flag of `perennial store settings` with its placeholder: `--catch-up <which>`. */
  flag: string
  /** What the setting does, in one or two sentences; shown in the OpenAPI document and in docs/settings.md. */
  help: string
}

/** A setting, or a group of settings by name, nested as in the API's body. */
export type SettingsShape = Setting | { readonly [name: string]: SettingsShape }

/**
 * The settings of one module, stored under `name` in a store's settings. Names are camelCase here and in the database, and
 * snake_case in the API.
 */
export type SettingsSection<S extends SettingsShape = SettingsShape> = { name: string; shape: S }

export type SettingsOf<S> = S extends Setting<infer T> ? T : { -readonly [K in keyof S]: SettingsOf<S[K]> }
/** Some of a section's settings; those that are left out stay as they are. */
export type SettingsChange<S> = S extends Setting<infer T> ? T : { -readonly [K in keyof S]?: SettingsChange<S[K]> }

export function defineSettings<const S extends SettingsShape>(name: string, shape: S): SettingsSection<S> {
  return { name, shape }
}

/** Declares one setting; the type of its value follows from what it accepts. */
export const setting = <T>(declared: Setting<T>): Setting<T> => declared

/** One of a few words. */
export const choice = <const T extends string>(...options: T[]): Accepted<T> => ({ kind: 'choice', options })

export const wholeNumber = (unit: string, from: number, to: number): Accepted<number> => ({
  kind: 'number',
  unit,
  from,
  to
})

/** A whole number, or null for no limit. */
export const wholeNumberOrNull = (unit: string, from: number, to: number): Accepted<number | null> => ({
  kind: 'number',
  unit,
  from,
  to,
  isNullable: true
})

/** A list of at most so many whole numbers; `isRising`: each above the one before. */
export const wholeNumbers = (
  unit: string,
  { isRising = false, ...range }: { from: number; to: number; atMost: number; isRising?: boolean }
): Accepted<number[]> => ({ kind: 'numbers', unit, ...range, isRising })

/** A text of so many characters. */
export const shortText = (from: number, to: number): Accepted<string> => ({ kind: 'text', from, to })

/** The public id of something of the store, or null for the default. That it exists is for the section's module to check. */
export const idOrNull = (prefix: IdPrefix, example: string): Accepted<string | null> => ({
  kind: 'id',
  prefix,
  example
})

/** One setting of a section with its path: names as in the API, below the section's own. */
export type ListedSetting = { path: string[]; setting: Setting }

/** The settings of a section in the order of their declaration; a path begins with the section's name. */
export function listSettings({ name, shape }: SettingsSection): ListedSetting[] {
  return leavesOf(shape, [snakeCase(name)])
}

function leavesOf(shape: SettingsShape, path: string[]): ListedSetting[] {
  if (isSetting(shape)) return [{ path, setting: shape }]
  return Object.entries(shape).flatMap(([name, inner]) => leavesOf(inner, [...path, snakeCase(name)]))
}

/** Tells a setting from a group, whose values are objects, so that its `flag` is never a string. */
export const isSetting = (shape: SettingsShape): shape is Setting => typeof shape.flag === 'string'

/** A name as the API writes it: `retryAfterDays` is `retry_after_days`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** In words: "a whole number of hours from 0 to 720". */
export function acceptedWords(accepted: Accepted): string {
  if (accepted.kind === 'choice') {
    const { options } = accepted
    return options.length === 1 ? options[0]! : `${options.slice(0, -1).join(', ')} or ${options.at(-1)}`
  }
  if (accepted.kind === 'text') return `a text of ${accepted.from} to ${accepted.to} characters`
  if (accepted.kind === 'id') return `an id such as ${accepted.example}, or null for the default`
  const { unit, from, to } = accepted
  if (accepted.kind === 'number') {
    return `a whole number of ${unit} from ${from} to ${to}${accepted.isNullable ? ', or null for no limit' : ''}`
  }
  const rising = accepted.isRising ? ', each above the one before' : ''
  return `at most ${accepted.atMost} whole numbers of ${unit} from ${from} to ${to}${rising}`
}

/** The settings of a section: the store's own values, and defaults for the rest. Unknown settings are left out. */
export function withDefaults<S extends SettingsShape>({ name, shape }: SettingsSection<S>, stored: object) {
  return complete(shape, (stored as Record<string, unknown>)[name]) as SettingsOf<S>
}

function complete(shape: SettingsShape, stored: unknown): unknown {
  if (isSetting(shape)) return stored === undefined ? shape.default : stored
  const given = (stored ?? {}) as Record<string, unknown>
  return Object.fromEntries(Object.entries(shape).map(([name, inner]) => [name, complete(inner, given[name])]))
}

/**
 * A store's settings after a change of one section; settings that the change leaves out stay. Refuses a value that the setting
 * does not accept, naming the field as in the API.
 */
export function withChange<S extends SettingsShape>(
  { name, shape }: SettingsSection<S>,
  stored: object,
  change: SettingsChange<S>
): object {
  return { ...stored, [name]: merge(shape, (stored as Record<string, unknown>)[name], change, snakeCase(name)) }
}

function merge(shape: SettingsShape, stored: unknown, change: unknown, field: string): unknown {
  if (change === undefined) return stored
  if (isSetting(shape)) {
    if (!fits(shape.accepts, change)) throw invalidField(field, `must be ${acceptedWords(shape.accepts)}`)
    return change
  }
  const [current, given] = [stored ?? {}, change] as Record<string, unknown>[]
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, inner]) => {
      const value = merge(inner, current![name], given![name], `${field}.${snakeCase(name)}`)
      return value === undefined ? [] : [[name, value]]
    })
  )
}

function fits(accepted: Accepted, value: unknown): boolean {
  if (accepted.kind === 'choice') return accepted.options.some((option) => option === value)
  if (accepted.kind === 'id') {
    return value === null || (typeof value === 'string' && internalId(accepted.prefix, value) !== null)
  }
  const { from, to } = accepted
  if (accepted.kind === 'text') return typeof value === 'string' && value.length >= from && value.length <= to
  const isWhole = (n: unknown, min = from) => Number.isInteger(n) && Number(n) >= min && Number(n) <= to
  if (accepted.kind === 'number') return (value === null && accepted.isNullable === true) || isWhole(value)
  if (!Array.isArray(value) || value.length > accepted.atMost) return false
  return value.every((n, i) => isWhole(n, accepted.isRising && i > 0 ? value[i - 1] + 1 : from))
}
