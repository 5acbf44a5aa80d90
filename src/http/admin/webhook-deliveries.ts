import { Type } from 'typebox'
import { Refusal } from '#kit/refusal'
import { EVENT_TYPES } from '#resources'
import { requireStore } from '#stores'
import { findDelivery, listDeliveries, resendDelivery, resendFailed } from '#webhooks'
import { IsoDate, instantOrUndefined, NeededIsoDate } from '../shared/dates.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { OrNull } from '../shared/response-fields.ts'
import type { Surface } from '../shared/surface.ts'
import { PageLimit, StoreParams, text } from './fields.ts'
import { DeliveryBody, DeliveryDetailBody, presentDelivery, presentDeliveryDetail } from './present-delivery.ts'

const DeliveryParams = Type.Object({
  ...StoreParams.properties,
  webhook_id: Type.String({ description: 'the webhook_id of a delivery' })
})

const endpointId = () => Type.Optional(text(30, 'a webhook endpoint id such as we_2'))

/** What was sent to the receivers of a store's events, how each try went, and sending it again. */
export function registerWebhookDeliveries(admin: Surface, { db, wake }: Pick<HttpDeps, 'db' | 'wake'>): void {
  admin.get(
    '/stores/:store/webhook-deliveries',
    {
      schema: {
        params: StoreParams,
        querystring: Type.Object({
          event: Type.Optional(text(50, `one of ${EVENT_TYPES.join(', ')}`)),
          status: Type.Optional(
            Type.Union([Type.Literal('delivered'), Type.Literal('retrying'), Type.Literal('failed')], {
              description: 'delivered, retrying or failed'
            })
          ),
          from: IsoDate(),
          to: IsoDate(),
          object: Type.Optional(text(30, 'the id of a subscription or a member, such as sub_12 or mem_3')),
          endpoint: endpointId(),
          before: Type.Optional(text(100, 'the webhook_id that the page before ended with')),
          limit: PageLimit
        }),
        response: { 200: Type.Object({ data: Type.Array(DeliveryBody), next: OrNull(Type.String()) }) }
      }
    },
    async ({ params, query: { from, to, ...filters } }) => {
      const { storeId, timezone } = await requireStore(db, params.store)
      const { deliveries, next } = await db.inStore(storeId, (ctx) =>
        listDeliveries(ctx, {
          ...filters,
          from: instantOrUndefined(from, timezone),
          to: instantOrUndefined(to, timezone)
        })
      )
      return { data: deliveries.map(presentDelivery), next }
    }
  )

  admin.get(
    '/stores/:store/webhook-deliveries/:webhook_id',
    { schema: { params: DeliveryParams, response: { 200: DeliveryDetailBody } } },
    async ({ params }) => {
      const { storeId } = await requireStore(db, params.store)
      const delivery = await db.inStore(storeId, (ctx) => findDelivery(ctx, params.webhook_id))
      if (!delivery) throw new Refusal('not_found', `There is no webhook delivery ${params.webhook_id.slice(0, 100)}`)
      return presentDeliveryDetail(delivery)
    }
  )

  admin.post(
    '/stores/:store/webhook-deliveries/:webhook_id/resend',
    { schema: { params: DeliveryParams, body: Type.Object({}), response: { 202: DeliveryDetailBody } } },
    async ({ params }, reply) => {
      const { storeId } = await requireStore(db, params.store)
      const delivery = await db.inStore(storeId, (ctx) => resendDelivery(ctx, params.webhook_id))
      wake(storeId)
      return reply.code(202).send(presentDeliveryDetail(delivery))
    }
  )

  admin.post(
    '/stores/:store/webhook-deliveries/resend-failed',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({ since: NeededIsoDate(), endpoint: endpointId() }),
        response: { 202: Type.Object({ resent: Type.Integer(), skipped: Type.Integer() }) }
      }
    },
    async ({ params, body }, reply) => {
      const { storeId, timezone } = await requireStore(db, params.store)
      const since = instantOrUndefined(body.since, timezone)!
      const resent = await resendFailed(db, storeId, { since, endpoint: body.endpoint })
      wake(storeId)
      return reply.code(202).send(resent)
    }
  )
}
