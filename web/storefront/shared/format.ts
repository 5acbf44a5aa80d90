import type { IntervalName } from '../../../sdk/src/storefront-answers.ts'

/** A decimal text as an amount of money. */
export const money = (language: string | undefined, amount: string, currency: string): string =>
  new Intl.NumberFormat(language, { style: 'currency', currency }).format(Number(amount))

const unitFormat = (language: string | undefined, name: IntervalName) =>
  new Intl.NumberFormat(language, { style: 'unit', unit: name.toLowerCase(), unitDisplay: 'long' })

/** `3 months`. */
export const duration = (language: string | undefined, name: IntervalName, count: number): string =>
  unitFormat(language, name).format(count)

/** A price for each interval: `€19.00 / month`, `€19.00 / 2 months`. Its grammar is the same in all languages. */
export function priceEach(language: string | undefined, price: string, name: IntervalName, count: number): string {
  const unit = unitFormat(language, name)
  const one = unit.formatToParts(1).find(({ type }) => type === 'unit')?.value
  return `${price} / ${count === 1 && one ? one : unit.format(count)}`
}

/** A day of the shop, `2026-12-20`, in words. */
export const day = (language: string, date: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(date.slice(0, 10)))
