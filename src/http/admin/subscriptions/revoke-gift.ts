import { revokeGift } from '#lifecycle'
import type { Surface } from '../../shared/surface.ts'
import { changedSubscription, SubscriptionParams } from './one-subscription.ts'
import { SubscriptionBody } from './present-subscription.ts'

/** DELETE /stores/{store}/subscriptions/{id}/gift */
export function revokeGiftRoute(admin: Surface): void {
  admin.delete(
    '/stores/:store/subscriptions/:id/gift',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'revokeGift',
        summary: 'Revoke a gift',
        description: 'The customer who pays becomes the member again, and `gift` is null.',
        params: SubscriptionParams,
        response: { 200: SubscriptionBody }
      }
    },
    (request) => changedSubscription(request, revokeGift)
  )
}
