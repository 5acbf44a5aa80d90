import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from './client.ts'

/** The pages of what a search finds, by its kind. */
const PAGES: Record<string, string> = { customer: 'members', order: 'orders', subscription: 'subscriptions' }

/** Customers, orders and subscriptions by what somebody remembers of them, at most `limit` of each. The last ones stay while others are read. */
export const searchQuery = (store: string, q: string, limit: number) =>
  queryOptions({
    queryKey: ['search', store, q, limit],
    enabled: q !== '',
    queryFn: async ({ signal }) => {
      const params = { path: { store }, query: { q, limit } }
      return (await bodyOf(api.GET('/stores/{store}/search', { params, signal }))).data
    },
    placeholderData: keepPreviousData
  })

/** Where something that was found has its page. */
export const pageOfResult = (store: string, { kind, id }: { kind: string; id: string }) =>
  `/stores/${store}/${PAGES[kind]}/${id}`
