import { Type } from 'typebox'
import { cancelSubscription } from '#billing'
import { publicId } from '#kit/ids'
import { Refusal } from '#kit/refusal'
import { numericIdOf } from '#platform'
import { findSubscriptionByContract } from '#subscriptions'
import type { HttpDeps } from '../shared/deps.ts'
import type { Surface } from '../shared/surface.ts'
import { proxiedOf } from './proxy.ts'
import { shopMinute } from './shop-time.ts'

const CancellationBody = Type.Object({
  shopify_contract_id: Type.String(),
  status: Type.Literal('CANCELLED'),
  cancelled_date: Type.String(),
  cancel_reason: Type.String()
})

/**
 * A logged-in customer cancels their own contract. The reason is one of the nine aliases of the Churn API or the
 * customer's own words: the Data API reports a reason "selected or typed" (spec 2, Cancellation row).
 */
export function registerCancellation(storefront: Surface, { db, wake }: Pick<HttpDeps, 'db' | 'wake'>): void {
  storefront.post(
    '/membership/churn/:contract_id/cancellation',
    {
      schema: {
        params: Type.Object({ contract_id: Type.String({ description: 'a contract id' }) }),
        body: Type.Object({
          reason: Type.String({
            minLength: 1,
            maxLength: 200,
            pattern: '\\S',
            description: 'a text of 1 to 200 characters'
          }),
          comment: Type.Optional(Type.String({ maxLength: 1024, description: 'a text of at most 1024 characters' }))
        }),
        response: { 200: CancellationBody }
      }
    },
    async (request) => {
      const { store, loggedInCustomerId } = proxiedOf(request)
      const { reason, comment } = request.body
      const contractId = contractNumber(request.params.contract_id)
      if (loggedInCustomerId === null) throw new Refusal('forbidden', 'Log in to cancel a membership')

      const cancelled = await db.inStore(store.storeId, async (ctx) => {
        const found = contractId === null ? null : await findSubscriptionByContract(ctx, contractId)
        if (!found) throw new Refusal('not_found', `There is no contract ${request.params.contract_id.slice(0, 100)}`)
        if (found.customerPlatformId !== loggedInCustomerId) {
          throw new Refusal('forbidden', 'This contract belongs to another customer')
        }
        const by = { actor: 'customer', actorId: publicId('cust', found.memberId) } as const
        return cancelSubscription(ctx, found.id, { reason: reason.trim(), comment: comment ?? null, by })
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

/** The number of a contract, from itself or from its global id. */
function contractNumber(text: string): string | null {
  return /^[0-9]{1,20}$/.test(text) ? text : numericIdOf(text)
}
