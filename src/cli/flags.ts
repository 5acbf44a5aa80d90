import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'

/** One flag of a command: its syntax, what it accepts, and how its value is read. */
export type Flag<T> = {
  /** In commander's syntax: `--price <amount>`, or `<event>` for an argument. */
  written: string
  accepts: string
  needed: boolean
  /** `before` is what the same flag has given so far, of one that may be repeated. */
  read: ((given: string, before?: unknown) => unknown) | null
  /** Never set; it carries the type of the value. */
  value?: T
}

export type Flags = Record<string, Flag<unknown>>
export type ValuesOf<F extends Flags> = { [K in keyof F]: F[K] extends Flag<infer T> ? T : never }

/** Reads a flag's value. Throws an error that says what the flag accepts. */
export type Reader<T> = { accepts: string; read: (given: string, before?: unknown) => T }

export function needed<T>(written: string, { accepts, read }: Reader<T>): Flag<T> {
  return { written, accepts, needed: true, read }
}

export function optional<T>(written: string, { accepts, read }: Reader<T>): Flag<T | undefined> {
  return { written, accepts, needed: false, read }
}

/** An argument without a flag: `written` is `<name>`, and the value's key is that name. */
export function argument<T>(written: `<${string}>`, { accepts, read }: Reader<T>): Flag<T> {
  return { written, accepts, needed: true, read }
}

export function toggle(written: string, meaning: string): Flag<boolean | undefined> {
  return { written, accepts: meaning, needed: false, read: null }
}

function refused(accepts: string): never {
  throw new InvalidArgumentError(`It must be ${accepts}.`)
}

export function matching(accepts: string, pattern: RegExp): Reader<string> {
  return { accepts, read: (given) => (pattern.test(given) ? given : refused(accepts)) }
}

/** One of our ids, such as `plan_3`. */
export const id = (prefix: string, accepts: string): Reader<string> =>
  matching(accepts, new RegExp(`^${prefix}_\\d{1,18}$`))

export const text = (accepts: string): Reader<string> => matching(accepts, /\S/)

export const characters = (min: number, max: number): Reader<string> =>
  matching(`a text of ${min} to ${max} characters`, new RegExp(`^.{${min},${max}}$`, 's'))

export function oneOf<const T extends string>(...allowed: T[]): Reader<T> {
  const accepts = `${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1)}`
  return { accepts, read: (given) => allowed.find((word) => word === given) ?? refused(accepts) }
}

/** Whether something is so. */
export const yesOrNo = (written: string) => optional(written, oneOf('yes', 'no'))

export const isYes = (word: 'yes' | 'no' | undefined) => (word === undefined ? undefined : word === 'yes')

/** The number of what a command is about, such as "a coupon". */
export const numberFlag = (what: string) =>
  needed('--id <number>', matching(`the number of ${what}`, /^[1-9]\d{0,14}$/))

export function wholeNumber(min: number, max: number): Reader<number> {
  const accepts = `a whole number from ${min} to ${max}`
  return {
    accepts,
    read: (given) => {
      const number = Number(given)
      return /^\d+$/.test(given) && number >= min && number <= max ? number : refused(accepts)
    }
  }
}

/** What `reader` accepts, or this word. There is no null, because commander turns it into an empty text. */
export function orWord<T, const W extends string>(word: W, reader: Reader<T>): Reader<T | W> {
  const accepts = `${reader.accepts}, or \`${word}\``
  const read = (given: string) => {
    try {
      return given === word ? word : reader.read(given)
    } catch {
      return refused(accepts)
    }
  }
  return { accepts, read }
}

/** Stays text: only the server knows how many decimals the store's currency has. */
export const amount = matching('a decimal amount such as 29.00', /^\d{1,15}(\.\d{1,4})?$/)

export const platformNumber = (what: string): Reader<string> =>
  matching(`the platform's number of ${what}, digits only`, /^\d{1,20}$/)

export const list = (of: string): Reader<string[]> => {
  const accepts = `${of}, separated by commas`
  return {
    accepts,
    read: (given) => {
      const words = given.split(',').map((word) => word.trim())
      return words.every((word) => word !== '') ? words : refused(accepts)
    }
  }
}

/** A flag that may be repeated, and collects what each gives. */
export const repeated = <T>({ accepts, read }: Reader<T>): Reader<T[]> => ({
  accepts: `${accepts}; may be repeated`,
  read: (given, before) => [...((before as T[] | undefined) ?? []), read(given)]
})

/** A name and a value; the value may have further signs of equality. */
export const pair = (example: string): Reader<{ name: string; value: string }> => {
  const accepts = `a name and a value such as ${example}`
  return {
    accepts,
    read: (given) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(given) ?? []
      return name?.trim() && value !== undefined ? { name: name.trim(), value } : refused(accepts)
    }
  }
}

/** Up to `atMost` whole numbers; `none` is an empty list. */
export function wholeNumbers({
  atMost,
  unit,
  from,
  to
}: {
  atMost: number
  unit: string
  from: number
  to: number
}): Reader<number[]> {
  const accepts = `at most ${atMost} whole numbers of ${unit} from ${from} to ${to}, separated by commas, or \`none\``
  return {
    accepts,
    read: (given) => {
      const words = given === 'none' ? [] : given.split(',').map((word) => word.trim())
      const numbers = words.map(Number)
      const fit = words.every((word, i) => /^\d+$/.test(word) && numbers[i]! >= from && numbers[i]! <= to)
      return fit && words.length <= atMost ? numbers : refused(accepts)
    }
  }
}

/** A day of the shop. */
export const date: Reader<string> = {
  accepts: 'a date such as 2026-01-31',
  read: (given) =>
    /^\d{4}-\d{2}-\d{2}$/.test(given) ? readable(given, Temporal.PlainDate.from, date.accepts) : refused(date.accepts)
}

export const instant: Reader<string> = {
  accepts: 'an ISO 8601 instant such as 2026-01-31T15:00:00Z',
  read: (given) => readable(given, Temporal.Instant.from, instant.accepts)
}

export const duration: Reader<string> = {
  accepts: 'an ISO 8601 duration such as PT1H, P3D or P1M',
  read: (given) => readable(given, Temporal.Duration.from, duration.accepts)
}

function readable(given: string, read: (text: string) => unknown, accepts: string): string {
  try {
    read(given)
  } catch {
    refused(accepts)
  }
  return given
}

/** With `@file` a secret appears neither in the shell's history nor in the process list. */
export const secret = (what: string): Reader<string> => ({
  accepts: `${what}, or @file to read it from a file`,
  read: (given) => {
    if (given.trim() === '') refused(`${what}, or @file to read it from a file`)
    return textOrFile(given)
  }
})

/** The text itself, or that of the file after `@`. */
function textOrFile(given: string): string {
  if (!given.startsWith('@')) return given
  try {
    return readFileSync(given.slice(1), 'utf8').trim()
  } catch (err) {
    throw new InvalidArgumentError(`The file cannot be read: ${(err as Error).message}.`)
  }
}

/** A file with one JSON object. */
export const jsonFile = (of: string): Reader<object> => {
  const { accepts, read } = jsonObjectText(of)
  return { accepts, read: (given) => JSON.parse(read(given)) }
}

/** The text of a file with one JSON object, whose numbers stay as they are written. */
export const jsonObjectText = (of: string): Reader<string> => {
  const accepts = `a file with ${of} as one JSON object`
  return {
    accepts,
    read: (given) => {
      try {
        const text = readFileSync(given, 'utf8')
        const found: unknown = JSON.parse(text)
        if (typeof found === 'object' && found !== null && !Array.isArray(found)) return text
      } catch (err) {
        throw new InvalidArgumentError(`It must be ${accepts}; this one cannot be read: ${(err as Error).message}.`)
      }
      return refused(accepts)
    }
  }
}

/** The service refuses bodies that are nested deeper, in words about the body. */
const MAX_DEPTH = 30

/** One JSON object, or `@file` with one. */
export const jsonObject = (of: string): Reader<Record<string, unknown>> => {
  const accepts = `${of} as one JSON object, or @file to read it from a file`
  return {
    accepts,
    read: (given) => {
      let found: unknown
      try {
        found = JSON.parse(textOrFile(given))
      } catch (err) {
        if (err instanceof InvalidArgumentError) throw err
        throw new InvalidArgumentError(`It must be ${accepts}: ${(err as Error).message}.`)
      }
      if (typeof found !== 'object' || found === null || Array.isArray(found)) return refused(accepts)
      if (isDeeperThan(MAX_DEPTH, found)) {
        throw new InvalidArgumentError(`It must be ${accepts}, nested no deeper than ${MAX_DEPTH}.`)
      }
      return found as Record<string, unknown>
    }
  }
}

const isDeeperThan = (depth: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner)))
