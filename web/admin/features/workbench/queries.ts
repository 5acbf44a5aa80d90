import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import { ApiError } from '../../shared/api/errors.ts'
import type { components } from '../../shared/api/schema.ts'
import type { EventType } from '../../shared/texts/event-types.ts'

export type LoggedEvent = components['schemas']['Event']
export type ApiRequest = components['schemas']['ApiRequest']
export type Filters = { type: string; customer: string; request: string }
type Latest = { events: LoggedEvent[]; total: number; nextSince: number; nextBefore: number | null }

const PAGE_SIZE = 50
const MAX_NEW = 100
/** So many stay in a list that grows by itself. */
const MAX_SHOWN = 200
const POLL_MS = 3000

const givenOf = ({ type, customer, request }: Filters) => ({
  ...(type && { type: type as EventType }),
  ...(request ? { request } : customer && { customer })
})

/** The newest events; while it is live, those after the last one are added every few seconds for as long as the page is visible. */
export const latestEventsQuery = (store: string, filters: Filters, isLive: boolean) =>
  queryOptions({
    queryKey: ['events', store, filters],
    queryFn: async ({ client, queryKey, signal }) => {
      const known = client.getQueryData<Latest>(queryKey)
      return known ? addNewer(store, filters, known, signal) : newest(store, filters, undefined, signal)
    },
    refetchInterval: isLive ? POLL_MS : false,
    refetchOnWindowFocus: isLive
  })

/** The part of the list before an event. */
export const olderEventsQuery = (store: string, filters: Filters, before: number) =>
  queryOptions({
    queryKey: ['events', store, filters, before],
    queryFn: ({ signal }) => newest(store, filters, before, signal)
  })

async function newest(
  store: string,
  filters: Filters,
  before: number | undefined,
  signal: AbortSignal
): Promise<Latest> {
  const query = { ...givenOf(filters), sort: 'newest' as const, limit: PAGE_SIZE, ...(before && { before }) }
  const page = await bodyOf(api.GET('/stores/{store}/events', { params: { path: { store }, query }, signal }))
  return { events: page.data, total: page.total, nextSince: page.next_since, nextBefore: page.next_before }
}

async function addNewer(store: string, filters: Filters, known: Latest, signal: AbortSignal): Promise<Latest> {
  const query = { ...givenOf(filters), since: known.nextSince, limit: MAX_NEW }
  const call = api.GET('/stores/{store}/events', { params: { path: { store }, query }, signal })
  const page = await bodyOf(call).catch((err) => {
    // After a restore the numbers are others.
    if (err instanceof ApiError && err.status === 400) return null
    throw err
  })
  if (!page) return newest(store, filters, undefined, signal)
  const all = [...page.data.toReversed(), ...known.events]
  const events = all.slice(0, MAX_SHOWN)
  return {
    events,
    total: known.total + page.data.length,
    nextSince: page.next_since,
    nextBefore: all.length > MAX_SHOWN ? events.at(-1)!.sequence : known.nextBefore
  }
}

/** One event by its number; null when it is not kept. */
export const eventQuery = (store: string, sequence: number) =>
  queryOptions({
    queryKey: ['event', store, sequence],
    queryFn: async ({ signal }) => {
      const params = { path: { store }, query: { since: sequence - 1, limit: 1 } }
      const page = await bodyOf(api.GET('/stores/{store}/events', { params, signal })).catch((err) => {
        if (err instanceof ApiError && err.status === 400) return null
        throw err
      })
      const found = page?.data[0]
      return found?.sequence === sequence ? found : null
    }
  })

export const deliveriesOfEventQuery = (store: string, event: string) =>
  queryOptions({
    queryKey: ['event-deliveries', store, event],
    queryFn: async ({ signal }) => {
      const params = { path: { store }, query: { event_id: event, limit: 100 } }
      return (await bodyOf(api.GET('/stores/{store}/webhook-deliveries', { params, signal }))).data
    },
    refetchInterval: ({ state }) =>
      state.data?.some(({ status, tries }) => status === 'retrying' && tries === 0) ? 2000 : false
  })

export const deadLettersQuery = (store: string, before: string | undefined) =>
  queryOptions({
    queryKey: ['dead-letters', store, before],
    queryFn: ({ signal }) => {
      const params = { path: { store }, query: { limit: PAGE_SIZE, ...(before && { before }) } }
      return bodyOf(api.GET('/stores/{store}/dead-letters', { params, signal }))
    }
  })

export const retryDeadLetter = (store: string, dead_letter: string) => {
  const params = { path: { store, dead_letter } }
  return bodyOf(api.POST('/stores/{store}/dead-letters/{dead_letter}/retry', { params, body: {} }))
}

/** The requests to the APIs; read again while the page is visible, since they come by themselves. */
export const requestsQuery = (store: string, before: number | undefined, request: string) =>
  queryOptions({
    queryKey: ['requests', store, before, request],
    queryFn: ({ signal }) => {
      const query = { limit: PAGE_SIZE, ...(before && { before }), ...(request && { request }) }
      return bodyOf(api.GET('/stores/{store}/requests', { params: { path: { store }, query }, signal }))
    },
    refetchInterval: before === undefined ? POLL_MS : false
  })

export const changesQuery = (store: string, before: number | undefined, request: string) =>
  queryOptions({
    queryKey: ['changes', store, before, request],
    queryFn: ({ signal }) => {
      const params = { query: { store, limit: PAGE_SIZE, ...(before && { before }), ...(request && { request }) } }
      return bodyOf(api.GET('/changes', { params, signal }))
    }
  })
