import { invalidField } from '#kit/refusal'
import { ACCEPTED_COUNTRY, isCountry } from '#plans/pricing'
import { vaultCard } from '../checkout/vault-card.ts'
import type { Platform } from '../http.ts'
import { customerPayload } from '../outgoing/customer-payloads.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { findCustomerByEmail, findCustomerByPhone, insertCustomer } from '../state/customers.ts'
import { gid } from '../wire/gid.ts'
import { shopOf } from './refusals.ts'

export type NewTestCustomer = {
  storeId: number
  email: string
  firstName?: string | null
  lastName?: string | null
  /** With its country code: a plus sign and digits. */
  phone?: string | null
  /** ISO 3166-1 alpha-2, and the province's code, for tax and shipping addresses. */
  country?: string | null
  province?: string | null
}
export type TestCustomer = { id: string; gid: string; email: string }

/** Telephone numbers as the platform keeps them. */
const E164 = /^\+[1-9][0-9]{6,14}$/
const ACCEPTED_PHONE = 'a telephone number with its country code, such as +14155550123'

/** Creates a customer with a stored test card, or returns the customer that already has the e-mail address. */
export async function createCustomer(platform: Platform, input: NewTestCustomer): Promise<TestCustomer> {
  const shop = await shopOf(platform, input.storeId)
  const email = input.email.trim()
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 255) throw invalidField('email', 'must be an e-mail address')
  const country = input.country?.toUpperCase() ?? null
  if (country !== null && !isCountry(country)) throw invalidField('country', `must be ${ACCEPTED_COUNTRY}`)
  const phone = input.phone || null
  if (phone !== null && !E164.test(phone)) throw invalidField('phone', `must be ${ACCEPTED_PHONE}`)
  const now = await platform.clock(shop.domain)
  const customer = await platform.db.inInstallation(async (q) => {
    const holder = phone === null ? null : await findCustomerByPhone(q, shop.storeId, phone)
    if (holder && holder.email !== email) throw invalidField('phone', 'must be a number that no other customer has')
    const inserted = await insertCustomer(
      q,
      shop.storeId,
      {
        id: null,
        email,
        firstName: input.firstName || null,
        lastName: input.lastName || null,
        phone,
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
