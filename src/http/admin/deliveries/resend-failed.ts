import { Type } from 'typebox'
import { invalidField } from '#kit/refusal'
import { resendFailed, sendMissed } from '#webhooks'
import { instantOrUndefined, NeededIsoDate } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { boolean } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'
import { endpointId } from './delivery-params.ts'

const Resent = Type.Object(
  {
    resent: Type.Integer({ description: 'How many are sent again' }),
    skipped: Type.Integer({ description: 'How many are not, because their endpoint is disabled or deleted' }),
    missed: Type.Integer({ description: 'How many events are sent for the first time; 0 without `missed`' })
  },
  {
    title: 'ResentDeliveries',
    description: 'What came of a bulk resend.',
    examples: [{ resent: 12, skipped: 0, missed: 15 }]
  }
)

/** POST /stores/{store}/webhook-deliveries/resend-failed */
export function resendFailedRoute(admin: Surface, { db }: AdminDeps): void {
  admin.post(
    '/stores/:store/webhook-deliveries/resend-failed',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'resendFailedWebhookDeliveries',
        summary: 'Resend failed webhook deliveries',
        description:
          'Sends every delivery again that failed: its attempts were exhausted, or it was cancelled because its endpoint was disabled. Not tests. With `missed` also the events that were never queued for the endpoint, because it was disabled when they occurred. It may be repeated.',
        params: StoreParams,
        body: Type.Object({
          since: NeededIsoDate('Deliveries that failed since then'),
          endpoint: endpointId(),
          missed: boolean(
            'Whether to send also what the endpoint receives and was never sent of the events since then, and of the hour before. Needs `endpoint`'
          )
        }),
        response: { 202: Resent }
      }
    },
    async (request, reply) => {
      const { storeId, timezone } = storeOf(request)
      const { endpoint, missed = false } = request.body
      const since = instantOrUndefined(request.body.since, timezone)!
      if (missed && endpoint === undefined) throw invalidField('endpoint', 'is required with missed', 'required')
      const resent = await resendFailed(db, storeId, { since, endpoint })
      const sent = missed ? await sendMissed(db, storeId, { since, endpoint: endpoint! }) : 0
      return reply.code(202).send({ ...resent, missed: sent })
    }
  )
}
