import type { FastifyRequest } from 'fastify'
import { minorOf } from '#kit/money'
import { invalidField, Refusal } from '#kit/refusal'
import type { Store } from '#stores'
import type { HttpDeps } from '../../shared/deps.ts'
import { storeOf } from '../store.ts'

/** The store of the path, which must be a sandbox store: the real platform cannot be scripted. */
export function sandboxStoreOf(request: Pick<FastifyRequest, 'store'>): Store {
  const store = storeOf(request)
  if (!store.sandbox) throw new Refusal('conflict', `Store ${store.domain} is not a sandbox store`)
  return store
}

/** Does one thing in the store's shop and works everything off that follows, deliveries included. */
export async function play<T>(
  { settle }: Pick<HttpDeps, 'settle'>,
  request: Pick<FastifyRequest, 'store'>,
  act: (store: Store) => Promise<T>
): Promise<T> {
  const store = sandboxStoreOf(request)
  const done = await act(store)
  await settle(store.storeId)
  return done
}

/** An amount of a request in minor units. Refuses one below 0. */
export function amountFrom(field: string, given: string | number, currency: string): number {
  const minor = minorOf(given, currency, field)
  if (minor < 0) throw invalidField(field, 'must be an amount of 0 or more')
  return minor
}
