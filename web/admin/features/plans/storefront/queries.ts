import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../../shared/api/client.ts'
import type { components } from '../../../shared/api/schema.ts'

export type Setting = components['schemas']['StorefrontSetting']

export const storefrontQuery = (store: string) =>
  queryOptions({ queryKey: ['storefront-settings', store], queryFn: ({ signal }) => readSettings(store, signal) })

export const readSettings = async (store: string, signal?: AbortSignal) =>
  (
    await bodyOf(
      api.GET('/stores/{store}/storefront-settings', { params: { path: { store } }, signal: signal ?? null })
    )
  ).data
