import type { FastifyInstance } from 'fastify'
import type { Dispatcher } from 'undici'
import type { Platform } from '../http.ts'
import { forwardToApp, PATH_PREFIX } from '../proxy/forward.ts'
import { loggedInCustomer } from '../session.ts'
import { isTemplate, renderPage } from './render-page.ts'

/** A file that a customer uploads to the app, with room. */
const MAX_BODY_BYTES = 8 * 1024 * 1024

/** `{shop}/apps/svc-api/*`: requests of a storefront to the app, through the platform. */
export function proxyRoutes(platform: Platform, agent: Dispatcher) {
  const { clock } = platform
  return (parent: FastifyInstance) => {
    parent.register(async (scope) => {
      // The body is forwarded unchanged, whatever its type.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
        done(null, body)
      )
      scope.all(`${PATH_PREFIX}/*`, async (request, reply) => {
        const { shop } = request.shopRequest
        const [path, search = ''] = request.raw.url!.split('?', 2) as [string, string?]
        const left = new AbortController()
        reply.raw.once('close', () => left.abort(new Error('The visitor has left')))
        const forwarded = await forwardToApp(
          agent,
          shop,
          {
            method: request.method,
            path: path.slice(path.indexOf(PATH_PREFIX) + PATH_PREFIX.length),
            query: new URLSearchParams(search),
            headers: request.headers,
            address: request.ip,
            body: Buffer.isBuffer(request.body) ? request.body : null,
            loggedInCustomerId: loggedInCustomer(request),
            left: left.signal
          },
          await clock(shop.domain)
        )
        const unanswered = () =>
          reply.code(502).type('text/html').send('<h1>The app behind this page does not answer.</h1>')
        if (!forwarded) return unanswered()
        if (isTemplate(forwarded)) {
          return (await renderPage(platform, request, reply, forwarded, loggedInCustomer(request))) ?? unanswered()
        }
        // A body that breaks off, or takes longer than the platform waits, breaks the visitor's connection off.
        return reply.code(forwarded.status).headers(forwarded.headers).send(forwarded.body)
      })
    })
  }
}
