import { Type } from 'typebox'
import { cancelSubscription } from '#lifecycle'
import type { HttpDeps } from '../../shared/deps.ts'
import { notBlank } from '../../shared/not-blank.ts'
import type { Surface } from '../../shared/surface.ts'
import { shopMinute } from '../shop-time.ts'
import { customerOf } from '../shoppers.ts'
import { ContractParams, ownSubscription } from './own-subscription.ts'

const CancelledContract = Type.Object(
  {
    shopify_contract_id: Type.String({ description: "The platform's number of the contract" }),
    status: Type.Literal('CANCELLED', { description: 'Always `CANCELLED`' }),
    cancelled_date: Type.String({ description: 'When it was cancelled, in shop time' }),
    cancel_reason: Type.String({ description: 'The reason that was given' })
  },
  {
    title: 'CancelledContract',
    description: 'A contract after its cancellation.',
    examples: [
      {
        shopify_contract_id: '9264106591',
        status: 'CANCELLED',
        cancelled_date: '2026-11-20 04:00',
        cancel_reason: 'too_expensive'
      }
    ]
  }
)

/**
 * POST /membership/churn/{contract_id}/cancellation (spec 2, Churn API). The reason is one of the nine aliases or the
 * customer's own words: the Data API reports a reason "selected or typed" (spec 2, Cancellation row).
 */
export function cancelContractRoute(storefront: Surface, { db, wake }: Pick<HttpDeps, 'db' | 'wake'>): void {
  storefront.post(
    '/membership/churn/:contract_id/cancellation',
    {
      config: { allow: 'customer' },
      schema: {
        operationId: 'cancelContract',
        summary: 'Cancel a membership',
        description: 'Cancels a contract of the customer who is logged in. It takes effect at once.',
        params: ContractParams,
        body: Type.Object({
          reason: Type.Optional(
            notBlank(200, {
              meaning: "One of the aliases of cancellation reasons, or the customer's own words; `other` by default",
              examples: ['too_expensive']
            })
          ),
          comment: Type.Optional(
            Type.String({
              maxLength: 1024,
              description: 'a text of at most 1024 characters',
              meaning: 'What the customer adds to the reason',
              examples: ['We are moving abroad.']
            })
          )
        }),
        response: { 200: CancelledContract }
      }
    },
    async (request) => {
      const { store } = customerOf(request)
      const { reason = 'other', comment = null } = request.body ?? {}
      const cancelled = await db.inStore(store.storeId, async (ctx) => {
        const { id, by } = await ownSubscription(ctx, request)
        return cancelSubscription(ctx, id, { reason: reason.trim(), comment, by })
      })
      wake(store.storeId)
      return {
        shopify_contract_id: cancelled.platformContractId,
        status: 'CANCELLED' as const,
        cancelled_date: shopMinute(cancelled.cancelledAt, store.timezone),
        cancel_reason: cancelled.cancelReason ?? ''
      }
    }
  )
}
