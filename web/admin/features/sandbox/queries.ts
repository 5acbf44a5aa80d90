import { api, bodyOf } from '../../shared/api/client.ts'
import type { components } from '../../shared/api/schema.ts'

export type Advanced = components['schemas']['AdvancedClock']

export const advanceClock = (store: string, body: { by: string } | { to: string }) =>
  bodyOf(api.POST('/stores/{store}/clock/advance', { params: { path: { store } }, body }))

type NewStore = { domain: string; name: string; timezone: string; currency: string; clock?: string }

export const createSandboxStore = (body: NewStore) =>
  bodyOf(api.POST('/stores', { body: { ...body, plan: 'starter', sandbox: true } }))

type Customer = { email: string; first_name?: string; last_name?: string; phone?: string }

export const createCustomer = (store: string, body: Customer) =>
  bodyOf(api.POST('/stores/{store}/sandbox/customers', { params: { path: { store } }, body }))

/** The number by which the platform knows a customer. */
export const numberOfCustomer = async (store: string, customer: string): Promise<string> => {
  const path = { store, customer }
  return (await bodyOf(api.GET('/stores/{store}/customers/{customer}', { params: { path } }))).platform_customer_id
}

export const joinPlan = (store: string, body: { customer: string; plan: string }) =>
  bodyOf(api.POST('/stores/{store}/sandbox/joins', { params: { path: { store } }, body }))

export const setCard = (store: string, body: { customer: string; outcome: string }) =>
  bodyOf(api.POST('/stores/{store}/sandbox/cards', { params: { path: { store } }, body }))

export const placeOrder = (store: string, body: { customer: string; total: string }) =>
  bodyOf(api.POST('/stores/{store}/sandbox/orders', { params: { path: { store } }, body }))
