import { currencyDecimals, otherDecimals } from '#kit/money'
import type { CopiedColumn, Field, Scope } from './endpoint.ts'

/** The columns of a SELECT that formats these fields. The text is right under the shop's time zone and the ISO style of dates. */
export function formattedColumns(fields: readonly Field[], scope: Scope): string {
  return fields.map((field) => formatted(field, scope)).join(',\n       ')
}

export const copiedColumns = (fields: readonly Field[]): CopiedColumn[] =>
  fields.map(({ name, format, optional }) => ({
    name,
    json: format === 'integer' || format === 'boolean' ? 'bare' : optional ? 'optional' : 'string'
  }))

/** `Y-m-d H:i` are the first characters of an instant as text; `to_char` costs more. */
export const minuteText = (sql: string): string => `left((${sql})::text, 16)`
const dayText = (sql: string): string => `left((${sql})::text, 10)`

function formatted({ sql, format, currency }: Field, scope: Scope): string {
  const value = typeof sql === 'string' ? sql : sql(scope)
  switch (format) {
    case 'minute':
      return minuteText(value)
    case 'day':
      return dayText(value)
    case 'decimal':
      return decimalText(value, scope, currency)
    case 'boolean':
      return `(${value})::text`
    default:
      return value
  }
}

/**
 * Minor units as the decimal of their currency: a product has the decimals of both factors. `currency` is SQL; left out, the store's.
 */
export function decimalText(minor: string, scope: Pick<Scope, 'currency'>, currency?: string): string {
  const own = unitOf(currencyDecimals(scope.currency))
  if (currency === undefined) return `((${minor}) * ${own})::text`
  const others = otherDecimals().map(
    ({ decimals, codes }) => `when ${currency} in (${codes.map(literal).join(', ')}) then ${unitOf(decimals)}`
  )
  const unit = `case when ${currency} = ${literal(scope.currency)} then ${own} ${others.join(' ')} else ${unitOf(2)} end`
  return `((${minor}) * ${unit})::text`
}

/** One minor unit, as a numeric with that many decimals. */
const unitOf = (decimals: number): string => (decimals === 0 ? '1::numeric' : `0.${'1'.padStart(decimals, '0')}`)

/** Text as a literal of SQL, whatever it holds. */
export function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`
  return text.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted
}

/** An instant in ISO 8601 as a literal of SQL. */
export const instantLiteral = (iso: string): string => `${literal(iso)}::timestamptz`
