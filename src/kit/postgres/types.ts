import pg from 'pg'

const INT8 = 20
const DATE = 1082
const TIMESTAMP = 1114
const TIMESTAMPTZ = 1184
const INT8_ARRAY = 1016
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

/** `2026-01-31 15:00:00.1` as `2026-01-31T15:00:00.100Z`; text to text, since wide lists have hundreds of them. */
function isoOfUtc(value: string): string {
  if (value.length < 19 || value[10] !== ' ') throw new Error(`The timestamp ${value} is not of a year from 1 to 9999`)
  return `${value.slice(0, 10)}T${value.slice(11, 19)}.${value.slice(20, 23).padEnd(3, '0')}Z`
}

const intArray = pg.types.getTypeParser(INT8_ARRAY as never) as (value: string) => string[]

/**
 * How column types arrive: int8 as an exact number, timestamptz as Temporal.Instant, date as Temporal.PlainDate, json
 * (not jsonb) as its own text, since such a column is kept for its exact bytes. `x at time zone 'UTC'` of a timestamptz
 * arrives as the text that the API prints, thirty times cheaper than by way of Temporal. Everything else as pg reads it.
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
      case JSON_TEXT:
        return (value: string) => value
      default:
        return pg.types.getTypeParser(oid as never, format as never)
    }
  }
}

/** Parameters: Temporal values go as ISO text, arrays of them too; everything else as pg sends it. */
export function encode(value: unknown): unknown {
  return (Array.isArray(value) && textOfPlain(value)) || encodeItem(value)
}

/** A list of numbers or booleans as PostgreSQL's text for it; pg would quote and escape each of them. Null: it has others. */
function textOfPlain(list: unknown[]): string | null {
  let text = ''
  for (const item of list) {
    if (typeof item !== 'number' && typeof item !== 'boolean' && item !== null) return null
    text += text === '' ? `{${item}` : `,${item}`
  }
  return text === '' ? '{}' : `${text}}`
}

/** Lists in lists stay lists: as text they would be quoted, and no dimension of the outer one. */
function encodeItem(value: unknown): unknown {
  if (value instanceof Temporal.Instant || value instanceof Temporal.PlainDate) return value.toString()
  return Array.isArray(value) ? value.map(encodeItem) : value
}
