import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Ctx, Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { type PlatformProfileName, requireStore, type Store, storeDeleting, storeNotFound } from '#stores'
import type { Surface } from '../shared/surface.ts'
import { callerOf } from './caller.ts'

/** Names a store in a path: its `store_…` id or its domain. */
export const StoreParams = Type.Object({
  store: Type.String({ description: 'a store id or domain', examples: ['store_2'] })
})

declare module 'fastify' {
  interface FastifyRequest {
    store: Store | null
  }
  interface FastifyContextConfig {
    /** A route that also works for a store that is being deleted. */
    ofDeleting?: boolean
    /** A route of no store that the people of a shop may call too: it shows them what is of their own store, or of none. */
    forStaff?: boolean
  }
}

/**
 * Reads the store that a path names, once and in one place, before the route runs. Refuses one that is not there, and to the people of a shop
 * every other than theirs as if it were not there. Of what belongs to no store they may call what says that it is for them.
 */
export function readStores(admin: Surface, db: Database): void {
  admin.decorateRequest('store', null)
  admin.addHook('preHandler', async (request) => {
    const { store } = request.params as { store?: string }
    const { staff } = callerOf(request)
    if (store === undefined) {
      if (staff && !request.routeOptions.config.forStaff) throw ofInstallation()
      return
    }
    request.store = await requireStore(db, store)
    if (staff && request.store.storeId !== staff.storeId) throw storeNotFound(store)
    if (request.store.status === 'deleting' && !request.routeOptions.config.ofDeleting) {
      throw storeDeleting(request.store.domain)
    }
  })
  admin.decorateRequest('inStore', function <T>(this: FastifyRequest, work: (ctx: Ctx) => Promise<T>) {
    return db.inStore(storeOf(this).storeId, work)
  })
}

const ofInstallation = () =>
  new Refusal(
    'forbidden',
    'This belongs to the whole installation; from the admin of a shop only its own store can be seen'
  )

/** The store that the path of the route names. */
export function storeOf({ store }: Pick<FastifyRequest, 'store'>): Store {
  if (!store) throw new Error('The path of the route names no store')
  return store
}

/** How the store that the path names writes ids and dates. */
export function requestStoreOf(request: Pick<FastifyRequest, 'store'>): {
  profile: PlatformProfileName
  timezone: string
} {
  const { platformProfile: profile, timezone } = storeOf(request)
  return { profile, timezone }
}
