import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../../shared/api/client.ts'
import type { components, operations } from '../../../shared/api/schema.ts'

export type Integration = components['schemas']['RewardIntegration']
type Change = operations['setRewardIntegration']['requestBody']['content']['application/json']

export const integrationsQuery = (store: string) =>
  queryOptions({
    queryKey: ['reward-integrations', store],
    queryFn: async ({ signal }) => {
      const params = { path: { store } }
      return (await bodyOf(api.GET('/stores/{store}/reward-integrations', { params, signal }))).data
    },
    // While balances are pulled, so that its end is seen.
    refetchInterval: ({ state }) => (state.data?.some(({ pull }) => pull?.status === 'running') ? 2000 : false)
  })

export const setIntegration = (store: string, body: Change) =>
  bodyOf(api.POST('/stores/{store}/reward-integrations', { params: { path: { store } }, body }))

export const pullBalances = (store: string, integration: string) => {
  const params = { path: { store, integration } }
  return bodyOf(api.POST('/stores/{store}/reward-integrations/{integration}/pull', { params }))
}

export const removeIntegration = (store: string, integration: string) => {
  const params = { path: { store, integration } }
  return bodyOf(api.DELETE('/stores/{store}/reward-integrations/{integration}', { params }))
}
