import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { entriesOf } from '../navigation-entries.ts'
import { useJumpTexts } from './texts.ts'

/** Something to go to. `to`: a path of the interface; `href`: a page of the service beside it. */
export type Result = {
  key: string
  kind: 'customer' | 'order' | 'subscription' | 'page' | 'docs'
  name: string
  detail: string | null
} & ({ to: string } | { href: string })

const TYPING_MS = 150
const SHOWN = 8

const PATHS = { customer: 'members', order: 'orders', subscription: 'subscriptions' } as const
const isKind = (kind: string): kind is keyof typeof PATHS => kind in PATHS

/** What a text finds, pages first. Before anything is typed all pages. */
export function useResults(text: string): { results: Result[]; isSearching: boolean } {
  const store = useKnownStore()
  const { pages } = useTexts()
  const texts = useJumpTexts()
  const [typed] = useDebouncedValue(text.trim(), TYPING_MS)
  const found = useQuery({
    queryKey: ['search', store.id, typed],
    enabled: typed !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const params = { path: { store: store.id }, query: { q: typed, limit: SHOWN } }
      return (await bodyOf(api.GET('/stores/{store}/search', { params, signal }))).data
    }
  })

  const words = text.trim().toLowerCase()
  const links: Result[] = [
    ...entriesOf(store).map(({ page, path }) => ({
      ...{ key: page, kind: 'page' as const, name: pages[page], detail: null },
      to: `/stores/${store.id}${path}`
    })),
    { key: 'docs', kind: 'docs', name: texts.apiReference, detail: null, href: '/docs' }
  ]
  const things = (words === '' ? [] : (found.data ?? [])).flatMap(({ kind, id, name, email }): Result[] => {
    if (!isKind(kind)) return []
    const shown = name ?? email ?? id
    return [
      {
        key: `${kind} ${id}`,
        kind,
        name: shown,
        detail: email === shown ? id : email,
        to: `/stores/${store.id}/${PATHS[kind]}/${id}`
      }
    ]
  })
  return {
    results: [...links.filter(({ name }) => name.toLowerCase().includes(words)), ...things],
    isSearching: words !== '' && (found.isFetching || typed !== text.trim())
  }
}
