import type { Queries } from '#kit/postgres'
import { consentMessage } from '../outgoing/consent-payloads.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import type { Shop } from '../shop.ts'
import { type Consent, type Customer, updateCustomer } from '../state/customers.ts'

/** Changes whether a customer who exists wants e-mails, or texts to the telephone. */
export async function changeConsentOf(
  q: Queries,
  shop: Shop,
  old: Customer,
  channel: 'email' | 'sms',
  consent: Consent,
  now: Temporal.Instant
): Promise<void> {
  const customer = { ...old, more: { ...old.more, [channel]: consent } }
  await updateCustomer(q, shop.storeId, customer.id, customer, now)
  await queueWebhooks(q, shop, webhookMessage([consentMessage(shop, customer, channel)]), now)
}
