import { invalidField } from './refusal.ts'

const decimalsOf = new Map<string, number>()

/** How many decimals a currency's amounts have: USD 2, JPY 0, KWD 3. Throws RangeError on a code that is none. */
export function currencyDecimals(currency: string): number {
  let decimals = decimalsOf.get(currency)
  if (decimals === undefined) {
    const options = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
    decimals = options.maximumFractionDigits ?? 2
    decimalsOf.set(currency, decimals)
  }
  return decimals
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

/** Minor units as the number that JSON carries at the edge: 2995 USD is 29.95. Never used in arithmetic. */
export function numberOf(amountMinor: number, currency: string): number {
  return Number(decimalOf(amountMinor, currency))
}

/** As which a number below 0.000001 is printed: more decimals than any currency has. */
const TINY = /^-?\d(?:\.\d+)?e-\d+$/

/**
 * A decimal amount, as text or as a JSON number, in minor units. Refuses one that is no plain decimal, has more
 * decimals than the currency, or is beyond 2^53 minor units. A number must be what its sender wrote: what JSON.parse alone
 * made of it may have been rounded.
 */
export function minorOf(amount: string | number, currency: string, field = 'amount'): number {
  const decimals = currencyDecimals(currency)
  const tooManyDecimals = () => invalidField(field, `takes at most ${decimals} decimals in ${currency}`)
  const text = String(amount).trim()
  if (typeof amount === 'number' && TINY.test(text)) throw tooManyDecimals()
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (!match) throw invalidField(field, `takes a decimal amount such as 29.00`)
  const fraction = match[3] ?? ''
  if (/[1-9]/.test(fraction.slice(decimals))) throw tooManyDecimals()
  const minor = Number(match[2]! + fraction.slice(0, decimals).padEnd(decimals, '0'))
  if (!Number.isSafeInteger(minor)) throw invalidField(field, 'is too large')
  return match[1] && minor !== 0 ? -minor : minor
}
