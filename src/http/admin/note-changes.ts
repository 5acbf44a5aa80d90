import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '#kit/postgres'
import { beginChange, endChange } from '#team'
import { loggedUrl } from '../shared/logged-url.ts'
import type { Surface } from '../shared/surface.ts'
import { callerOf } from './caller.ts'

/** Of a path and of what a client calls itself, so much is kept. */
const MAX_CHARACTERS = 500

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
      requestId: request.id,
      personId: staff?.staffId ?? person?.personId ?? null,
      personName: staff?.name ?? person?.name ?? null,
      operation: operationOf(request),
      path: loggedUrl(request.url).slice(0, MAX_CHARACTERS),
      storeNumber: request.store?.storeId ?? null,
      fields: fieldsOf(request),
      ipAddress: request.ip,
      userAgent: request.headers['user-agent']?.slice(0, MAX_CHARACTERS) ?? null
    })
  })
  admin.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done) => {
    if (request.changeId === null) return done()
    endChange(db, request.changeId, reply.statusCode).then(
      () => done(),
      (err: Error) => {
        request.log.warn({ err }, `How a change ended was not noted: ${err.message}`)
        done()
      }
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
