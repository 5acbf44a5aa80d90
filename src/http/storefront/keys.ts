import type { FastifyRequest } from 'fastify'
import type { Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { authenticateKey, type Caller } from '#stores'
import { inTime } from '../shared/deadline.ts'
import { authenticationFailed } from '../shared/errors.ts'
import type { Proxied } from './proxy.ts'

/** The caller of a key that belongs to the shop that the app proxy signed for. Throws refusals. */
export async function callerOfKey(
  request: FastifyRequest,
  db: Database,
  { key, proxied, scope }: { key: unknown; proxied: Proxied; scope: string | undefined }
): Promise<Caller> {
  if (key === undefined || key === '') throw authenticationFailed('key is missing: it must be an API key of the store')
  if (Array.isArray(key)) throw authenticationFailed('key is given more than once')
  const caller = typeof key === 'string' ? await inTime(request, authenticateKey(db, key)) : null
  if (caller?.storeId !== proxied.store.storeId) throw authenticationFailed('key is not a valid API key of this store')
  if (scope && !caller.scopes.has(scope)) throw new Refusal('forbidden', `This key lacks the scope ${scope}`)
  return caller
}
