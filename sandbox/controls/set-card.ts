import { invalidField } from '#kit/refusal'
import { cardDigits, OUTCOMES } from '../billing/outcomes.ts'
import { cardInUse, vaultCard } from '../checkout/vault-card.ts'
import type { Platform } from '../http.ts'
import { paymentMethodPayload } from '../outgoing/customer-payloads.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { findCustomer, scriptCard } from '../state/customers.ts'
import { replaceCard } from '../state/payment-methods.ts'
import { customerNotFound, idFrom, shopOf } from './refusals.ts'

/**
 * Scripts the outcomes of charges to the customer's card from now on. Each outcome of a list is for one charge, the last one for
 * all that follow. The card's digits change with the outcome, which sends a webhook about an updated payment method. A customer
 * without a valid card gets a new one.
 */
export async function setCard(
  platform: Platform,
  set: { storeId: number; customerId: string; outcome: string | string[] }
): Promise<{ outcome: string; next: string[] }> {
  const shop = await shopOf(platform, set.storeId)
  const id = idFrom('customer', set.customerId)
  const outcomes = (Array.isArray(set.outcome) ? set.outcome : [set.outcome]).map((outcome) => outcome.toLowerCase())
  const last = outcomes.at(-1)
  if (last === undefined || outcomes.some((outcome) => !OUTCOMES.includes(outcome))) {
    throw invalidField('outcome', `must be one of ${OUTCOMES.join(', ')}`)
  }
  const now = await platform.clock(shop.domain)
  await platform.db.inInstallation(async (q) => {
    const customer = await findCustomer(q, shop.storeId, id)
    if (!customer) throw customerNotFound(id)
    await scriptCard(q, shop.storeId, id, outcomes.slice(0, -1), last)
    if (!(await cardInUse(q, shop.storeId, id))) {
      const { message } = await vaultCard(q, shop, customer, outcomes[0]!, now)
      await queueWebhooks(q, shop, webhookMessage([message]), now)
      return
    }
    const changed = await replaceCard(q, shop.storeId, id, cardDigits(outcomes[0]!))
    const messages = changed.map((method) => ({
      topic: 'customer_payment_methods/update' as const,
      payload: paymentMethodPayload(shop, method)
    }))
    await queueWebhooks(q, shop, webhookMessage(messages), now)
  })
  return { outcome: last, next: outcomes.slice(0, -1) }
}
