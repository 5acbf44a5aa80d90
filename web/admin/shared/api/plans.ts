import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from './client.ts'

/** The plans of a store, for filters and choices on many pages. */
export const plansQuery = (store: string) =>
  queryOptions({
    queryKey: ['plans', store],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/stores/{store}/plans', { params: { path: { store } }, signal }))).data
  })
