import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../../shared/api/client.ts'
import type { components } from '../../../shared/api/schema.ts'

export type ApiKey = components['schemas']['ApiKey']

export const keysQuery = (store: string) =>
  queryOptions({
    queryKey: ['keys', store],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/stores/{store}/keys', { params: { path: { store } }, signal }))).data
  })

export const createKey = (store: string, body: { name: string; scopes: string[] }) =>
  bodyOf(api.POST('/stores/{store}/keys', { params: { path: { store } }, body }))

export const rollKey = (store: string, key: string, overlap: number) =>
  bodyOf(api.POST('/stores/{store}/keys/{key}/roll', { params: { path: { store, key } }, body: { overlap } }))

export const revokeKey = (store: string, key: string) =>
  bodyOf(api.DELETE('/stores/{store}/keys/{key}', { params: { path: { store, key } } }))

/** Times of keys are real time, also in a store with a test clock. */
export function stateOf({ expires_at, revoked_at }: ApiKey): 'active' | 'ending' | 'ended' | 'revoked' {
  if (revoked_at !== null) return 'revoked'
  if (expires_at === null) return 'active'
  return Date.parse(expires_at) > Date.now() ? 'ending' : 'ended'
}
