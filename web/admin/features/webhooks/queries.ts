import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import type { components } from '../../shared/api/schema.ts'

export type Endpoint = components['schemas']['WebhookEndpoint']
export type Delivery = components['schemas']['WebhookDelivery']
export type DeliveryDetail = components['schemas']['WebhookDeliveryDetail']
type EndpointInput = { url: string; events: string[] | null; description: string }

const PAGE_SIZE = 50

export const endpointsQuery = (store: string) =>
  queryOptions({
    queryKey: ['webhook-endpoints', store],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/stores/{store}/webhooks', { params: { path: { store } }, signal }))).data
  })

export const endpointQuery = (store: string, endpoint: string) =>
  queryOptions({
    queryKey: ['webhook-endpoint', store, endpoint],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/stores/{store}/webhooks/{endpoint}', { params: { path: { store, endpoint } }, signal }))
  })

/** Without types it receives every one, those to come included. */
export const createEndpoint = (store: string, { events, ...input }: EndpointInput) => {
  const body = { ...input, ...(events && { events }) }
  return bodyOf(api.POST('/stores/{store}/webhooks', { params: { path: { store } }, body }))
}

export const updateEndpoint = (store: string, endpoint: string, body: EndpointInput) =>
  bodyOf(api.PATCH('/stores/{store}/webhooks/{endpoint}', { params: { path: { store, endpoint } }, body }))

export const deleteEndpoint = (store: string, endpoint: string) =>
  bodyOf(api.DELETE('/stores/{store}/webhooks/{endpoint}', { params: { path: { store, endpoint } } }))

export const enableEndpoint = (store: string, endpoint: string) =>
  bodyOf(api.POST('/stores/{store}/webhooks/{endpoint}/enable', { params: { path: { store, endpoint } }, body: {} }))

export const disableEndpoint = (store: string, endpoint: string, reason: string) => {
  const body = reason.trim() === '' ? {} : { reason: reason.trim() }
  return bodyOf(
    api.POST('/stores/{store}/webhooks/{endpoint}/disable', { params: { path: { store, endpoint } }, body })
  )
}

export const rollSecret = (store: string, endpoint: string, overlap: number) => {
  const params = { path: { store, endpoint } }
  return bodyOf(api.POST('/stores/{store}/webhooks/{endpoint}/roll', { params, body: { overlap } }))
}

export const endRoll = (store: string, endpoint: string) =>
  bodyOf(api.POST('/stores/{store}/webhooks/{endpoint}/end-roll', { params: { path: { store, endpoint } }, body: {} }))

export const sendTest = (store: string, endpoint: string, event: string) => {
  const params = { path: { store, endpoint } }
  return bodyOf(api.POST('/stores/{store}/webhooks/{endpoint}/test', { params, body: { event } }))
}

export type DeliveryFilters = {
  event: string
  status: string
  endpoint: string
  object: string
  event_id: string
  from: string
  to: string
}

/** Deliveries, newest first; asked again while one of them waits to be sent. */
export const deliveriesQuery = (store: string, filters: Partial<DeliveryFilters>, before: string | undefined) =>
  queryOptions({
    queryKey: ['webhook-deliveries', store, filters, before],
    queryFn: ({ signal }) => {
      const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value))
      const query = { ...given, limit: PAGE_SIZE, ...(before && { before }) }
      return bodyOf(api.GET('/stores/{store}/webhook-deliveries', { params: { path: { store }, query }, signal }))
    },
    refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? 2000 : false)
  })

export const deliveryQuery = (store: string, delivery: string) =>
  queryOptions({
    queryKey: ['webhook-delivery', store, delivery],
    queryFn: ({ signal }) => {
      const params = { path: { store, webhook_id: delivery } }
      return bodyOf(api.GET('/stores/{store}/webhook-deliveries/{webhook_id}', { params, signal }))
    },
    refetchInterval: ({ state: { data } }) => {
      if (data?.status !== 'retrying') return false
      return isUnderWay(data) ? 1000 : 10_000
    }
  })

/** A delivery that was not tried yet is sent within moments. */
const isUnderWay = ({ status, tries }: Pick<Delivery, 'status' | 'tries'>) => status === 'retrying' && tries === 0

export const resendDelivery = (store: string, webhook_id: string) => {
  const params = { path: { store, webhook_id } }
  return bodyOf(api.POST('/stores/{store}/webhook-deliveries/{webhook_id}/resend', { params, body: {} }))
}

type Resend = { since: string; endpoint: string }

/** What a bulk resend would send now. */
export const resendPreviewQuery = (store: string, { since, endpoint }: Resend) =>
  queryOptions({
    queryKey: ['webhook-resend-preview', store, since, endpoint],
    queryFn: ({ signal }) => {
      const params = { path: { store }, query: { since, ...(endpoint && { endpoint }) } }
      return bodyOf(api.GET('/stores/{store}/webhook-deliveries/resend-failed', { params, signal }))
    },
    enabled: since !== '',
    retry: false
  })

export const resendFailed = (store: string, { since, endpoint, missed }: Resend & { missed: boolean }) => {
  const body = { since, ...(endpoint && { endpoint, missed }) }
  return bodyOf(api.POST('/stores/{store}/webhook-deliveries/resend-failed', { params: { path: { store } }, body }))
}
