import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import type { components, operations } from '../../shared/api/schema.ts'
import { type Cart, cartBody } from './cart/cart.ts'

export type Plan = components['schemas']['Plan']
export type PlanWithVersions = components['schemas']['PlanWithVersions']
export type Perks = Plan['perks']
export type CartPrice = components['schemas']['CartPrice']
export type VersionPreview = components['schemas']['PlanVersionPreview']
/** What a PATCH of a plan accepts. */
export type PlanChange = NonNullable<operations['updatePlan']['requestBody']>['content']['application/json']

export const plansQuery = (store: string) =>
  queryOptions({
    queryKey: ['plans', store],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/stores/{store}/plans', { params: { path: { store } }, signal }))).data
  })

export const planQuery = (store: string, plan: string) =>
  queryOptions({ queryKey: ['plan', store, plan], queryFn: ({ signal }) => readPlan(store, plan, signal) })

export const readPlan = (store: string, plan: string, signal?: AbortSignal) =>
  bodyOf(api.GET('/stores/{store}/plans/{plan}', { params: { path: { store, plan } }, signal: signal ?? null }))

export const changePlan = (store: string, plan: string, body: PlanChange) =>
  bodyOf(api.PATCH('/stores/{store}/plans/{plan}', { params: { path: { store, plan } }, body }))

/** What a cart costs a member of a plan, and why; without a plan somebody who never was one. `perks`: as if they were saved. */
export const cartPriceQuery = (store: string, cart: Cart, plan: string | null, perks?: PlanChange['perks']) =>
  queryOptions({
    queryKey: ['cart-price', store, plan, cart, perks],
    queryFn: ({ signal }) => {
      const body = { cart: cartBody(cart), ...(plan && { plan_id: plan }), ...(perks && { perks }) }
      return bodyOf(api.POST('/stores/{store}/pricing/preview', { params: { path: { store } }, body, signal }))
    },
    placeholderData: keepPreviousData,
    retry: false
  })

export const settingsQuery = (store: string) =>
  queryOptions({ queryKey: ['settings', store], queryFn: ({ signal }) => readSettings(store, signal) })

export const readSettings = (store: string, signal?: AbortSignal) =>
  bodyOf(api.GET('/stores/{store}/settings', { params: { path: { store } }, signal: signal ?? null }))
