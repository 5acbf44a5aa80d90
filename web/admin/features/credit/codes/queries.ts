import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../../shared/api/client.ts'
import type { components } from '../../../shared/api/schema.ts'
import { integerOf } from '../../../shared/forms/integer-of.ts'

export type CreditCode = components['schemas']['StoreCreditCode']

const REFRESH_MS = 3_000

/** Whether the platform has yet to do something about it. */
const isOnItsWay = ({ status }: CreditCode) => status === 'pending' || status === 'ending'

/** Whether it can be ended before its time. */
export const isOpen = ({ status }: CreditCode) => status === 'pending' || status === 'active'

const codesOf = (store: string, customer: string) => ({ params: { path: { store, customer } } })

/** The codes of a customer, read again while the platform makes or ends one. */
export const codesQuery = (store: string, customer: string) =>
  queryOptions({
    queryKey: ['credit-codes', store, customer],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/stores/{store}/store-credits/{customer}/codes', { ...codesOf(store, customer), signal })))
        .data,
    refetchInterval: ({ state }) => (state.data?.some(isOnItsWay) ? REFRESH_MS : false)
  })

/** What is entered, by the names of the API; what is left out is decided by the service. */
export type EnteredCode = { amount?: string; duration?: string }

export const createCode = (store: string, customer: string, { amount, duration }: EnteredCode) =>
  bodyOf(
    api.POST('/stores/{store}/store-credits/{customer}/codes', {
      ...codesOf(store, customer),
      body: { ...(amount && { amount }), ...(duration && { duration: integerOf(duration) }) }
    })
  )

export const revokeCode = (store: string, customer: string, code: string) =>
  bodyOf(
    api.POST('/stores/{store}/store-credits/{customer}/codes/{code_id}/revoke', {
      params: { path: { store, customer, code_id: code } },
      body: {}
    })
  )
