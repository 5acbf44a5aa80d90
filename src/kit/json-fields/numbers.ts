import { type JsonField, scalar } from './field.ts'
import { isBigInteger } from './json-text.ts'

/** A whole number in a range, as a JSON number. One that is written as a text is read too. */
export const integer = (from: number, to: number): JsonField<number> =>
  scalar({
    accepts: `a whole number from ${from} to ${to}`,
    schema: { type: 'integer', minimum: from, maximum: to },
    write: (value) => value,
    parse: (given) => {
      const value = typeof given === 'string' && /^-?\d{1,16}$/.test(given) ? Number(given) : given
      return Number.isSafeInteger(value) && Number(value) >= from && Number(value) <= to ? (value as number) : undefined
    }
  })

/** A number of 0 or more, as a JSON number. */
export const amountNumber = (): JsonField<number> =>
  scalar({
    accepts: 'a number of 0 or more',
    schema: { type: 'number', minimum: 0 },
    write: (value) => value,
    parse: (given) => {
      const value = typeof given === 'string' && /^\d{1,12}(\.\d{1,6})?$/.test(given) ? Number(given) : given
      return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined
    }
  })

/** A decimal number of 0 or more as a text: "29.00". It stays a text, so nothing is rounded. */
export const decimalText = (): JsonField<string> =>
  scalar({
    accepts: 'a decimal number such as "29.00"',
    schema: { type: 'string', pattern: '^\\d+(\\.\\d+)?$' },
    write: (value) => value,
    parse: (given) => {
      const value = typeof given === 'number' ? String(given) : given
      return typeof value === 'string' && /^\d{1,16}(\.\d{1,9})?$/.test(value) ? value : undefined
    }
  })

/**
 * A number above 0 with at most so many decimals, as a JSON number; one that is written as a text is read too. Times 10 to the power of
 * `decimals`, and rounded, it is an exact whole number.
 */
export const positiveDecimal = ({ to, decimals }: { to: number; decimals: number }): JsonField<number> =>
  scalar({
    accepts: `a number above 0 to ${to} with at most ${decimals} decimals`,
    schema: { type: 'number', exclusiveMinimum: 0, maximum: to },
    write: (value) => value,
    parse: (given) => {
      const value = typeof given === 'string' && /^\d{1,15}(\.\d{1,9})?$/.test(given) ? Number(given) : given
      if (typeof value !== 'number' || !(value > 0) || value > to) return undefined
      return Number(value.toFixed(decimals)) === value ? value : undefined
    }
  })

/** The digits of an id of the platform, which go beyond 2^53, as a text. */
export const idText = (): JsonField<string> =>
  scalar({
    accepts: 'the digits of an id as a text',
    schema: { type: 'string', pattern: '^\\d+$' },
    write: (value) => value,
    parse: digitsOf
  })

/** The digits of an id, written as a JSON integer without quotes. It never passes through a number, which would round it. */
export const idInteger = (): JsonField<string> =>
  scalar({
    accepts: 'the digits of an id',
    schema: { type: 'integer' },
    write: (value) => JSON.rawJSON(value),
    parse: digitsOf
  })

function digitsOf(given: unknown): string | undefined {
  const text = isBigInteger(given) ? given.digits : Number.isSafeInteger(given) ? String(given) : given
  return typeof text === 'string' && /^[1-9]\d{0,19}$/.test(text) ? text : undefined
}

/** A global id of one type, or of any. */
export const globalId = (type?: string): JsonField<string> =>
  scalar({
    accepts: `a global id${type ? ` of type ${type}` : ''}`,
    schema: { type: 'string', pattern: `^gid://[a-z]+/${type ?? '[A-Za-z]+'}/\\d+$` },
    write: (value) => value,
    parse: (given) =>
      typeof given === 'string' && new RegExp(`^gid://[a-z]{1,20}/${type ?? '[A-Za-z]+'}/\\d{1,20}$`).test(given)
        ? given
        : undefined
  })

/** A decimal number as a JSON number of exactly these digits, kept as a text. */
export const decimalNumber = (): JsonField<string> => ({
  ...decimalText(),
  accepts: 'a decimal number such as 29.00',
  schema: { type: 'number', minimum: 0 },
  write: (value) => JSON.rawJSON(value)
})
