import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { pageOfResult, searchQuery } from '../../shared/api/search.ts'
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

const KINDS = ['customer', 'order', 'subscription'] as const

/** What a text finds, pages first. Before anything is typed all pages. */
export function useResults(text: string): { results: Result[]; isSearching: boolean } {
  const store = useKnownStore()
  const { pages } = useTexts()
  const texts = useJumpTexts()
  const [typed] = useDebouncedValue(text.trim(), TYPING_MS)
  const found = useQuery(searchQuery(store.id, typed, SHOWN))

  const words = text.trim().toLowerCase()
  const links: Result[] = [
    ...entriesOf(store).map(({ page, path }) => ({
      ...{ key: page, kind: 'page' as const, name: pages[page], detail: null },
      to: `/stores/${store.id}${path}`
    })),
    { key: 'docs', kind: 'docs', name: texts.apiReference, detail: null, href: '/docs' }
  ]
  const things = (words === '' ? [] : (found.data ?? [])).flatMap((one): Result[] => {
    const { id, name, email } = one
    const kind = KINDS.find((known) => known === one.kind)
    if (!kind) return []
    const shown = name ?? email ?? id
    return [
      {
        key: `${kind} ${id}`,
        kind,
        name: shown,
        detail: email === shown ? id : email,
        to: pageOfResult(store.id, one)
      }
    ]
  })
  return {
    results: [...links.filter(({ name }) => name.toLowerCase().includes(words)), ...things],
    isSearching: words !== '' && (found.isFetching || typed !== text.trim())
  }
}
