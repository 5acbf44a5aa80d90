import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import type { components, operations } from '../../shared/api/schema.ts'

export type Offer = components['schemas']['ChurnOffer']
export type Reason = components['schemas']['CancellationReason']
export type AcceptedOffer = components['schemas']['AcceptedOffer']
export type Report = components['schemas']['ChurnReport']
type NewOffer = NonNullable<operations['createChurnOffer']['requestBody']>['content']['application/json']

type OfferChange = NonNullable<operations['updateChurnOffer']['requestBody']>['content']['application/json']

export const offersQuery = (store: string) =>
  queryOptions({ queryKey: ['churn-offers', store], queryFn: ({ signal }) => readOffers(store, signal) })

const readOffers = async (store: string, signal?: AbortSignal) =>
  (await bodyOf(api.GET('/stores/{store}/churn/offers', { params: { path: { store } }, signal: signal ?? null }))).data

export const readOffer = (store: string, offer: number) =>
  bodyOf(api.GET('/stores/{store}/churn/offers/{offer}', { params: { path: { store, offer: String(offer) } } }))

export const changeOffer = (store: string, offer: number, body: OfferChange) =>
  bodyOf(api.PATCH('/stores/{store}/churn/offers/{offer}', { params: { path: { store, offer: String(offer) } }, body }))

export const createOffer = (store: string, body: NewOffer) =>
  bodyOf(api.POST('/stores/{store}/churn/offers', { params: { path: { store } }, body }))

export const reasonsQuery = (store: string) =>
  queryOptions({ queryKey: ['churn-reasons', store], queryFn: ({ signal }) => readReasons(store, signal) })

export const readReasons = async (store: string, signal?: AbortSignal) =>
  (await bodyOf(api.GET('/stores/{store}/churn/reasons', { params: { path: { store } }, signal: signal ?? null }))).data

type ReasonChange = NonNullable<operations['updateCancellationReason']['requestBody']>['content']['application/json']

export const changeReason = (store: string, reason: string, body: ReasonChange) =>
  bodyOf(api.PATCH('/stores/{store}/churn/reasons/{reason}', { params: { path: { store, reason } }, body }))

export const acceptedQuery = (
  store: string,
  filters: { status: string; contract: string; offer: string; before: string | undefined }
) =>
  queryOptions({
    queryKey: ['accepted-offers', store, filters],
    queryFn: ({ signal }) => {
      const query = {
        limit: 50,
        status: (filters.status || undefined) as 'active' | 'cancelled' | undefined,
        contract: filters.contract || undefined,
        offer: filters.offer ? Number(filters.offer) : undefined,
        before: filters.before ? Number(filters.before) : undefined
      }
      return bodyOf(api.GET('/stores/{store}/churn/accepted-offers', { params: { path: { store }, query }, signal }))
    },
    placeholderData: keepPreviousData
  })

export const revoke = (store: string, id: number) =>
  bodyOf(
    api.POST('/stores/{store}/churn/accepted-offers/{accepted_offer}/revoke', {
      params: { path: { store, accepted_offer: String(id) } }
    })
  )

export const reportQuery = (store: string, months: number) =>
  queryOptions({
    queryKey: ['churn-report', store, months],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/stores/{store}/churn/report', { params: { path: { store }, query: { months } }, signal })),
    placeholderData: keepPreviousData
  })

/** What each offer would do to a contract. */
export const previewQuery = (store: string, contract: string) =>
  queryOptions({
    queryKey: ['churn-preview', store, contract],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/stores/{store}/churn/preview', { params: { path: { store }, query: { contract } }, signal })),
    enabled: contract !== ''
  })
