import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import { pagingOf } from '../../shared/api/paging.ts'
import type { components } from '../../shared/api/schema.ts'

export type Attempt = components['schemas']['BillingAttempt']

export const STATUSES = ['pending', 'success', 'failed'] as const

export type AttemptFilters = { status: string; from: string; to: string; page: number }

/** A page of charges. The last one stays while the next is read. */
export const attemptsQuery = (store: string, { status, from, to, page }: AttemptFilters) =>
  queryOptions({
    queryKey: ['attempts', store, { status, from, to, page }],
    queryFn: ({ signal }) => {
      const query = {
        ...pagingOf(page),
        status: STATUSES.find((one) => one === status),
        date_from: from || undefined,
        date_to: to || undefined
      }
      return bodyOf(api.GET('/stores/{store}/billing-attempts', { params: { path: { store }, query }, signal }))
    },
    placeholderData: keepPreviousData
  })

const PENDING_REFRESH_MS = 2_000

/** A charge, read again and again while its outcome is not known. */
export const attemptQuery = (store: string, attempt: string) =>
  queryOptions({
    queryKey: ['attempt', store, attempt],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/stores/{store}/billing-attempts/{attempt}', { params: { path: { store, attempt } }, signal })),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? PENDING_REFRESH_MS : false)
  })

const MAX_TRIES = 100

/** All tries of a cycle, the first one first. */
export const ladderQuery = (store: string, { subscription_id, cycle_index }: Attempt) =>
  queryOptions({
    queryKey: ['ladder', store, subscription_id, cycle_index],
    queryFn: async ({ signal }) => {
      const params = { path: { store }, query: { subscription_id, limit: MAX_TRIES } }
      const { data } = await bodyOf(api.GET('/stores/{store}/billing-attempts', { params, signal }))
      const ofCycle = data.filter((one) => one.cycle_index === cycle_index)
      return ofCycle.toSorted((a, b) => a.attempt_number - b.attempt_number)
    },
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'pending') ? PENDING_REFRESH_MS : false
  })

export const recoveryQuery = (store: string) =>
  queryOptions({
    queryKey: ['recovery', store],
    queryFn: ({ signal }) => bodyOf(api.GET('/stores/{store}/analytics', { params: { path: { store } }, signal }))
  })
