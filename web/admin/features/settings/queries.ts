import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import type { components } from '../../shared/api/schema.ts'

export type Settings = components['schemas']['Settings']
export type StorefrontSetting = components['schemas']['StorefrontSetting']
export type ShopMetafield = components['schemas']['ShopMetafield']

export const readSettings = (store: string, signal?: AbortSignal) =>
  bodyOf(api.GET('/stores/{store}/settings', { params: { path: { store } }, ...(signal && { signal }) }))

export const settingsQuery = (store: string) =>
  queryOptions({ queryKey: ['settings', store], queryFn: ({ signal }) => readSettings(store, signal) })

/** What is sent was entered in a form of the fields of the API, which says what it does not accept. */
export const saveSettings = (store: string, change: Record<string, unknown>) =>
  bodyOf(api.PATCH('/stores/{store}/settings', { params: { path: { store } }, body: change as never }))

export const readStorefrontSettings = async (store: string, signal?: AbortSignal) => {
  const params = { path: { store } }
  return (await bodyOf(api.GET('/stores/{store}/storefront-settings', { params, ...(signal && { signal }) }))).data
}

export const storefrontSettingsQuery = (store: string) =>
  queryOptions({
    queryKey: ['storefront-settings', store],
    queryFn: ({ signal }) => readStorefrontSettings(store, signal)
  })

export const saveStorefrontSetting = (store: string, setting: string, value: Record<string, unknown>) =>
  bodyOf(
    api.PATCH('/stores/{store}/storefront-settings/{setting}', {
      params: { path: { store, setting } },
      body: { value: value as never }
    })
  )

const WAITING_REFRESH_MS = 2_000

/** The metafields of the shop beside what the platform has; read again while something is under way. */
export const shopMetafieldsQuery = (store: string) =>
  queryOptions({
    queryKey: ['shop-metafields', store],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/stores/{store}/metafields/shop', { params: { path: { store } }, signal })),
    refetchInterval: ({ state }) => (state.data?.waiting ? WAITING_REFRESH_MS : false)
  })

export const metafieldDifferencesQuery = (store: string, after: string | undefined) =>
  queryOptions({
    queryKey: ['metafield-differences', store, after],
    queryFn: ({ signal }) => {
      const query = after === undefined ? {} : { after }
      return bodyOf(api.GET('/stores/{store}/metafields', { params: { path: { store }, query }, signal }))
    }
  })

export const tagDifferencesQuery = (store: string, after: string | undefined) =>
  queryOptions({
    queryKey: ['tag-differences', store, after],
    queryFn: ({ signal }) => {
      const query = after === undefined ? {} : { after }
      return bodyOf(api.GET('/stores/{store}/tags', { params: { path: { store }, query }, signal }))
    }
  })

/** Of one customer, or of the shop and all customers. */
export const syncMetafields = (store: string, customer?: string) =>
  bodyOf(
    api.POST('/stores/{store}/metafields/sync', {
      params: { path: { store } },
      body: customer === undefined ? {} : { customer }
    })
  )

/** Of one customer or order, or of all. */
export const syncTags = (store: string, owner: { customer?: string; order?: string } = {}) =>
  bodyOf(api.POST('/stores/{store}/tags/sync', { params: { path: { store } }, body: owner }))
