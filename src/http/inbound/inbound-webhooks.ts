import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '#kit/addresses'
import { invalidBody } from '#kit/refusal'
import { APP_PATHS, readWebhookHeaders, receiveWebhook, type WebhookHeaders } from '#platform'
import { receiveCompliance } from '#privacy'
import type { StoreAccess } from '#stores'
import { createShopFinder, TooManyUnknownShops } from '../rate-limits/find-shop.ts'
import type { BodyShare } from '../shared/body-share.ts'
import { answerInTime, inTime } from '../shared/deadline.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { authenticationFailed } from '../shared/errors.ts'

export const INBOUND_WEBHOOKS_PATH = APP_PATHS.webhooks
/** The platform names no limit. The largest message, an order of five hundred lines with discounts, has 2 to 3 MB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024
/**
 * Whoever knows a shop's name may send bodies, since only a whole body can be verified. So all of them leave room for the other
 * surfaces, those of one shop for other shops, and those of one address for others that send to the same shop: with the defaults
 * 48, 24 and 12 MiB.
 */
const SHARE_OF_ALL = 3 / 4
const SHARE_OF_SHOP = 3 / 8
const SHARE_OF_ADDRESS = 3 / 16
/** So that a body which is sent in part does not stay for long. The platform waits for an answer not nearly as long. */
const ARRIVES_WITHIN_MS = 15_000

declare module 'fastify' {
  interface FastifyRequest {
    sender: { headers: WebhookHeaders; store: StoreAccess } | null
  }
}

/** Receives the platform's webhooks. The store is the shop in the header, once the signature proves it. */
export function registerInboundWebhooks(app: FastifyInstance, { db, vault, wake }: HttpDeps): void {
  app.register(async (inbound) => {
    answerInTime(inbound)
    const findShop = createShopFinder(db, vault)
    // The signature is over the bytes as they came.
    inbound.removeAllContentTypeParsers()
    inbound.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)

    // Before the body is read: a request for no shop of ours must not make us hold megabytes.
    inbound.decorateRequest('sender', null)
    inbound.addHook('onRequest', async (request, reply) => {
      const headers = readWebhookHeaders(request.headers)
      const finding = headers && findShop(request.ip, headers.shopDomain)
      const store = finding && (await inTime(request, finding).catch((err) => tellWhen(err, reply)))
      if (!headers || headers.profile !== store?.profile) throw badSignature()
      request.sender = { headers, store }
    })

    inbound.post(
      INBOUND_WEBHOOKS_PATH,
      {
        bodyLimit: MAX_BODY_BYTES,
        config: { allow: 'platform', bodyShares: sharesOf, arrivesWithinMs: ARRIVES_WITHIN_MS }
      },
      async (request, _reply) => {
        const { headers, store } = request.sender!
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const received = await receiveWebhook(db, store, headers, body, receiveCompliance)
        if (received.status === 401) throw badSignature()
        if (received.status === 400) throw invalidBody('must be a JSON object in UTF-8')
        wake(store.storeId)
        return { received: true }
      }
    )
  })
}

const sharesOf = ({ ip, sender }: FastifyRequest): BodyShare[] => [
  { of: 'platform', part: SHARE_OF_ALL },
  { of: `shop ${sender!.store.storeId}`, part: SHARE_OF_SHOP },
  { of: `address ${networkOf(ip)}`, part: SHARE_OF_ADDRESS }
]

function tellWhen(err: unknown, reply: FastifyReply): never {
  if (err instanceof TooManyUnknownShops) reply.header('retry-after', err.retryAfterSeconds)
  throw err
}

/** One answer for an unknown shop and for a bad signature, so that it does not reveal which shops there are. */
const badSignature = () => authenticationFailed('The webhook is not signed by a shop that is known here')
