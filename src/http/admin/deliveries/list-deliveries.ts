import { Type } from 'typebox'
import { EVENT_TYPES, listDeliveries } from '#webhooks'
import { IsoDate, instantOrUndefined } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import { oneOf, Page, PageLimit, text } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'
import { endpointId } from './delivery-params.ts'
import { DeliveryBody, presentDelivery } from './present-delivery.ts'

/** GET /stores/{store}/webhook-deliveries */
export function listDeliveriesRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/webhook-deliveries',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'List webhook deliveries',
        description: "Deliveries to the store's endpoints and listeners, newest first. Filters are combined.",
        params: StoreParams,
        querystring: Type.Object({
          event: Type.Optional(
            text(50, `one of ${EVENT_TYPES.join(', ')}`, {
              meaning: 'Only this event type',
              examples: ['billing.success']
            })
          ),
          status: Type.Optional(
            oneOf(['delivered', 'retrying', 'failed'], { meaning: 'Only this status', examples: ['failed'] })
          ),
          from: IsoDate('Deliveries made from then on'),
          to: IsoDate('Deliveries made before then'),
          object: Type.Optional(
            text(30, 'the id of a subscription or a member, such as sub_12 or mem_3', {
              meaning: 'Only deliveries about it',
              examples: ['sub_12']
            })
          ),
          event_id: Type.Optional(
            text(30, 'the id of an event, such as evt_812', { meaning: 'Only deliveries of it', examples: ['evt_812'] })
          ),
          endpoint: endpointId(),
          before: Type.Optional(
            text(100, 'the webhook_id that the page before ended with', {
              meaning: 'The list goes on after it; an unknown one is refused',
              examples: ['wh_d9d197bd3365471a868632ad050fd207']
            })
          ),
          limit: PageLimit
        }),
        response: { 200: Page(DeliveryBody, 'The deliveries') }
      }
    },
    async (request) => {
      const { timezone } = storeOf(request)
      const { from, to, event_id: eventId, ...filters } = request.query
      const { deliveries, next } = await request.inStore((ctx) =>
        listDeliveries(ctx, {
          ...filters,
          eventId,
          from: instantOrUndefined(from, timezone),
          to: instantOrUndefined(to, timezone)
        })
      )
      return { data: deliveries.map(presentDelivery), next }
    }
  )
}
