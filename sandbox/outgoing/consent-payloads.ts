import type { Shop } from '../shop.ts'
import type { Consent, Customer } from '../state/customers.ts'
import { formsOf, number } from './json.ts'

/** What the shop sends when a consent of a customer has changed. */
export function consentMessage(shop: Shop, customer: Customer, channel: 'email' | 'sms') {
  return channel === 'email'
    ? ({
        topic: 'customers_email_marketing_consent/update',
        payload: {
          customer_id: number(customer.id),
          email_address: customer.email,
          email_marketing_consent: consentFields(shop, customer.more.email)
        }
      } as const)
    : ({
        topic: 'customers_marketing_consent/update',
        payload: {
          id: number(customer.id),
          phone: customer.phone,
          sms_marketing_consent: { ...consentFields(shop, customer.more.sms), consent_collected_from: 'other' }
        }
      } as const)
}

function consentFields(shop: Shop, consent: Consent | undefined) {
  const at = consent?.updatedAt ? Temporal.Instant.from(consent.updatedAt) : null
  return {
    state: (consent?.state ?? 'not_subscribed').toLowerCase(),
    opt_in_level: consent?.optInLevel?.toLowerCase() ?? null,
    consent_updated_at: formsOf(shop).atOrNull(at)
  }
}
