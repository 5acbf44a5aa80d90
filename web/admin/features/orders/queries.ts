import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import type { components } from '../../shared/api/schema.ts'

export type Order = components['schemas']['Order']
export type OrderSummary = components['schemas']['OrderSummary']

/** A part of the orders, the last ones to become known first. */
export const ordersQuery = (store: string, customer: string, before: string | undefined) =>
  queryOptions({
    queryKey: ['orders', store, customer, before],
    queryFn: ({ signal }) => {
      const query = { customer: customer || undefined, before }
      return bodyOf(api.GET('/stores/{store}/orders', { params: { path: { store }, query }, signal }))
    },
    placeholderData: keepPreviousData
  })

export const orderQuery = (store: string, order: string) =>
  queryOptions({
    queryKey: ['order', store, order],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/stores/{store}/orders/{order}', { params: { path: { store, order } }, signal }))
  })
