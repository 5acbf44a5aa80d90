import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'

const MEMBER_STATUSES = ['active', 'paused', 'cancelled'] as const

const REFRESH_MS = 30_000
const MAX_ALERTS = 10

/** How many members there are in each status. */
export const memberCountsQuery = (store: string) =>
  queryOptions({
    queryKey: ['member-counts', store],
    queryFn: async ({ signal }) => {
      const counts = MEMBER_STATUSES.map(async (status) => {
        const query = { status, limit: 1 }
        const { total } = await bodyOf(
          api.GET('/stores/{store}/members', { params: { path: { store }, query }, signal })
        )
        return { status, total }
      })
      return Promise.all(counts)
    }
  })

/** What does not work in a store, looked at again and again while the page is shown. */
export const statusQuery = (store: string) =>
  queryOptions({
    queryKey: ['status', store],
    queryFn: ({ signal }) => bodyOf(api.GET('/status', { params: { query: { store } }, signal })),
    refetchInterval: REFRESH_MS
  })

export const alertsQuery = (store: string) =>
  queryOptions({
    queryKey: ['alerts', store],
    queryFn: async ({ signal }) => {
      const params = { path: { store }, query: { limit: MAX_ALERTS } }
      return (await bodyOf(api.GET('/stores/{store}/alerts', { params, signal }))).data
    },
    refetchInterval: REFRESH_MS
  })
