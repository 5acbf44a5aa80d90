import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../../shared/api/client.ts'
import type { components } from '../../../shared/api/schema.ts'

export type Connection = components['schemas']['PlatformConnection']

export const connectionQuery = (store: string) =>
  queryOptions({
    queryKey: ['platform', store],
    queryFn: ({ signal }) => bodyOf(api.GET('/stores/{store}/platform', { params: { path: { store } }, signal }))
  })

export const appQuery = queryOptions({
  queryKey: ['platform-app'],
  queryFn: ({ signal }) => bodyOf(api.GET('/platform/app', { signal }))
})

/** Asks the platform, which may take its time or be down. */
export const platformWebhooksQuery = (store: string) =>
  queryOptions({
    queryKey: ['platform-webhooks', store],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/stores/{store}/platform/webhooks', { params: { path: { store } }, signal }))).data,
    staleTime: 60_000
  })

export const discountsQuery = (store: string) =>
  queryOptions({
    queryKey: ['platform-discounts', store],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/stores/{store}/platform/discounts', { params: { path: { store } }, signal }))
  })

export const checkConnection = (store: string) =>
  bodyOf(api.POST('/stores/{store}/platform/check', { params: { path: { store } } }))

export const syncDiscounts = (store: string) =>
  bodyOf(api.POST('/stores/{store}/platform/discounts/sync', { params: { path: { store } } }))

type Credentials = { platform_url?: string; access_token?: string; app_secret?: string; proxy_secret?: string }

export const connectStore = (store: string, body: Credentials) =>
  bodyOf(api.POST('/stores/{store}/connect', { params: { path: { store } }, body }))

export const disconnectStore = (store: string) =>
  bodyOf(api.POST('/stores/{store}/disconnect', { params: { path: { store } } }))

export const deleteStore = (store: string, name: string) =>
  bodyOf(api.POST('/stores/{store}/delete', { params: { path: { store } }, body: { name } }))
