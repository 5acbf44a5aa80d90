import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../../shared/api/client.ts'
import type { components, operations } from '../../../shared/api/schema.ts'

export type Wallet = components['schemas']['Wallet']
export type Campaign = components['schemas']['SaleCampaign']
export type WalletKind = 'apple' | 'google'

type BodyOf<Name extends 'setAppleWallet' | 'setGoogleWallet'> =
  operations[Name]['requestBody']['content']['application/json']

/** Everything that is entered of a sale. */
type CampaignBody = Omit<Campaign, 'id' | 'status' | 'created_at' | 'updated_at'>

const inStore = (store: string) => ({ params: { path: { store } } })

/** Which wallets are set up, without their secrets, and what became of the passes. */
export const walletQuery = (store: string) =>
  queryOptions({
    queryKey: ['wallet', store],
    queryFn: ({ signal }) => bodyOf(api.GET('/stores/{store}/wallet', { ...inStore(store), signal }))
  })

export const setApple = (store: string, body: BodyOf<'setAppleWallet'>) =>
  bodyOf(api.POST('/stores/{store}/wallet/apple', { ...inStore(store), body }))
export const setGoogle = (store: string, body: BodyOf<'setGoogleWallet'>) =>
  bodyOf(api.POST('/stores/{store}/wallet/google', { ...inStore(store), body }))
export const removeWallet = (store: string, wallet: WalletKind) =>
  bodyOf(api.DELETE('/stores/{store}/wallet/{wallet}', { params: { path: { store, wallet } } }))
export const refreshPasses = (store: string) => bodyOf(api.POST('/stores/{store}/wallet/refresh', inStore(store)))

export const readCampaigns = async (store: string, signal?: AbortSignal) =>
  (await bodyOf(api.GET('/stores/{store}/wallet/campaigns', { ...inStore(store), ...(signal && { signal }) }))).data

export const campaignsQuery = (store: string) =>
  queryOptions({ queryKey: ['wallet-campaigns', store], queryFn: ({ signal }) => readCampaigns(store, signal) })

const campaignOf = (store: string, campaign: string) => ({ params: { path: { store, campaign } } })

export const addCampaign = (store: string, body: CampaignBody) =>
  bodyOf(api.POST('/stores/{store}/wallet/campaigns', { ...inStore(store), body }))
export const changeCampaign = (store: string, campaign: string, body: CampaignBody) =>
  bodyOf(api.PATCH('/stores/{store}/wallet/campaigns/{campaign}', { ...campaignOf(store, campaign), body }))
export const removeCampaign = (store: string, campaign: string) =>
  bodyOf(api.DELETE('/stores/{store}/wallet/campaigns/{campaign}', campaignOf(store, campaign)))
