import { type Static, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { EVENT_TYPES } from '#resources'
import { requireStore } from '#stores'
import {
  closeListener,
  type FetchedDelivery,
  fetchDeliveries,
  NO_RESPONSE,
  openListener,
  recordResults,
  triggerSample
} from '#webhooks'
import type { HttpDeps } from '../shared/deps.ts'
import { OrNull } from '../shared/response-fields.ts'
import type { Surface } from '../shared/surface.ts'
import { StoreParams, text } from './fields.ts'
import { DeliveryBody, presentDelivery } from './present-delivery.ts'

const ListenerParams = Type.Object({
  ...StoreParams.properties,
  listener: Type.String({ description: 'the id that opening the listener gave, such as we_9' })
})

const FetchedBody = Type.Object({
  webhook_id: Type.String(),
  event: Type.String(),
  object: OrNull(Type.String()),
  test: Type.Boolean(),
  /** The exact text to post, with these headers and no others about the body. */
  body: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  /** Names the delivery when its result is told. */
  handle: Type.String()
})

const Result = Type.Object(
  {
    handle: text(2000),
    duration_ms: Type.Integer({ minimum: 0, maximum: 600_000 }),
    response_code: OrNull(Type.Integer({ minimum: 100, maximum: 999 })),
    failure: OrNull(Type.Union(NO_RESPONSE.map((word) => Type.Literal(word)))),
    response_text: Type.String({ maxLength: 1024 })
  },
  { additionalProperties: false }
)

/**
 * Terminals that listen (`perennial listen`): they open an endpoint of their own, fetch its deliveries, post them where
 * they like and tell how it went. Nothing of them is kept in memory: every call may reach another process.
 */
export function registerWebhookListeners(
  admin: Surface,
  { db, vault, wake }: Pick<HttpDeps, 'db' | 'vault' | 'wake'>
): void {
  const stopping = new AbortController()
  // Whoever waits for deliveries would hold up the end of the server.
  admin.addHook('preClose', async () => stopping.abort())

  admin.post(
    '/stores/:store/webhook-listeners',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          events: Type.Optional(
            Type.Array(Type.String({ maxLength: 50 }), {
              maxItems: 50,
              description: `a list of ${EVENT_TYPES.join(', ')}`
            })
          )
        }),
        response: {
          201: Type.Object({
            id: Type.String(),
            events: Type.Array(Type.String()),
            all_events: Type.Boolean(),
            secret: Type.String(),
            listening_until: Type.String()
          })
        }
      }
    },
    async ({ params, body }, reply) => {
      const { storeId } = await requireStore(db, params.store)
      const opened = await db.inStore(storeId, (ctx) => openListener(ctx, body, { vault }))
      return reply.code(201).send({
        id: opened.id,
        events: opened.events ?? [...EVENT_TYPES],
        all_events: opened.events === null,
        secret: opened.secret,
        listening_until: isoOf(opened.listeningUntil)
      })
    }
  )

  admin.post(
    '/stores/:store/webhook-listeners/:listener/fetch',
    {
      schema: {
        params: ListenerParams,
        body: Type.Object({
          wait_seconds: Type.Integer({
            minimum: 0,
            maximum: 25,
            description: 'a whole number of seconds from 0 to 25 to wait for a delivery'
          }),
          max: Type.Integer({
            minimum: 1,
            maximum: 20,
            description: 'how many deliveries to give at most, from 1 to 20'
          })
        }),
        response: { 200: Type.Object({ data: Type.Array(FetchedBody) }) }
      }
    },
    async ({ params, body }, reply) => {
      const { storeId } = await requireStore(db, params.store)
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const fetched = await fetchDeliveries(db, storeId, params.listener, {
        vault,
        max: body.max,
        waitMs: body.wait_seconds * 1000,
        ending: stopping.signal,
        gone: gone.signal
      })
      // A connection that was busy as the server began to end is not closed with the idle ones.
      if (stopping.signal.aborted) reply.header('connection', 'close')
      return { data: fetched.map(presentFetched) }
    }
  )

  admin.post(
    '/stores/:store/webhook-listeners/:listener/results',
    {
      schema: {
        params: ListenerParams,
        body: Type.Object({
          results: Type.Array(Result, {
            minItems: 1,
            maxItems: 50,
            description: `a list of 1 to 50 results {handle, duration_ms, response_code, failure, response_text}, with a response_code or, where there was no answer, a failure (${NO_RESPONSE.join(', ')})`
          })
        }),
        response: { 200: Type.Object({ taken: Type.Integer() }) }
      }
    },
    async ({ params, body: { results } }) => {
      const { storeId } = await requireStore(db, params.store)
      await recordResults(
        db,
        storeId,
        params.listener,
        results.map((result) => ({
          handle: result.handle,
          durationMs: result.duration_ms,
          responseCode: result.response_code,
          failure: result.failure,
          responseText: result.response_text
        })),
        { vault }
      )
      return { taken: results.length }
    }
  )

  admin.delete(
    '/stores/:store/webhook-listeners/:listener',
    {
      schema: {
        params: ListenerParams,
        response: { 200: Type.Object({ id: Type.String(), closed: Type.Literal(true) }) }
      }
    },
    async ({ params }) => {
      const { storeId } = await requireStore(db, params.store)
      await db.inStore(storeId, (ctx) => closeListener(ctx, params.listener))
      return { id: params.listener, closed: true as const }
    }
  )

  admin.post(
    '/stores/:store/webhook-samples',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({ event: text(50, `one of ${EVENT_TYPES.join(', ')}`) }),
        response: {
          202: Type.Object({
            event: Type.String(),
            /** True in a live store: samples do not go to its receivers. */
            listeners_only: Type.Boolean(),
            data: Type.Array(DeliveryBody)
          })
        }
      }
    },
    async ({ params, body }, reply) => {
      const { storeId } = await requireStore(db, params.store)
      const { deliveries, terminalsOnly } = await db.inStore(storeId, (ctx) => triggerSample(ctx, body.event))
      wake(storeId)
      return reply
        .code(202)
        .send({ event: body.event, listeners_only: terminalsOnly, data: deliveries.map(presentDelivery) })
    }
  )
}

function presentFetched(fetched: FetchedDelivery): Static<typeof FetchedBody> {
  const { webhookId, event, object, test, body, headers, handle } = fetched
  return { webhook_id: webhookId, event, object, test, body, headers, handle }
}
