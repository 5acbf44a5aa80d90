import { useMemo } from 'react'
import { useLanguage } from '../texts/language.tsx'

export type Formats = {
  /** An amount as the API gives it, in its currency. */
  money(amount: number, currency: string): string
  count(value: number): string
  /** `20%` of 20. */
  percent(value: number): string
  /** A day, in the zone of the shop. */
  day(instant: string, zone: string): string
  /** A day that was given as one, `2026-01-31`. */
  date(day: string): string
  /** A day with its time, in the zone of the shop. */
  time(instant: string, zone: string): string
}

function formatsFor(locale: string): Formats {
  const counts = new Intl.NumberFormat(locale)
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
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
    day: (instant, zone) => inZone(zone, false).format(new Date(instant)),
    date: (day) => inZone('UTC', false).format(new Date(`${day}T00:00:00Z`)),
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
