import { routesIn } from '../shared/surface.ts'
import type { RestDeps } from './deps.ts'

/** Every route of the direct API, in the order of its document. */
export const REST_ROUTES = await routesIn<RestDeps>([
  import('./members/list-members.ts'),
  import('./members/get-member.ts'),
  import('./members/update-member.ts'),
  import('./subscriptions/list-subscriptions.ts'),
  import('./subscriptions/get-subscription.ts'),
  import('./subscriptions/pause-subscription.ts'),
  import('./subscriptions/resume-subscription.ts'),
  import('./subscriptions/cancel-subscription.ts'),
  import('./subscriptions/skip-cycle.ts'),
  import('./subscriptions/reactivate-subscription.ts'),
  import('./subscriptions/change-subscription.ts'),
  import('./subscriptions/list-activity.ts'),
  import('./subscriptions/gift-subscription.ts'),
  import('./subscriptions/revoke-gift.ts'),
  import('./billing-attempts/list-billing-attempts.ts'),
  import('./billing-attempts/retry-billing-attempt.ts'),
  import('./analytics/get-analytics-overview.ts'),
  import('./store-credits/get-store-credit.ts'),
  import('./store-credits/list-credit-history.ts'),
  import('./store-credits/add-store-credit.ts'),
  import('./store-credits/deduct-store-credit.ts')
])
