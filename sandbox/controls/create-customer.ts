import { invalidField } from '#kit/refusal'
import { ACCEPTED_COUNTRY, isCountry } from '#plans/pricing'
import { vaultCard } from '../checkout/vault-card.ts'
import type { Platform } from '../http.ts'
import { customerPayload } from '../outgoing/customer-payloads.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { findCustomerByEmail, insertCustomer } from '../state/customers.ts'
import { gid } from '../wire/gid.ts'
import { shopOf } from './refusals.ts'

export type NewTestCustomer = {
  storeId: number
  email: string
  firstName?: string | null
  lastName?: string | null
  /** ISO 3166-1 alpha-2, and the province's code, for tax and shipping addresses. */
  country?: string | null
  province?: string | null
}
export type TestCustomer = { id: string; gid: string; email: string }

/** Creates a customer with a stored test card, or returns the customer that already has the e-mail address. */
export async function createCustomer(platform: Platform, input: NewTestCustomer): Promise<TestCustomer> {
  const shop = await shopOf(platform, input.storeId)
  const email = input.email.trim()
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 255) throw invalidField('email', 'must be an e-mail address')
  const country = input.country?.toUpperCase() ?? null
  if (country !== null && !isCountry(country)) throw invalidField('country', `must be ${ACCEPTED_COUNTRY}`)
  const now = await platform.clock(shop.domain)
  const customer = await platform.db.inInstallation(async (q) => {
    const inserted = await insertCustomer(
      q,
      shop.storeId,
      {
        id: null,
        email,
        firstName: input.firstName || null,
        lastName: input.lastName || null,
        phone: null,
        country,
        province: input.province || null,
        note: null,
        tags: []
      },
      now
    )
    if (!inserted) return (await findCustomerByEmail(q, shop.storeId, email))!
    const { message } = await vaultCard(q, shop, inserted, inserted.outcome, now)
    await queueWebhooks(
      q,
      shop,
      webhookMessage([{ topic: 'customers/create', payload: customerPayload(shop, inserted) }, message]),
      now
    )
    return inserted
  })
  return { id: customer.id, gid: gid(shop, 'Customer', customer.id), email: customer.email ?? email }
}
