import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../../shared/api/client.ts'
import { ifNone } from '../../../shared/api/errors.ts'
import type { components } from '../../../shared/api/schema.ts'
import { integerOf } from '../../../shared/forms/integer-of.ts'

export type ReadInPart = components['schemas']['ReadIn']['parts'][number]

const REFRESH_MS = 2_000

const whileRunning = (status: string | undefined) => (status === 'running' ? REFRESH_MS : false)

const inStore = (store: string) => ({ params: { path: { store } } })

/** How far the store is read in; null when nobody has asked for it. */
export const readInQuery = (store: string) =>
  queryOptions({
    queryKey: ['read-in', store],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/stores/{store}/platform/read-in', { ...inStore(store), signal })).catch(ifNone),
    refetchInterval: ({ state }) => whileRunning(state.data?.status)
  })

export const startReadIn = (store: string, days: string) =>
  bodyOf(
    api.POST('/stores/{store}/platform/read-in', {
      ...inStore(store),
      body: days.trim() === '' ? {} : { orders_days: integerOf(days) }
    })
  )

/** The import of orders that is under way, or the last one; null when there was none. */
export const orderImportQuery = (store: string) =>
  queryOptions({
    queryKey: ['order-import', store],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/stores/{store}/order-import', { ...inStore(store), signal })).catch(ifNone),
    refetchInterval: ({ state }) => whileRunning(state.data?.status)
  })

export const startOrderImport = (store: string, since: string) =>
  bodyOf(api.POST('/stores/{store}/order-import', { ...inStore(store), body: { since } }))
