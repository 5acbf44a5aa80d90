import { Type } from 'typebox'
import { OrNull } from '#resources'
import { previewResend } from '#webhooks'
import { instantOrUndefined, NeededIsoDate } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import { StoreParams, storeOf } from '../store.ts'
import { endpointId } from './delivery-params.ts'

const ResendPreview = Type.Object(
  {
    resent: Type.Integer({ description: 'How many deliveries would be sent again' }),
    skipped: Type.Integer({ description: 'How many would not, because their endpoint is disabled or deleted' }),
    missed: OrNull(
      Type.Integer({
        description:
          'How many events would be sent for the first time with `missed`; counting ends at 10,000; null without `endpoint`'
      })
    )
  },
  {
    title: 'ResendPreview',
    description: 'What a bulk resend would send.',
    examples: [{ resent: 12, skipped: 0, missed: null }]
  }
)

/** GET /stores/{store}/webhook-deliveries/resend-failed */
export function previewResendRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/webhook-deliveries/resend-failed',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'previewFailedWebhookDeliveries',
        summary: 'Preview a bulk resend',
        description: 'Counts what resending the failed deliveries since a time would send now. Sends nothing.',
        params: StoreParams,
        querystring: Type.Object({
          since: NeededIsoDate('Deliveries that failed since then'),
          endpoint: endpointId()
        }),
        response: { 200: ResendPreview }
      }
    },
    (request) => {
      const { since, endpoint } = request.query
      const from = instantOrUndefined(since, storeOf(request).timezone)!
      return request.inStore((ctx) => previewResend(ctx, { since: from, endpoint }))
    }
  )
}
