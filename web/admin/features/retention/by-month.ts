import type { Report } from './queries.ts'

export type Counts = Omit<Report['data'][number], 'month' | 'reason' | 'offer_id' | 'offer_name'>

/** Which counts of who has stayed there are, and after how many days. */
export const STAYED = [
  ['after_30_days', 30],
  ['after_60_days', 60],
  ['after_90_days', 90]
] as const

/** The sums of each month; what was shown without an offer is not in them, as in the total. */
export function byMonth({ data }: Report): (Counts & { month: string })[] {
  const months = new Map<string, Counts & { month: string }>()
  for (const row of data) {
    if (row.offer_id === null) continue
    const { month } = row
    months.set(month, { month, ...sum(months.get(month), row) })
  }
  return [...months.values()]
}

function sum(sofar: Counts | undefined, row: Counts): Counts {
  if (!sofar) {
    const { shown, accepted, after_30_days, after_60_days, after_90_days } = row
    return { shown, accepted, after_30_days, after_60_days, after_90_days }
  }
  const stayed = (key: (typeof STAYED)[number][0]) => ({
    accepted: sofar[key].accepted + row[key].accepted,
    active: sofar[key].active + row[key].active
  })
  return {
    shown: sofar.shown + row.shown,
    accepted: sofar.accepted + row.accepted,
    after_30_days: stayed('after_30_days'),
    after_60_days: stayed('after_60_days'),
    after_90_days: stayed('after_90_days')
  }
}
