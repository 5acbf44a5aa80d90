import { useFormats } from '../../../shared/format/formats.ts'
import { usePlansTexts } from '../texts.ts'

type Terms = { price: number; interval: string; interval_count: number }

/** A price with its cycle: `€29.00 every month`. */
export function usePriceOfCycle(): (terms: Terms, currency: string) => string {
  const { every, perCycle } = usePlansTexts()
  const { money } = useFormats()
  return ({ price, interval, interval_count }, currency) =>
    perCycle(money(price, currency), every(interval_count, interval))
}
