import { invalidField } from './refusal.ts'

/**
 * The currencies whose number of decimals is not 2, by ISO 4217, as the platform counts them. `Intl` has the decimals that are
 * common in daily use instead (none for HUF, IDR or COP), and those change with the version of Node.
 */
const OTHER_DECIMALS = new Map(
  Object.entries({
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW'
  }).flatMap(([decimals, codes]) => codes.split(' ').map((code) => [code, Number(decimals)] as const))
)

/** The number of decimals of a currency: USD 2, JPY 0, KWD 3. Throws RangeError if the code is not three letters. */
export function currencyDecimals(currency: string): number {
  if (!/^[A-Z]{3}$/.test(currency)) throw new RangeError(`${currency} is no code of a currency`)
  return OTHER_DECIMALS.get(currency) ?? 2
}

/** The currencies that have another number of decimals than 2, by that number: for SQL, which formats amounts of any currency. */
export function otherDecimals(): { decimals: number; codes: string[] }[] {
  const byDecimals = Map.groupBy(OTHER_DECIMALS, ([, decimals]) => decimals)
  return [...byDecimals].map(([decimals, entries]) => ({ decimals, codes: entries.map(([code]) => code) }))
}

const currencies = new Set(Intl.supportedValuesOf('currency'))

export function isCurrency(code: string): boolean {
  return currencies.has(code)
}

/** Minor units as the decimal string of the currency: 2900 USD is "29.00". */
export function decimalOf(amountMinor: number, currency: string): string {
  const decimals = currencyDecimals(currency)
  const digits = String(Math.abs(amountMinor)).padStart(decimals + 1, '0')
  const sign = amountMinor < 0 ? '-' : ''
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Minor units as people read them: 2900 USD is "29.00 USD". */
export const amountOf = (amountMinor: number, currency: string): string =>
  `${decimalOf(amountMinor, currency)} ${currency}`

/** Minor units as a JSON number: 2995 USD is 29.95. For responses and events only, never for arithmetic. */
export function numberOf(amountMinor: number, currency: string): number {
  return Number(decimalOf(amountMinor, currency))
}

/** How JavaScript prints a number below 0.000001, which has more decimals than any currency. */
const TINY = /^-?\d(?:\.\d+)?e-\d+$/

/**
 * Converts a decimal amount, given as a string or a JSON number, to minor units. Refuses an amount that is not a plain decimal,
 * has more decimals than the currency, or exceeds 2^53 minor units. The caller must have parsed a number exactly: JSON.parse
 * alone may round it.
 */
export function minorOf(amount: string | number, currency: string, field = 'amount'): number {
  const decimals = currencyDecimals(currency)
  const tooManyDecimals = () => invalidField(field, `must have at most ${decimals} decimals in ${currency}`)
  const text = String(amount).trim()
  if (typeof amount === 'number' && TINY.test(text)) throw tooManyDecimals()
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (!match) throw invalidField(field, `must be a decimal amount such as 29.00`)
  const fraction = match[3] ?? ''
  if (/[1-9]/.test(fraction.slice(decimals))) throw tooManyDecimals()
  const minor = Number(match[2]! + fraction.slice(0, decimals).padEnd(decimals, '0'))
  if (!Number.isSafeInteger(minor)) {
    throw invalidField(field, `must be at most ${decimalOf(Number.MAX_SAFE_INTEGER, currency)} in ${currency}`)
  }
  return match[1] && minor !== 0 ? -minor : minor
}

/** The sum of amounts of one currency, in minor units. */
export const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0)

/** The same part of an amount as `part` is of `whole`, in whole numbers and rounded down: at least 0, and at most the amount. */
export function inProportion(amount: number, part: number, whole: number): number {
  if (part <= 0) return 0
  if (part >= whole) return amount
  // The product may be beyond 2^53.
  return Number((BigInt(amount) * BigInt(part)) / BigInt(whole))
}
