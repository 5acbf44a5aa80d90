import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import type { components } from '../../shared/api/schema.ts'
import type { Period } from './period.ts'

const REFRESH_MS = 30_000
const MAX_ALERTS = 10

export type Metrics = components['schemas']['AnalyticsOverview']

/** Metrics of a period; those of the last one stay while others are read. */
export const metricsQuery = (store: string, period: Period, plan: string) =>
  queryOptions({
    queryKey: ['metrics', store, period, plan],
    queryFn: ({ signal }) => {
      const query = { period, ...(plan !== '' && { plan_id: plan }) }
      return bodyOf(api.GET('/stores/{store}/analytics', { params: { path: { store }, query }, signal }))
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS
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
