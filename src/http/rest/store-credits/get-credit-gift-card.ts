import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { Refusal } from '#kit/refusal'
import { CreditGiftCardBody } from '#resources'
import { findGiftCard } from '#spending'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope, envelope } from '../envelope.ts'
import { CustomerParams, creditCustomer } from './credit-customer.ts'

/** GET /store-credits/{customer_id}/gift-card */
export function getCreditGiftCardRoute(rest: Surface, { vault }: RestDeps): void {
  rest.get(
    '/store-credits/:customer_id/gift-card',
    {
      config: { allow: 'read:store_credits' },
      schema: {
        operationId: 'getStoreCreditGiftCard',
        summary: "Read a customer's gift card",
        description:
          "The platform's gift card on which the customer has store credit, where the plan pays out gift cards. It is shown as it was when it was last compared with the platform, after each change here and once a day: a card that the shop has deactivated is replaced only then. The code is shown only to a key that may also write: who knows it can spend the card.",
        params: CustomerParams,
        response: { 200: Envelope(CreditGiftCardBody) }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const { profile, scopes } = callerOf(request)
        const memberId = await creditCustomer(ctx, request.params.customer_id, profile)
        const card = await findGiftCard(ctx, vault, memberId)
        if (!card) throw new Refusal('not_found', 'The customer has no gift card with store credit')
        return envelope({
          customer_id: publicId('cust', memberId),
          last_characters: card.lastCharacters,
          code: scopes.has('write:store_credits') ? card.code : null,
          created_at: isoOf(card.createdAt),
          notified_at: isoOrNull(card.notifiedAt)
        })
      })
  )
}
