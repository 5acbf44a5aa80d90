import { currencyDecimals, decimalOf, minorOf } from '#kit/money'
import { Refusal } from '#kit/refusal'

export type MoneyV2 = { __typename: 'MoneyV2'; amount: string; currencyCode: string }
export type MoneyBag = { shopMoney: MoneyV2; presentmentMoney: MoneyV2 }

/** An amount as the API prints it, with as few decimals as possible but at least one: "29.0", "29.95". */
export function wireDecimal(amountMinor: number, currency: string): string {
  const decimal = decimalOf(amountMinor, currency)
  return decimal.includes('.') ? decimal.replace(/0+$/, '').replace(/\.$/, '.0') : `${decimal}.0`
}

export function moneyV2(amountMinor: number, currency: string): MoneyV2 {
  return { __typename: 'MoneyV2', amount: wireDecimal(amountMinor, currency), currencyCode: currency }
}

export function moneyBag(amountMinor: number, currency: string): MoneyBag {
  const money = moneyV2(amountMinor, currency)
  return { shopMoney: money, presentmentMoney: money }
}

/** An amount of a request in minor units; null if invalid. Extra decimals are rounded, as the platform does. */
export function amountFrom(value: string | number, currency: string): number | null {
  const text = String(value).trim()
  try {
    return minorOf(text, currency)
  } catch (err) {
    if (!(err instanceof Refusal)) throw err
    if (!/^-?\d{1,12}\.\d+$/.test(text)) return null
    return Math.round(Number(text) * 10 ** currencyDecimals(currency))
  }
}
