import { type JsonField, scalar } from './field.ts'

/** PostgreSQL and the platform take no text with a NUL or half of a surrogate pair. */
const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** A text of at most so many characters. */
export const textOf = (max: number, min = 0): JsonField<string> =>
  scalar({
    accepts: `a text of ${min > 0 ? `${min} to ${max}` : `at most ${max}`} characters`,
    schema: { type: 'string', minLength: min, maxLength: max },
    write: (value) => value,
    parse: (given) =>
      typeof given === 'string' && given.length >= min && given.length <= max && isStorable(given) ? given : undefined
  })

/** A text of this form. `accepts` says it in words. */
export const textLike = (accepts: string, pattern: RegExp, max = 255): JsonField<string> =>
  scalar({
    accepts,
    schema: { type: 'string', pattern: pattern.source, maxLength: max },
    write: (value) => value,
    parse: (given) =>
      typeof given === 'string' && given.length <= max && isStorable(given) && pattern.test(given) ? given : undefined
  })

/** One of these words. */
export const word = <const T extends string>(...words: T[]): JsonField<T> =>
  scalar({
    accepts: words.length === 1 ? `"${words[0]}"` : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
    schema: { type: 'string', enum: words },
    write: (value) => value,
    parse: (given) => words.find((word) => word === given)
  })

/** A word in upper case on the platform, and in lower case here. Words that we do not know pass through. */
export const upperWord = (): JsonField<string> =>
  scalar({
    accepts: 'a word in capitals',
    schema: { type: 'string', pattern: '^[A-Z_]+$' },
    write: (value) => value.toUpperCase(),
    parse: (given) => (typeof given === 'string' && /^[A-Za-z_]{1,50}$/.test(given) ? given.toLowerCase() : undefined)
  })

/** A date without a time. */
export const dateText = (): JsonField<Temporal.PlainDate> =>
  scalar({
    accepts: 'a date such as 2026-01-31',
    schema: { type: 'string', format: 'date' },
    write: String,
    parse: (given) =>
      /^\d{4}-\d{2}-\d{2}$/.test(String(given)) ? parsed(() => Temporal.PlainDate.from(String(given))) : undefined
  })

/** An instant, written in UTC to the second. */
export const utcInstant = (): JsonField<Temporal.Instant> =>
  scalar({
    accepts: 'a time such as 2026-01-31T12:00:00Z',
    schema: { type: 'string', format: 'date-time' },
    write: (value) => value.toString({ smallestUnit: 'second' }),
    parse: (given) => (typeof given === 'string' ? parsed(() => wholeSeconds(Temporal.Instant.from(given))) : undefined)
  })

const wholeSeconds = (at: Temporal.Instant) => at.round({ smallestUnit: 'second', roundingMode: 'floor' })

/** Undefined for a text that is no date or time. */
function parsed<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (err) {
    if (err instanceof RangeError) return undefined
    throw err
  }
}
