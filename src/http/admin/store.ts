import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Ctx, Database } from '#kit/postgres'
import { type PlatformProfileName, requireStore, type Store, storeDeleting } from '#stores'
import type { Surface } from '../shared/surface.ts'

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
  }
}

/**
 * Reads the store that a path names, once and in one place, before the route runs. Refuses one that is not there. Which
 * stores a caller may see is for this place to check.
 */
export function readStores(admin: Surface, db: Database): void {
  admin.decorateRequest('store', null)
  admin.addHook('preHandler', async (request) => {
    const { store } = request.params as { store?: string }
    if (store === undefined) return
    request.store = await requireStore(db, store)
    if (request.store.status === 'deleting' && !request.routeOptions.config.ofDeleting) {
      throw storeDeleting(request.store.domain)
    }
  })
  admin.decorateRequest('inStore', function <T>(this: FastifyRequest, work: (ctx: Ctx) => Promise<T>) {
    return db.inStore(storeOf(this).storeId, work)
  })
}

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
