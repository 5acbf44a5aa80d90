import { useMemo } from 'react'
import { useLanguage } from '../texts/language.tsx'

export type Formats = {
  /** An amount as the API gives it, in its currency. */
  money(amount: number, currency: string): string
  count(value: number): string
  /** `20%` of 20. */
  percent(value: number): string
  /** A share of one as a percentage. */
  share(value: number): string
  /** A difference of shares, in percentage points. */
  points(value: number): string
  /** A date without a time, such as 2026-11-30. */
  date(date: string): string
  /** A day, in the zone of the shop. */
  day(instant: string, zone: string): string
  /** A date without a time, with its year. */
  fullDate(date: string): string
  /** A day with its time, in the zone of the shop. */
  time(instant: string, zone: string): string
}

function formatsFor(locale: string): Formats {
  const counts = new Intl.NumberFormat(locale)
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  const shares = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const hundredths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const dates = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const currencies = new Map<string, Intl.NumberFormat>()
  const zoned = new Map<string, Intl.DateTimeFormat>()
  const inZone = (zone: string, withTime: boolean) =>
    memo(zoned, `${zone} ${withTime}`, () => {
      const timeStyle = withTime ? 'short' : undefined
      return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle, timeZone: zone })
    })
  return {
    money: (amount, currency) =>
      memo(currencies, currency, () => new Intl.NumberFormat(locale, { style: 'currency', currency })).format(amount),
    count: (value) => counts.format(value),
    percent: (value) => percents.format(value / 100),
    share: (value) => shares.format(value),
    points: (value) => `${hundredths.format(100 * value)} pp`,
    date: (date) => dates.format(new Date(`${date}T00:00:00Z`)),
    day: (instant, zone) => inZone(zone, false).format(new Date(instant)),
    fullDate: (date) => inZone('UTC', false).format(new Date(`${date}T00:00:00Z`)),
    time: (instant, zone) => inZone(zone, true).format(new Date(instant))
  }
}

export function useFormats(): Formats {
  const { locale } = useLanguage()
  return useMemo(() => formatsFor(locale), [locale])
}

function memo<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key) ?? make()
  known.set(key, found)
  return found
}
