import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import { pagingOf } from '../../shared/api/paging.ts'
import type { components } from '../../shared/api/schema.ts'

export type Subscription = components['schemas']['Subscription']

export const STATUSES = ['active', 'paused', 'cancelled', 'failed', 'expired'] as const

export type SubscriptionFilters = { status: string; plan: string; page: number }

/** A page of subscriptions. The last one stays while the next is read. */
export const subscriptionsQuery = (store: string, { status, plan, page }: SubscriptionFilters) =>
  queryOptions({
    queryKey: ['subscriptions', store, { status, plan, page }],
    queryFn: ({ signal }) => {
      const query = {
        ...pagingOf(page),
        status: STATUSES.find((one) => one === status),
        plan_id: plan || undefined
      }
      return bodyOf(api.GET('/stores/{store}/subscriptions', { params: { path: { store }, query }, signal }))
    },
    placeholderData: keepPreviousData
  })

export const subscriptionQuery = (store: string, id: string) =>
  queryOptions({
    queryKey: ['subscription', store, id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/stores/{store}/subscriptions/{id}', { params: { path: { store, id } }, signal }))
  })

export type Action = 'pause' | 'resume' | 'skip' | 'cancel' | 'reactivate'

/** What is entered for an action, as its request has it. */
export type Entered = { duration?: number; next_billing_date?: string }

/** What an action would do now; the last answer stays while the next is read. Its key begins with the subscription's, so that it is read again with it. */
export const previewQuery = (store: string, id: string, action: Action, entered: Entered = {}) =>
  queryOptions({
    queryKey: ['subscription', store, id, 'preview', action, entered],
    queryFn: ({ signal }) => {
      const params = { path: { store, id }, query: { action, ...entered } }
      return bodyOf(api.GET('/stores/{store}/subscriptions/{id}/preview', { params, signal }))
    },
    placeholderData: keepPreviousData,
    // Billing may have changed it since.
    staleTime: 0
  })

const SHOWN = 50

export const activityQuery = (store: string, id: string) =>
  queryOptions({
    queryKey: ['activity', store, id],
    queryFn: ({ signal }) => {
      const params = { path: { store, id }, query: { limit: SHOWN } }
      return bodyOf(api.GET('/stores/{store}/subscriptions/{id}/activity', { params, signal }))
    }
  })

export const attemptsQuery = (store: string, subscription: string) =>
  queryOptions({
    queryKey: ['attempts', store, subscription],
    queryFn: ({ signal }) => {
      const params = { path: { store }, query: { subscription_id: subscription, limit: SHOWN } }
      return bodyOf(api.GET('/stores/{store}/billing-attempts', { params, signal }))
    }
  })
