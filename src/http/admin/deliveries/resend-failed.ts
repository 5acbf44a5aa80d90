import { Type } from 'typebox'
import { resendFailed } from '#webhooks'
import { instantOrUndefined, NeededIsoDate } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams, storeOf } from '../store.ts'
import { endpointId } from './delivery-params.ts'

const Resent = Type.Object(
  {
    resent: Type.Integer({ description: 'How many are sent again' }),
    skipped: Type.Integer({ description: 'How many are not, because their endpoint is disabled or deleted' })
  },
  { title: 'ResentDeliveries', description: 'What came of a bulk resend.', examples: [{ resent: 12, skipped: 0 }] }
)

/** POST /stores/{store}/webhook-deliveries/resend-failed */
export function resendFailedRoute(admin: Surface, { db }: AdminDeps): void {
  admin.post(
    '/stores/:store/webhook-deliveries/resend-failed',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'resendFailedWebhookDeliveries',
        summary: 'Resend failed webhook deliveries',
        description:
          'Sends every delivery again that failed: its attempts were exhausted, or it was cancelled because its endpoint was disabled. Not tests. It may be repeated.',
        params: StoreParams,
        body: Type.Object({ since: NeededIsoDate('Deliveries that failed since then'), endpoint: endpointId() }),
        response: { 202: Resent }
      }
    },
    async (request, reply) => {
      const { storeId, timezone } = storeOf(request)
      const since = instantOrUndefined(request.body.since, timezone)!
      const resent = await resendFailed(db, storeId, { since, endpoint: request.body.endpoint })
      return reply.code(202).send(resent)
    }
  )
}
