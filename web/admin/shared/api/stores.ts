import { queryOptions, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useParams } from 'react-router'
import { api, bodyOf } from './client.ts'
import type { components } from './schema.ts'

export type Store = components['schemas']['Store']

export const storesQuery = queryOptions({
  queryKey: ['stores'],
  queryFn: async ({ signal }) => (await bodyOf(api.GET('/stores', { signal }))).data
})

/** The store that the address names, while its page is shown; null until the stores are known. */
export function useStore(): Store | null {
  const { store } = useParams()
  const { data } = useQuery(storesQuery)
  return data?.find(({ id }) => id === store) ?? null
}

/** The same in pages, which are shown only when the store is known. One that was deleted is what it was until the page has gone. */
export function useKnownStore(): Store {
  const store = useStore()
  const known = useRef(store)
  if (store) known.current = store
  if (!known.current) throw new Error('This page is shown before its store is known')
  return known.current
}
