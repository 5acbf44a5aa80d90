import { type TSchema, Type } from 'typebox'
import { invalidField } from '#kit/refusal'

/** What a field of a request says of itself beside what it accepts: what it does, and a value to show. */
export type FieldText = { meaning?: string; examples?: unknown[] }

export const text = (
  maxLength: number,
  accepts = `a text of 1 to ${maxLength} characters`,
  { examples = ['A text'], ...more }: FieldText = {}
) => Type.String({ minLength: 1, maxLength, description: accepts, examples, ...more })

const DECIMAL = { maxLength: 30, pattern: '^-?[0-9]+(?:[.][0-9]+)?$' }

/** An amount in a query string. */
export const amountText = (more: FieldText) =>
  Type.String({ ...DECIMAL, description: 'an amount such as 29.00', ...more })

export const acceptedAmount = (limits?: string) =>
  `an amount${limits ? ` ${limits}` : ''}, as a number or a text such as 29.00`

/** A JSON number, or a text without spaces; the currency decides how many decimals it may have. `limits`: which amounts are accepted. */
export const amount = ({ examples = ['29.00'], limits, ...more }: FieldText & { limits?: string } = {}) =>
  Type.Union([Type.String(DECIMAL), Type.Number()], {
    description: acceptedAmount(limits),
    examples,
    ...more
  })

export const platformNumber = (what: string, meaning?: string) =>
  Type.String({
    pattern: '^[0-9]{1,20}$',
    description: `the platform's number of ${what}, as a text of digits`,
    examples: ['7064055069370'],
    ...(meaning && { meaning })
  })

export const boolean = (meaning: string) =>
  Type.Optional(Type.Boolean({ description: 'true or false', meaning, examples: [true] }))

const TIME_OR_NULL = 'a time such as 2026-11-27T08:00:00Z, or null'

/** When something begins or ends. */
export const timeOrNull = (meaning: string, example: string) =>
  Type.Optional(
    Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: TIME_OR_NULL,
      meaning,
      examples: [example]
    })
  )

/** The instant of such a field, in whole seconds, as metafields have them. */
export function secondOrNull(field: string, given: string | null): Temporal.Instant | null {
  if (given === null) return null
  try {
    return Temporal.Instant.from(given).round({ smallestUnit: 'second', roundingMode: 'floor' })
  } catch {
    throw invalidField(field, `must be ${TIME_OR_NULL}`)
  }
}

export const longText = (meaning: string, example: string) =>
  Type.Optional(
    Type.String({ maxLength: 1000, description: 'a text of at most 1000 characters', meaning, examples: [example] })
  )

/** What the type or the module checks key by key; refusals name each by its path. */
export const jsonObject = (description: string, meaning: string, example: object) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description,
    meaning,
    examples: [example]
  })

export const jsonValue = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })

/** A body of a PATCH: any of these. */
export const anyOf = <P extends Record<string, TSchema>>(fields: P) => Type.Partial(Type.Object(fields))

/** One of some words. */
export const oneOf = <const T extends readonly string[]>(words: T, more: FieldText & { description?: string } = {}) =>
  Type.Unsafe<T[number]>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      { description: inWords(words), ...more }
    )
  )

export const inWords = (words: readonly string[]) => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

/** How many entries a list returns that is read page by page; 50 when it is left out. */
export const PageLimit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 50,
    description: 'an integer from 1 to 100',
    meaning: 'Maximum number of entries to return',
    examples: [50]
  })
)

/** A list without a total. */
export const List = <Entry extends TSchema>(entry: Entry, description: string) =>
  Type.Object({ data: Type.Array(entry, { description }) })

/** A page of a list that goes on at `next`. */
export const Page = <Entry extends TSchema>(entry: Entry, description: string) =>
  Type.Object({
    data: Type.Array(entry, { description }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'The `before` of the next page; null on the last page',
      examples: [null]
    })
  })

/** Where a list goes on whose entries have numbers. `what`: the entry, such as "a coupon"; `older`: such as "older coupons". */
export const Before = (what: string, older: string, example: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: `the id of ${what}`,
      meaning: `Only ${older}: \`next\` of the previous page`,
      examples: [example]
    })
  )

/** A page, newest first, of which one more was read than it shows: that says whether there is another. */
export function pageOf<Row extends { id: number }, Shown>(found: Row[], limit: number, present: (row: Row) => Shown) {
  const shown = found.slice(0, limit)
  return { data: shown.map(present), next: found.length > limit ? String(shown.at(-1)!.id) : null }
}

/** The parameters of a list that is read by position, and has a total. */
export const OffsetPaging = {
  limit: PageLimit,
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      default: 0,
      description: 'an integer from 0 to 1000000000',
      meaning: 'Number of entries to skip',
      examples: [0]
    })
  )
}

const DEFAULT_LIMIT = 50

export function offsetPagingOf({ limit = DEFAULT_LIMIT, offset = 0 }: { limit?: number; offset?: number }) {
  return { limit, offset }
}

/** A page of a list with a total. */
export const TotalPage = <Entry extends TSchema>(entry: Entry, description: string) =>
  Type.Object({
    data: Type.Array(entry, { description }),
    total: Type.Integer({ description: 'How many entries there are in all', examples: [1] })
  })

/** What a list has of nothing, for a filter that no entry can match. */
export const NOTHING = { rows: [], total: 0 }
