import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import type { components, operations } from '../../shared/api/schema.ts'

export type Rule = components['schemas']['LoyaltyRule']
export type RuleType = components['schemas']['LoyaltyRuleType']
export type Tier = components['schemas']['LoyaltyTier']
export type Template = components['schemas']['LoyaltyTemplate']
export type Coupon = components['schemas']['LoyaltyCoupon']
export type RenewalReward = components['schemas']['LoyaltySubscriptionReward']
export type Receipt = components['schemas']['LoyaltyReceipt']

type BodyOf<Name extends keyof operations> = operations[Name] extends { requestBody?: infer Body }
  ? NonNullable<Body> extends { content: { 'application/json': infer Json } }
    ? Json
    : never
  : never

export const ruleTypesQuery = queryOptions({
  queryKey: ['loyalty-rule-types'],
  queryFn: async ({ signal }) => (await bodyOf(api.GET('/loyalty/rule-types', { signal }))).data,
  staleTime: Number.POSITIVE_INFINITY
})

const inStore = (store: string) => ({ params: { path: { store } } })

export const rulesQuery = (store: string) =>
  queryOptions({
    queryKey: ['loyalty-rules', store],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/stores/{store}/loyalty/rules', { ...inStore(store), signal }))).data
  })

const ruleOf = (store: string, rule: number) => ({ params: { path: { store, rule: String(rule) } } })

export const readRule = (store: string, rule: number) =>
  bodyOf(api.GET('/stores/{store}/loyalty/rules/{rule}', ruleOf(store, rule)))
export const createRule = (store: string, body: BodyOf<'createLoyaltyRule'>) =>
  bodyOf(api.POST('/stores/{store}/loyalty/rules', { ...inStore(store), body }))
export const changeRule = (store: string, rule: number, body: BodyOf<'updateLoyaltyRule'>) =>
  bodyOf(api.PATCH('/stores/{store}/loyalty/rules/{rule}', { ...ruleOf(store, rule), body }))
export const archiveRule = (store: string, rule: number) =>
  bodyOf(api.DELETE('/stores/{store}/loyalty/rules/{rule}', ruleOf(store, rule)))

export const tiersQuery = (store: string) =>
  queryOptions({
    queryKey: ['loyalty-tiers', store],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/stores/{store}/loyalty/tiers', { ...inStore(store), signal }))).data
  })

const tierOf = (store: string, tier: number) => ({ params: { path: { store, tier: String(tier) } } })

export const readTier = (store: string, tier: number) =>
  bodyOf(api.GET('/stores/{store}/loyalty/tiers/{tier}', tierOf(store, tier)))
export const createTier = (store: string, body: BodyOf<'createLoyaltyTier'>) =>
  bodyOf(api.POST('/stores/{store}/loyalty/tiers', { ...inStore(store), body }))
export const changeTier = (store: string, tier: number, body: BodyOf<'updateLoyaltyTier'>) =>
  bodyOf(api.PATCH('/stores/{store}/loyalty/tiers/{tier}', { ...tierOf(store, tier), body }))

export const templatesQuery = (store: string) =>
  queryOptions({
    queryKey: ['loyalty-templates', store],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/stores/{store}/loyalty/templates', { ...inStore(store), signal }))).data
  })

const templateOf = (store: string, template: number) => ({ params: { path: { store, template: String(template) } } })

export const readTemplate = (store: string, template: number) =>
  bodyOf(api.GET('/stores/{store}/loyalty/templates/{template}', templateOf(store, template)))
export const createTemplate = (store: string, body: BodyOf<'createLoyaltyTemplate'>) =>
  bodyOf(api.POST('/stores/{store}/loyalty/templates', { ...inStore(store), body }))
export const changeTemplate = (store: string, template: number, body: BodyOf<'updateLoyaltyTemplate'>) =>
  bodyOf(api.PATCH('/stores/{store}/loyalty/templates/{template}', { ...templateOf(store, template), body }))

/** Which part of a list that is read by ids. */
type Part = { customer: string; before: string | undefined }

const partOf = ({ customer, before }: Part) => ({
  limit: 50,
  customer: customer || undefined,
  before: before ? Number(before) : undefined
})

export const couponsQuery = (store: string, { type, ...part }: Part & { type: string }) =>
  queryOptions({
    queryKey: ['loyalty-coupons', store, type, part],
    queryFn: ({ signal }) => {
      const query = { ...partOf(part), type: (type || undefined) as 'free_product' | undefined }
      const params = { path: { store }, query }
      return bodyOf(api.GET('/stores/{store}/loyalty/coupons', { params, signal }))
    },
    placeholderData: keepPreviousData
  })

export const endCoupon = (store: string, coupon: number) =>
  bodyOf(
    api.POST('/stores/{store}/loyalty/coupons/{coupon}/end', { params: { path: { store, coupon: String(coupon) } } })
  )

export const renewalRewardsQuery = (store: string, { status, ...part }: Part & { status: string }) =>
  queryOptions({
    queryKey: ['loyalty-renewal-rewards', store, status, part],
    queryFn: ({ signal }) => {
      const query = { ...partOf(part), status: (status || undefined) as 'active' | undefined }
      const params = { path: { store }, query }
      return bodyOf(api.GET('/stores/{store}/loyalty/subscription-rewards', { params, signal }))
    },
    placeholderData: keepPreviousData
  })

export const endRenewalReward = (store: string, reward: number) =>
  bodyOf(
    api.POST('/stores/{store}/loyalty/subscription-rewards/{reward}/end', {
      params: { path: { store, reward: String(reward) } }
    })
  )

export const receiptsQuery = (store: string, { status, ...part }: Part & { status: string }) =>
  queryOptions({
    queryKey: ['loyalty-receipts', store, status, part],
    queryFn: ({ signal }) => {
      const query = { ...partOf(part), status: (status || undefined) as 'waiting' | undefined }
      const params = { path: { store }, query }
      return bodyOf(api.GET('/stores/{store}/loyalty/receipts', { params, signal }))
    },
    placeholderData: keepPreviousData
  })

const receiptOf = (store: string, receipt: number) => ({ params: { path: { store, receipt: String(receipt) } } })

export const approveReceipt = (store: string, receipt: number, body: BodyOf<'approveLoyaltyReceipt'>) =>
  bodyOf(api.POST('/stores/{store}/loyalty/receipts/{receipt}/approve', { ...receiptOf(store, receipt), body }))
export const refuseReceipt = (store: string, receipt: number, reason: string) =>
  bodyOf(
    api.POST('/stores/{store}/loyalty/receipts/{receipt}/refuse', { ...receiptOf(store, receipt), body: { reason } })
  )

export const referralsQuery = (store: string, { status, ...part }: Part & { status: string }) =>
  queryOptions({
    queryKey: ['loyalty-referrals', store, status, part],
    queryFn: ({ signal }) => {
      const query = { ...partOf(part), status: (status || undefined) as 'counted' | undefined }
      const params = { path: { store }, query }
      return bodyOf(api.GET('/stores/{store}/loyalty/referrals', { params, signal }))
    },
    placeholderData: keepPreviousData
  })

/** What an order would earn. */
export const dryRunQuery = (store: string, customer: string, order: object) =>
  queryOptions({
    queryKey: ['loyalty-preview', store, customer, order],
    queryFn: ({ signal }) => {
      const body = { platform_order: order as Record<string, never>, ...(customer && { customer }) }
      return bodyOf(api.POST('/stores/{store}/loyalty/preview', { ...inStore(store), body, signal }))
    },
    placeholderData: keepPreviousData,
    retry: false
  })
