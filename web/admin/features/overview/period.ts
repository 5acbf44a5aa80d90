import { useSearchFilters } from '../../shared/api/search-filters.ts'

export const PERIODS = ['7d', '30d', '90d', '365d'] as const
export type Period = (typeof PERIODS)[number]

/** Which days and which plan the metrics are of, as the address says. */
export function usePeriod() {
  const [filters, change] = useSearchFilters(['period', 'plan'])
  const period = PERIODS.find((one) => one === filters.period) ?? '30d'
  return { period, plan: filters.plan, change }
}
