import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import type { components } from '../../shared/api/schema.ts'

export type Account = components['schemas']['CreditAccount']
export type Customer = components['schemas']['Customer']

/** A customer by id, number or e-mail address, with their account of store credit. */
export const accountQuery = (store: string, named: string) =>
  queryOptions({
    queryKey: ['credit-account', store, named],
    queryFn: async ({ signal }) => {
      const params = { path: { store, customer: named } }
      const customer = await bodyOf(api.GET('/stores/{store}/customers/{customer}', { params, signal }))
      return { customer, account: await readAccount(store, customer.id, signal) }
    }
  })

export const readAccount = (store: string, customer: string, signal?: AbortSignal) =>
  bodyOf(
    api.GET('/stores/{store}/store-credits/{customer}', {
      params: { path: { store, customer } },
      ...(signal && { signal })
    })
  )

export const onPlatformQuery = (store: string, customer: string) =>
  queryOptions({
    queryKey: ['credit-on-platform', store, customer],
    queryFn: ({ signal }) => {
      const params = { path: { store, customer } }
      return bodyOf(api.GET('/stores/{store}/store-credits/{customer}/platform', { params, signal }))
    }
  })

export type Adjustment = 'add' | 'deduct' | 'reconcile' | 'forfeit'

/** What is entered in the form of an adjustment, by the names of the API. */
export type Entered = { amount: string; reason: string; expires_at: string }

export function adjust(store: string, customer: string, kind: Adjustment, entered: Entered): Promise<Account> {
  const params = { path: { store, customer } }
  const { amount, reason, expires_at } = entered
  if (kind === 'forfeit') {
    return bodyOf(api.POST('/stores/{store}/store-credits/{customer}/forfeit', { params, body: { reason } }))
  }
  if (kind === 'reconcile') {
    const body = { balance: amount.trim(), reason }
    return bodyOf(api.POST('/stores/{store}/store-credits/{customer}/reconcile', { params, body }))
  }
  if (kind === 'deduct') {
    const body = { amount: amount.trim(), reason }
    return bodyOf(api.POST('/stores/{store}/store-credits/{customer}/deduct', { params, body }))
  }
  const body = { amount: amount.trim(), reason, ...(expires_at !== '' && { expires_at }) }
  return bodyOf(api.POST('/stores/{store}/store-credits/{customer}/add', { params, body }))
}

export const expireCredit = (store: string) =>
  bodyOf(api.POST('/stores/{store}/store-credits/expire', { params: { path: { store } }, body: {} }))

/** Of one customer, or of all who have credit. */
export const reconcileWithPlatform = (store: string, customer?: string) =>
  bodyOf(
    api.POST('/stores/{store}/store-credits/reconcile', {
      params: { path: { store } },
      body: customer === undefined ? {} : { customer }
    })
  )
