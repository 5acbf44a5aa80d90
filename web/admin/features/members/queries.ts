import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import { ifNone } from '../../shared/api/errors.ts'
import { PAGE_SIZE, pagingOf } from '../../shared/api/paging.ts'
import type { components } from '../../shared/api/schema.ts'

export type Member = components['schemas']['Member']

export const STATUSES = ['active', 'paused', 'cancelled'] as const

export type MemberFilters = { status: string; plan: string; page: number }

/** A page of members. The last one stays while the next is read, so that nothing jumps. */
export const membersQuery = (store: string, { status, plan, page }: MemberFilters) =>
  queryOptions({
    queryKey: ['members', store, { status, plan, page }],
    queryFn: ({ signal }) => {
      const query = {
        ...pagingOf(page),
        status: STATUSES.find((one) => one === status),
        plan_id: plan || undefined
      }
      return bodyOf(api.GET('/stores/{store}/members', { params: { path: { store }, query }, signal }))
    },
    placeholderData: keepPreviousData
  })

/** A customer by the platform's number, with their row of the list of members; null for whoever is no member. */
export const memberQuery = (store: string, customer: string) =>
  queryOptions({
    queryKey: ['member', store, customer],
    queryFn: async ({ signal }) => {
      const path = { store, customer }
      const found = await bodyOf(api.GET('/stores/{store}/customers/{customer}', { params: { path }, signal }))
      return { customer: found, member: await findMember(store, found, signal) }
    }
  })

type Customer = components['schemas']['Customer']

/** The list finds members by their address; several may have had the same. */
async function findMember(store: string, customer: Customer, signal: AbortSignal): Promise<Member | null> {
  if (customer.email === null) return null
  const params = { path: { store }, query: { email: customer.email, limit: PAGE_SIZE } }
  const { data } = await bodyOf(api.GET('/stores/{store}/members', { params, signal }))
  return data.find((one) => one.platform_customer_id === customer.platform_customer_id) ?? null
}

export const subscriptionsQuery = (store: string, customerId: string) =>
  queryOptions({
    queryKey: ['subscriptions', store, customerId],
    queryFn: async ({ signal }) => {
      const params = { path: { store }, query: { customer_id: customerId, limit: PAGE_SIZE } }
      return (await bodyOf(api.GET('/stores/{store}/subscriptions', { params, signal }))).data
    }
  })

export const creditQuery = (store: string, customer: string) =>
  queryOptions({
    queryKey: ['credit', store, customer],
    queryFn: ({ signal }) => {
      const path = { store, customer }
      return bodyOf(api.GET('/stores/{store}/store-credits/{customer}', { params: { path }, signal })).catch(ifNone)
    }
  })

export const loyaltyQuery = (store: string, customer: string) =>
  queryOptions({
    queryKey: ['loyalty', store, customer],
    queryFn: ({ signal }) => {
      const path = { store, customer }
      return bodyOf(api.GET('/stores/{store}/loyalty/customers/{customer}', { params: { path }, signal })).catch(ifNone)
    }
  })

const SHOWN_ORDERS = 20

export const ordersQuery = (store: string, customer: string) =>
  queryOptions({
    queryKey: ['orders', store, customer],
    queryFn: async ({ signal }) => {
      const params = { path: { store }, query: { customer, limit: SHOWN_ORDERS } }
      return (await bodyOf(api.GET('/stores/{store}/orders', { params, signal }))).data
    }
  })

/** What happened to a customer, part by part. */
export const timelineQuery = (store: string, customer: string) =>
  infiniteQueryOptions({
    queryKey: ['timeline', store, customer],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) => {
      const params = { path: { store, customer }, query: { before: pageParam } }
      return bodyOf(api.GET('/stores/{store}/customers/{customer}/timeline', { params, signal }))
    },
    getNextPageParam: ({ next }) => next ?? undefined
  })

/** Tags and metafields of a customer: as they are to be, and as the platform has them now. */
export const onPlatformQuery = (store: string, customer: string) =>
  queryOptions({
    queryKey: ['on-platform', store, customer],
    queryFn: async ({ signal }) => {
      const params = { path: { store }, query: { customer } }
      const [tags, metafields] = await Promise.all([
        bodyOf(api.GET('/stores/{store}/tags', { params, signal })),
        bodyOf(api.GET('/stores/{store}/metafields', { params, signal }))
      ])
      return {
        metafields: metafields.differences,
        tags: tags.data.flatMap(({ wanted, missing, surplus }) => [
          ...wanted.map((name) => ({
            name,
            state: missing.includes(name) ? ('missing' as const) : ('there' as const)
          })),
          ...surplus.map((name) => ({ name, state: 'surplus' as const }))
        ])
      }
    }
  })
