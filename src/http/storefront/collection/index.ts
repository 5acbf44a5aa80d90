import type { FastifyInstance } from 'fastify'
import { Refusal } from '#kit/refusal'
import type { CountAddress } from '../../rate-limits/address-limiter.ts'
import type { FindShop } from '../../rate-limits/find-shop.ts'
import { answerInTime } from '../../shared/deadline.ts'
import { authenticationFailed } from '../../shared/errors.ts'
import { openSurface } from '../../shared/surface.ts'
import type { ExportDeps } from '../deps.ts'
import { countingFailures } from '../failed-calls.ts'
import { callerOfKey } from '../keys.ts'
import { NOT_SIGNED, proxiedBy } from '../proxy.ts'
import { dumpTopicRoute } from './dump-topic.ts'
import { errorBody, statusOf } from './errors.ts'
import { FORM, parseForm, readForm } from './form.ts'

const COLLECTION_PREFIX = '/apps/svc-api/v1/collection'

/** Deprecated since 1 January 2026 in favour of the Data API (RFC 9745); the contract names no day of its removal. */
const DEPRECATED = {
  deprecation: '@1767225600',
  link: '</apps/svc-api/v1/data>; rel="successor-version"'
}
/** The form has two short fields. */
const MAX_FORM_BYTES = 8 * 1024

/**
 * The deprecated Collection API (spec 2): key and topic in a form, the signature of the app proxy and the shop that it signed for
 * must agree.
 */
export function registerCollection(
  app: FastifyInstance,
  deps: ExportDeps,
  { countAddress, findShop }: { countAddress: CountAddress; findShop: FindShop }
): void {
  openSurface(app, {
    name: 'collection',
    prefix: COLLECTION_PREFIX,
    errors: { statusOf, errorBody },
    routes: [dumpTopicRoute],
    deps,
    hooks(collection) {
      collection.decorateRequest('proxied', null)
      collection.removeAllContentTypeParsers()
      collection.addContentTypeParser(FORM, { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES }, parseForm)
      collection.addHook('onRoute', (route) => {
        route.bodyLimit = MAX_FORM_BYTES
      })
      answerInTime(collection)
      collection.addHook('onRequest', async (request, reply) => {
        reply.headers(DEPRECATED)
        await countingFailures({ request, reply }, countAddress, async () => {
          const proxied = await proxiedBy(request, deps, findShop)
          if (proxied === 'unknown_shop') throw new Refusal('not_found', 'The shop is not known here')
          if (proxied === 'not_signed') throw authenticationFailed(NOT_SIGNED)
          request.proxied = proxied
        })
      })
      collection.addHook('preHandler', async (request, reply) => {
        const { key } = readForm(request.body)
        await countingFailures({ request, reply }, countAddress, async () => {
          const scope = request.routeOptions.config.allow
          request.caller = await callerOfKey(request, deps.db, { key, proxied: request.proxied!, scope })
        })
      })
    }
  })
}
