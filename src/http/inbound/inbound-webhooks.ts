import type { FastifyInstance } from 'fastify'
import { readWebhookHeaders, receiveWebhook, type WebhookHeaders } from '#platform'
import { type StoreAccess, storeByDomain } from '#stores'
import { answerInTime, inTime } from '../shared/deadline.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { errorBody } from '../shared/error-body.ts'
import { authenticationFailed } from '../shared/errors.ts'

export const INBOUND_WEBHOOKS_PATH = '/platform/webhooks'
/** The platform names no limit. The largest message, an order of five hundred lines with discounts, has 2 to 3 MB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024
/** Whoever knows a shop's name may send bodies, since only a whole body can be verified: they leave room for the other surfaces. */
const BODY_SHARE = 0.75

declare module 'fastify' {
  interface FastifyRequest {
    sender: { headers: WebhookHeaders; store: StoreAccess } | null
  }
}

/** Receives the platform's webhooks. The store is the shop in the header, once the signature proves it. */
export function registerInboundWebhooks(app: FastifyInstance, { db, vault, wake }: HttpDeps): void {
  app.register(async (inbound) => {
    answerInTime(inbound)
    // The signature is over the bytes as they came.
    inbound.removeAllContentTypeParsers()
    inbound.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)

    // Before the body is read: a request for no shop of ours must not make us hold megabytes.
    inbound.decorateRequest('sender', null)
    inbound.addHook('onRequest', async (request) => {
      const headers = readWebhookHeaders(request.headers)
      const store = headers && (await inTime(request, storeByDomain(db, vault, headers.shopDomain)))
      if (!headers || headers.profile !== store?.profile) throw badSignature()
      request.sender = { headers, store }
    })

    inbound.post(
      INBOUND_WEBHOOKS_PATH,
      { bodyLimit: MAX_BODY_BYTES, config: { allow: 'platform', bodyShare: BODY_SHARE } },
      async (request, reply) => {
        const { headers, store } = request.sender!
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const received = await receiveWebhook(db, store, headers, body)
        if (received.status === 401) throw badSignature()
        if (received.status === 400) {
          return reply.code(400).send(errorBody({ code: 'invalid_request', message: received.message }))
        }
        wake(store.storeId)
        return { received: true }
      }
    )
  })
}

/** One answer for an unknown shop and for a bad signature, so that it does not reveal which shops there are. */
const badSignature = () => authenticationFailed('The webhook is not signed by a shop that is known here')
