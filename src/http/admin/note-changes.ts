import type { FastifyRequest } from 'fastify'
import type { Database } from '#kit/postgres'
import { beginChange, endChange } from '#team'
import { askedFrom } from '../shared/asked-from.ts'
import type { Surface } from '../shared/surface.ts'
import { actorIdOf, callerOf } from './caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The row of the change that this request makes. */
    changeId: number | null
  }
}

/**
 * Notes every change that is asked for rightly before it is made: who, what, when, from where; and how it was answered. What is refused before
 * that, for want of a permission or for its fields, is not one. Of a body only the names of its fields: values
 * may be secrets, or personal data that are to be erased one day.
 */
export function noteChanges(admin: Surface, db: Database): void {
  admin.decorateRequest('changeId', null)
  admin.addHook('preHandler', async (request) => {
    if (!isChange(request)) return
    const { person, staff } = callerOf(request)
    request.changeId = await beginChange(db, {
      ...askedFrom(request),
      personId: actorIdOf(request),
      personName: staff?.name ?? person?.name ?? null,
      operation: operationOf(request),
      storeNumber: request.store?.storeId ?? null,
      fields: fieldsOf(request)
    })
  })
  // Before the response is sent: also one that nobody waits for any more has an end.
  admin.addHook('onSend', async (request, reply) => {
    if (request.changeId === null) return
    await endChange(db, request.changeId, reply.statusCode).catch((err: Error) =>
      request.log.warn({ err }, `How a change ended was not noted: ${err.message}`)
    )
  })
}

/** What everybody with access may call changes nothing, whatever its method. */
const isChange = ({ method, routeOptions }: FastifyRequest): boolean =>
  method !== 'GET' && method !== 'HEAD' && routeOptions.config.allow !== 'view'

const operationOf = ({ routeOptions }: FastifyRequest): string =>
  (routeOptions.schema as { operationId?: string } | undefined)?.operationId ?? 'unknown'

/** Those that the operation has: what somebody sends as the name of another one may be a secret in the wrong place. */
function fieldsOf({ body, routeOptions }: FastifyRequest): string[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !isPlain(body)) return []
  const declared = namesIn((routeOptions.schema as { body?: BodySchema } | undefined)?.body)
  return Object.keys(body).filter((name) => declared.has(name))
}

type BodySchema = { properties?: object; anyOf?: BodySchema[]; allOf?: BodySchema[] }

function namesIn(schema: BodySchema | undefined): Set<string> {
  const { properties = {}, anyOf = [], allOf = [] } = schema ?? {}
  return new Set([...Object.keys(properties), ...[...anyOf, ...allOf].flatMap((part) => [...namesIn(part)])])
}

/** A file that is sent is a stream. */
const isPlain = (body: object) =>
  Object.getPrototypeOf(body) === Object.prototype || Object.getPrototypeOf(body) === null
