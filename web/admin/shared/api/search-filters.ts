import { useSearchParams } from 'react-router'

/**
 * Filters of a list in the address, so that it can be sent to somebody and the back button works. Empty ones are not in it. A change of a filter begins
 * at the first part of the list.
 */
export function useSearchFilters<Name extends string>(
  names: readonly Name[]
): [Record<Name, string>, (change: Partial<Record<Name, string>>) => void] {
  const [search, setSearch] = useSearchParams()
  const filters = Object.fromEntries(names.map((name) => [name, search.get(name) ?? ''])) as Record<Name, string>
  const change = (changed: Partial<Record<Name, string>>) => {
    const next = Object.entries<string>({ ...filters, ...changed } as Record<string, string>)
    setSearch(next.filter(([, value]) => value !== ''))
  }
  return [filters, change]
}
