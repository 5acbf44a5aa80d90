import { duration, priceEach } from '../shared/format.ts'
import type { Every } from './offers.ts'

/** How amounts are written, in the language of the page. Amounts are in minor units of the currency of the cart. */
export type Formats = {
  decimals: number
  money(minor: number): string
  /** The price of a plan. It is in the currency of the shop: in another one it is about so much. */
  fee(minor: number): string
  /** An amount in units of the currency of the shop. */
  shopMoney(amount: string): string
  number(value: number): string
  percent(percent: number): string
  each(price: string, every: Every): string
  days(count: number): string
}

export function formatsFor(locale: string | undefined, currency: string, shopCurrency: string): Formats {
  const style = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options)
  const amounts = style({ style: 'currency', currency })
  const decimals = amounts.resolvedOptions().maximumFractionDigits!
  const money = (minor: number) => amounts.format(minor / 10 ** decimals)
  return {
    decimals,
    money,
    fee: currency === shopCurrency ? money : (minor) => `≈ ${money(minor)}`,
    shopMoney: (amount) => style({ style: 'currency', currency: shopCurrency }).format(Number(amount)),
    number: (value) => style({}).format(value),
    percent: (percent) => style({ style: 'percent', maximumFractionDigits: 2 }).format(percent / 100),
    each: (price, { unit, count }) => priceEach(locale, price, unit, count),
    days: (count) => duration(locale, 'DAY', count)
  }
}
