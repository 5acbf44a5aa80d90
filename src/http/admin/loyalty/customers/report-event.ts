import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { resolveCustomer } from '#members'
import { LoyaltyEventBody } from '#resources'
import { checkLoyaltyEvent, countLoyaltyEvent, LoyaltyEventFields } from '../../../shared/loyalty-event.ts'
import { ACCEPTED_CUSTOMER, parseCustomer } from '../../../shared/parse-customer.ts'
import type { Surface } from '../../../shared/surface.ts'
import type { AdminDeps } from '../../deps.ts'
import { StoreParams, storeOf } from '../../store.ts'

/** POST /stores/{store}/loyalty/events */
export function reportLoyaltyEventRoute(admin: Surface, { db, connectorOf }: AdminDeps): void {
  admin.post(
    '/stores/:store/loyalty/events',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'reportLoyaltyEventByHand',
        summary: 'Report a loyalty event',
        description:
          'As `POST /loyalty/events` of the [REST API](api.md#loyalty-events): counts a custom action or a review of a customer. With an `event_id` it counts once.',
        params: StoreParams,
        body: Type.Object(
          {
            customer: Type.String({
              minLength: 1,
              maxLength: 330,
              description: ACCEPTED_CUSTOMER,
              meaning: 'Whose event it is; one who is not known here is looked up on the platform',
              examples: ['cust_24']
            }),
            ...LoyaltyEventFields
          },
          { examples: [{ customer: 'cust_24', type: 'custom_action', action_key: 'quiz_done', event_id: 'quiz-815' }] }
        ),
        response: { 200: LoyaltyEventBody }
      }
    },
    async (request) => {
      const { storeId, platformProfile, timezone } = storeOf(request)
      const { customer, ...fields } = request.body
      checkLoyaltyEvent(fields)
      const reference = parseCustomer('customer', customer, platformProfile)
      const customerId = await resolveCustomer(db, storeId, () => connectorOf(storeId), reference, 'customer')
      return request.inStore((ctx) =>
        countLoyaltyEvent(ctx, customerId, fields, { timezone, requestKey: randomUUID() })
      )
    }
  )
}
