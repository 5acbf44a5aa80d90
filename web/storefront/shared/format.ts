import type { IntervalName } from '../../../sdk/src/storefront-answers.ts'

/** Two days. */
const SOON_MS = 172_800_000

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

/** Until when something is possible, `2026-12-20 14:05` of the shop: with the time of day where that is soon, or soon after it began. */
export function deadline(language: string, until: string, since: string): string {
  const minute = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`)
  // The clock of the shop may be another one than the browser's: a short time is short by either.
  if (minute(until) - Math.max(minute(since) || 0, Date.now()) > SOON_MS) return day(language, until)
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(language, format).format(minute(until))
}

/** A day of the shop, `2026-12-20`, in words. */
export const day = (language: string, date: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(date.slice(0, 10)))
