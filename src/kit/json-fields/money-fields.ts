import { currencyDecimals, decimalOf, minorOf, numberOf } from '../money.ts'
import { Refusal } from '../refusal.ts'
import { type JsonField, scalar } from './field.ts'

/** The largest amount of a rule or a reward, in units of the currency. */
const MAX_UNITS = 1_000_000_000

/** Amounts of money in what an operator enters, and in sentences, of one currency. */
export type Money = {
  /** An amount: a JSON number outside, also read as a decimal text, and minor units inside. */
  amount: () => JsonField<number>
  /** The same without 0. */
  amountAboveZero: () => JsonField<number>
  /** The minor units of a JSON number; null for one that the currency does not have, such as half a yen. */
  minor: (amount: number) => number | null
  /** As people read it: "$100", "€49.90". */
  words: (amountMinor: number) => string
  /** One unit as people read it: "$1". */
  unit: string
  /** Minor units in one unit. */
  perUnit: number
  /** Whole units, rounded up: who has the rest too has all of it. */
  wholeUnits: (amountMinor: number) => number
}

const known = new Map<string | null, Money>()

/** `null` is the currency of any shop, for documents: its decimals are then those of most currencies. */
export function moneyOf(currency: string | null): Money {
  let money = known.get(currency)
  if (!money) {
    money = makeMoney(currency)
    known.set(currency, money)
  }
  return money
}

function makeMoney(currency: string | null): Money {
  const code = currency ?? 'USD'
  const decimals = currencyDecimals(code)
  const perUnit = 10 ** decimals
  const limits = `${MAX_UNITS}, with no more decimals than ${currency ?? "the shop's currency"} has`
  const minor = (amount: number | string) => minorOrNull(amount, code)
  const between = (accepts: string, least: number, schema: object) =>
    scalar<number>({
      accepts: `${accepts} to ${limits}`,
      schema: { type: 'number', ...schema, maximum: MAX_UNITS },
      write: (value) => numberOf(value, code),
      parse: (given) => {
        const value = typeof given === 'number' || typeof given === 'string' ? minor(given) : null
        return value !== null && value >= least && value <= MAX_UNITS * perUnit ? value : undefined
      }
    })
  const format = formatOf(code, decimals)
  const words = (amountMinor: number) => format.format(decimalOf(amountMinor, code) as `${number}`)
  return {
    amount: () => between('an amount from 0', 0, { minimum: 0 }),
    amountAboveZero: () => between('an amount above 0', 1, { exclusiveMinimum: 0 }),
    minor,
    words,
    unit: words(perUnit),
    perUnit,
    wholeUnits: (amountMinor) => Math.ceil(amountMinor / perUnit)
  }
}

function minorOrNull(amount: number | string, currency: string): number | null {
  try {
    return minorOf(amount, currency)
  } catch (err) {
    if (err instanceof Refusal) return null
    throw err
  }
}

const formatOf = (currency: string, decimals: number) =>
  new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    // Intl has other decimals than the platform for some currencies.
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    trailingZeroDisplay: 'stripIfInteger'
  })
