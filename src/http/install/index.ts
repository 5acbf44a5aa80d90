import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { realNow } from '#kit/clock'
import { APP_PATHS, shopUrlOf } from '#platform'
import type { CountAddress } from '../rate-limits/address-limiter.ts'
import { RateLimited } from '../rate-limits/rate-limited.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { errorBody, statusOf } from '../shared/error-body.ts'
import { authenticationFailed, bearerOf, logBug, refusalOf } from '../shared/errors.ts'
import { shopOfApp } from './apps.ts'
import { beginInstall, finishInstall } from './authorization.ts'
import { SCRIPT, SCRIPT_PATH, SESSION_PATH, STYLE, STYLE_PATH } from './files.ts'
import { embeddedPage, embeddingOf, PLAIN_POLICY, plainPage } from './pages.ts'
import { sessionConnector } from './session.ts'

const OPEN = { config: { allow: 'anyone' } } as const

/**
 * How the people of a shop install the app: the page in the platform's admin, which exchanges its session token, and the way by a code
 * (`/app/install`, `/app/callback`) for shops that do not open it there.
 */
export function registerInstall(app: FastifyInstance, deps: HttpDeps, countAddress: CountAddress): void {
  const now = deps.realNow ?? realNow
  const count = ({ ip }: FastifyRequest) => {
    const status = countAddress(ip)
    if (!status.admitted) throw new RateLimited(status)
  }

  app.register(async (install) => {
    const connect = sessionConnector(deps)
    install.setErrorHandler((err, request, reply) => {
      const refusal = refusalFrom(err, request)
      return reply.code(statusFor(refusal)).send(errorBody(refusal))
    })

    // Only shops that are not connected well cause a call of the platform; each needs a token of the platform.
    install.post(SESSION_PATH, { config: { allow: 'shop' } }, async (request) => {
      const token = bearerOf(request)
      try {
        if (!token) throw authenticationFailed('The session token of the page is needed as a bearer')
        return await connect(token, now())
      } catch (err) {
        if (statusFor(refusalFrom(err, request)) === 401) count(request)
        throw err
      }
    })
    install.get(SCRIPT_PATH, OPEN, (_request, reply) =>
      reply.header('cache-control', 'no-cache').type('text/javascript; charset=utf-8').send(SCRIPT)
    )
    install.get(STYLE_PATH, OPEN, (_request, reply) =>
      reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(STYLE)
    )
  })

  app.register(async (pages) => {
    pages.setErrorHandler((err, request, reply) => {
      const refusal = refusalFrom(err, request)
      const text = refusal?.message ?? 'Something went wrong on our side'
      return send(reply.code(statusFor(refusal)), plainPage('Perennial is not connected', `${text}.`))
    })

    pages.get(APP_PATHS.page, OPEN, (request, reply) => {
      const found = shopOfApp(deps.install, (request.query as { shop?: string }).shop)
      if (!found) {
        const text =
          "Open Perennial from the apps in your shop's admin. This address alone does not say which shop is meant."
        return send(reply, plainPage('Perennial', text))
      }
      const shopUrl = shopUrlOf(found.profile, found.shop, deps.sandbox)
      const { html, policy } = embeddedPage(embeddingOf(found, shopUrl))
      return send(reply, html, policy)
    })
    pages.get(APP_PATHS.install, OPEN, (request, reply) => {
      count(request)
      return beginInstall(deps, request, reply)
    })
    pages.get(APP_PATHS.callback, OPEN, (request, reply) => {
      count(request)
      return finishInstall(deps, request, reply, now())
    })
  })
}

function refusalFrom(err: unknown, request: FastifyRequest) {
  const refusal = refusalOf(err, request)
  if (!refusal) logBug(request, err)
  return refusal
}

const statusFor = (refusal: ReturnType<typeof refusalOf>) =>
  refusal && 'code' in refusal && refusal.code === 'unavailable' ? 503 : statusOf(refusal)

const send = (reply: FastifyReply, html: string, policy = PLAIN_POLICY) =>
  reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(html)
