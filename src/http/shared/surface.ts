import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault
} from 'fastify'
import { Type } from 'typebox'
import { Busy, type Refusal } from '#kit/refusal'
import type { RateLimited } from '../rate-limits/rate-limited.ts'
import { TooManyAtOnce } from '../rate-limits/too-many-at-once.ts'
import { ALLOWED, requireAllow } from './access.ts'
import { logBug, noSuchRoute, refusalOf } from './errors.ts'

/** A surface's own part of the server, whose routes are typed by their TypeBox schemas. */
export type Surface = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** Adds one route to a surface. Each is a file of its own, which exports nothing else. */
export type Route<Deps> = (surface: Surface, deps: Deps) => void

/** How a surface words a refusal; null is a bug of ours, which is answered without detail. */
export type ErrorDialect = {
  /** Adds to a refusal what the request tells of it. */
  complete?: (refusal: Refusal | RateLimited | null, request: FastifyRequest) => Refusal | RateLimited | null
  statusOf: (refusal: Refusal | RateLimited | null) => number
  errorBody: (refusal: Refusal | RateLimited | null) => object
}

/**
 * Opens a surface under `prefix`: its hooks, its error dialect and its routes, apart from those of other surfaces. A
 * route that does not declare who may call it stops the start.
 */
export function openSurface<Deps>(
  app: FastifyInstance,
  options: {
    name: keyof typeof ALLOWED
    prefix: string
    errors: ErrorDialect
    routes: Route<Deps>[]
    deps: Deps
    /** Adds the hooks of the surface: authentication, limits. */
    hooks: (surface: Surface) => void
  }
): void {
  const { name, prefix, errors, routes, deps, hooks } = options
  app.register(
    async (instance) => {
      const surface = instance.withTypeProvider<TypeBoxTypeProvider>()
      surface.addHook('onRoute', (route) => requireAllow(route, ALLOWED[name]))
      hooks(surface)
      handleErrors(surface, errors)
      for (const addRoute of routes) addRoute(surface, deps)
    },
    { prefix }
  )
}

/** Makes every route of a surface refuse query parameters that it does not declare. */
export function refuseUnknownParameters(surface: Surface): void {
  surface.addHook('onRoute', (route) => {
    route.schema = { querystring: Type.Object({}), ...route.schema }
  })
}

/** Refuses unknown paths once it is known who asks, before a body is read: nobody needs it. */
export function refuseUnknownPaths(
  app: Pick<FastifyInstance, 'addHook'>,
  refusePath: (request: FastifyRequest, reply: FastifyReply) => Refusal
): void {
  app.addHook('preParsing', (request, reply, payload, done) =>
    request.is404 ? done(refusePath(request, reply)) : done(null, payload)
  )
}

/** Answers refusals and bugs in the dialect of a surface. */
export function handleErrors(
  app: Pick<FastifyInstance, 'setNotFoundHandler' | 'setErrorHandler'>,
  errors: ErrorDialect
) {
  // Gives unknown paths the hooks of the surface. Those refuse before this is reached.
  app.setNotFoundHandler((request, reply) => {
    throw noSuchRoute(request, reply)
  })
  app.setErrorHandler((err, request, reply) => reply.send(answerError(errors, err, { request, reply })))
}

/**
 * The body for something thrown, in the dialect of a surface. Sets the status and `Retry-After` of the response, and logs a bug.
 */
export function answerError(
  errors: ErrorDialect,
  err: unknown,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply }
): object {
  const found = refusalOf(err, request)
  const refusal = errors.complete?.(found, request) ?? found
  if (!refusal) logBug(request, err)
  if (refusal instanceof Busy) {
    request.log.warn({ route: request.routeOptions.url }, `${request.method} refused: ${(err as Error).message}`)
    reply.header('retry-after', refusal.retryAfterSeconds)
  }
  if (refusal instanceof TooManyAtOnce) reply.header('retry-after', refusal.retryAfterSeconds)
  // What the handler meant to send was compressed; this is not.
  reply.removeHeader('content-encoding')
  reply.code(errors.statusOf(refusal))
  return errors.errorBody(refusal)
}
