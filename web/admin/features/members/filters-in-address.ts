import { useSearchParams } from 'react-router'
import { pageFrom } from '../../shared/api/paging.ts'
import type { MemberFilters } from './queries.ts'

const STATUSES = ['active', 'paused', 'cancelled'] as const

/** What list is shown is in the address, so that it can be sent to somebody, and the back button works. */
export function useFiltersInAddress(): [MemberFilters, (change: Partial<MemberFilters>) => void] {
  const [search, setSearch] = useSearchParams()
  const filters: MemberFilters = {
    q: search.get('q') ?? '',
    status: STATUSES.find((status) => status === search.get('status')) ?? '',
    plan: search.get('plan') ?? '',
    page: pageFrom(search.get('page') ?? '')
  }
  const change = (changed: Partial<MemberFilters>) => {
    // Another filter begins at the first page.
    const { page, ...next } = { ...filters, page: 1, ...changed }
    const parameters = Object.entries(next).filter(([, value]) => value !== '')
    setSearch([...parameters, ...(page > 1 ? [['page', String(page)]] : [])] as [string, string][])
  }
  return [filters, change]
}
