import { endSubscriptionReward, subscriptionRewardNotFound } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { numberedParams, numberInPath } from '../../numbered.ts'
import { storeOf } from '../../store.ts'
import { presentSubscriptionReward, SubscriptionRewardBody } from './present-subscription-reward.ts'

/** POST /stores/{store}/loyalty/subscription-rewards/{reward}/end */
export function endSubscriptionRewardRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/loyalty/subscription-rewards/:reward/end',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'endLoyaltySubscriptionReward',
        summary: 'End a reward on renewals',
        description:
          'What is left of it is taken off the contract a moment later. The renewals that had it stay as they are. 409 where it is over.',
        params: numberedParams('reward', 'a reward on renewals'),
        response: { 200: SubscriptionRewardBody }
      }
    },
    async (request) => {
      const id = numberInPath(request.params.reward, subscriptionRewardNotFound)
      const ended = await request.inStore((ctx) => endSubscriptionReward(ctx, id))
      return presentSubscriptionReward(ended, storeOf(request).currency)
    }
  )
}
