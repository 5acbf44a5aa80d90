import pg from 'pg'

const INT8 = 20
const DATE = 1082
const TIMESTAMP = 1114
const TIMESTAMPTZ = 1184
const INT8_ARRAY = 1016
const TEXT_ARRAY = 1009
const TIMESTAMPTZ_ARRAY = 1185
const JSON_TEXT = 114

function exactInteger(value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new Error(`The integer ${value} is beyond 2^53; read the column as text`)
  return number
}

function instantOf(value: string): Temporal.Instant {
  if (value.endsWith('infinity')) throw new Error('The timestamp is infinite')
  return Temporal.Instant.from(value)
}

/** `2026-01-31 15:00:00.1` as `2026-01-31T15:00:00.100Z`; string to string, since a page of a list has hundreds of them. */
function isoOfUtc(value: string): string {
  if (value.length < 19 || value[10] !== ' ') throw new Error(`The timestamp ${value} must be in a year from 1 to 9999`)
  return `${value.slice(0, 10)}T${value.slice(11, 19)}.${value.slice(20, 23).padEnd(3, '0')}Z`
}

const intArray = pg.types.getTypeParser(INT8_ARRAY as never) as (value: string) => string[]
const textArray = pg.types.getTypeParser(TEXT_ARRAY as never) as (value: string) => (string | null)[]

/**
 * The JavaScript types of columns: int8 is an exact number, timestamptz is Temporal.Instant, also in a list, date is Temporal.PlainDate, json (not
 * jsonb) is its own text, since such a column stores exact bytes. `x at time zone 'UTC'` of a timestamptz is the text that the
 * API prints, thirty times cheaper than through Temporal. Other types are as in pg.
 */
export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    switch (oid) {
      case INT8:
        return exactInteger
      case TIMESTAMP:
        return isoOfUtc
      case TIMESTAMPTZ:
        return instantOf
      case DATE:
        return (value: string) => Temporal.PlainDate.from(value)
      case INT8_ARRAY:
        return (value: string) => intArray(value).map(exactInteger)
      case TIMESTAMPTZ_ARRAY:
        return (value: string) => textArray(value).map((item) => (item === null ? null : instantOf(item)))
      case JSON_TEXT:
        return (value: string) => value
      default:
        return pg.types.getTypeParser(oid as never, format as never)
    }
  }
}

/** Encodes a parameter: Temporal values as ISO text, also in arrays; anything else as pg does. */
export function encode(value: unknown): unknown {
  return (Array.isArray(value) && textOfPlain(value)) || encodeItem(value)
}

/** A list of numbers, booleans and nulls as PostgreSQL prints it, which is faster than pg's escaping. Null for any other list. */
function textOfPlain(list: unknown[]): string | null {
  let text = ''
  for (const item of list) {
    if (typeof item !== 'number' && typeof item !== 'boolean' && item !== null) return null
    text += text === '' ? `{${item}` : `,${item}`
  }
  return text === '' ? '{}' : `${text}}`
}

/** Nested lists stay lists: encoded as text they would be quoted and lose their dimension. */
function encodeItem(value: unknown): unknown {
  if (value instanceof Temporal.Instant || value instanceof Temporal.PlainDate) return value.toString()
  return Array.isArray(value) ? value.map(encodeItem) : value
}

/** A list within a list of parameters, as PostgreSQL reads it: of numbers, or of texts of digits. */
export const arrayText = (numbers: readonly (number | string)[]): string => `{${numbers.join(',')}}`
