import { type Static, Type } from 'typebox'
import { OrNull } from '#resources'
import { type FetchedDelivery, fetchDeliveries } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { List } from '../fields.ts'
import { storeOf } from '../store.ts'
import { ListenerParams } from './listener-params.ts'

const FetchedBody = Type.Object(
  {
    webhook_id: Type.String({ description: 'The id of the delivery' }),
    event: Type.String({ description: 'The event type' }),
    object: OrNull(Type.String({ description: 'The subscription or member that it is about' })),
    test: Type.Boolean({ description: 'Whether it is a sample' }),
    body: Type.String({ description: 'The exact text to post' }),
    headers: Type.Record(Type.String(), Type.String(), { description: 'The headers to post it with' }),
    handle: Type.String({ description: 'Names the delivery when its result is recorded' })
  },
  {
    title: 'FetchedDelivery',
    description: 'A delivery for the listener to post.',
    examples: [
      {
        webhook_id: 'wh_d9d197bd3365471a868632ad050fd207',
        event: 'billing.success',
        object: 'sub_25',
        test: false,
        body: '{"event":"billing.success"}',
        headers: { 'content-type': 'application/json' },
        handle: 'eyJ0IjoxfQ'
      }
    ]
  }
)

const FetchBody = Type.Object({
  wait_seconds: Type.Integer({
    minimum: 0,
    maximum: 25,
    description: 'a whole number of seconds from 0 to 25',
    meaning: 'How long to wait for a delivery',
    examples: [20]
  }),
  max: Type.Integer({
    minimum: 1,
    maximum: 20,
    description: 'an integer from 1 to 20',
    meaning: 'Maximum number of deliveries to return',
    examples: [20]
  })
})

/** POST /stores/{store}/webhook-listeners/{listener}/fetch */
export function fetchDeliveriesRoute(admin: Surface, { db, vault, maySign }: AdminDeps): void {
  const stopping = new AbortController()
  // A request that waits for deliveries would hold up the end of the server.
  admin.addHook('preClose', async () => stopping.abort())

  admin.post(
    '/stores/:store/webhook-listeners/:listener/fetch',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'fetchWebhookDeliveries',
        summary: 'Fetch deliveries of a listener',
        description:
          'Returns as soon as there is a delivery, or with an empty list after the wait. A listener that was closed is 404: open another one. While the clocks of this node and the database differ by more than 30 seconds, nothing is signed: 503.',
        params: ListenerParams,
        body: FetchBody,
        response: { 200: List(FetchedBody, 'The deliveries') }
      }
    },
    async (request, reply) => {
      const { params, body } = request
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const fetched = await fetchDeliveries(db, storeOf(request).storeId, params.listener, {
        vault,
        max: body.max,
        waitMs: body.wait_seconds * 1000,
        ending: stopping.signal,
        gone: gone.signal,
        maySign
      })
      // A connection that was busy when the server began to end is not closed with the idle ones.
      if (stopping.signal.aborted) reply.header('connection', 'close')
      return { data: fetched.map(presentFetched) }
    }
  )
}

function presentFetched(fetched: FetchedDelivery): Static<typeof FetchedBody> {
  const { webhookId, event, object, test, body, headers, handle } = fetched
  return { webhook_id: webhookId, event, object, test, body, headers, handle }
}
