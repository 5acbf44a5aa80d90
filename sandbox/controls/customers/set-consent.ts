import { invalidField, Refusal } from '#kit/refusal'
import { normalPhone } from '../../admin/customers/phone.ts'
import { changeConsentOf } from '../../customers/change-consent.ts'
import type { Platform } from '../../http.ts'
import { findCustomer, findCustomerByPhone } from '../../state/customers.ts'
import { customerNotFound, idFrom, shopOf } from '../refusals.ts'

/** What a customer can say; the platform has more words, which come about otherwise. */
export const SETTABLE_CONSENTS = ['subscribed', 'unsubscribed', 'pending'] as const

/**
 * A customer says whether they want e-mails, or texts to their telephone: `phone` is the one that they enter with it. Refuses texts
 * to nobody's telephone.
 */
export async function setConsent(
  platform: Platform,
  input: {
    storeId: number
    customerId: string
    channel: 'email' | 'sms'
    state: (typeof SETTABLE_CONSENTS)[number]
    phone?: string | null
  }
): Promise<{ id: string }> {
  const shop = await shopOf(platform, input.storeId)
  const id = idFrom('customer', input.customerId)
  const phone = input.phone ? normalPhone(input.phone) : null
  if (input.phone && phone === null) throw invalidField('phone', 'must be a telephone number such as +14155550123')
  const now = await platform.clock(shop.domain)
  await platform.db.inInstallation(async (q) => {
    const found = await findCustomer(q, shop.storeId, id)
    if (!found) throw customerNotFound(id)
    const customer = { ...found, phone: phone ?? found.phone }
    const holder = phone === null ? null : await findCustomerByPhone(q, shop.storeId, phone)
    if (holder && holder.id !== id) throw invalidField('phone', 'must not be the number of another customer')
    if (input.channel === 'sms' && customer.phone === null) throw noPhone(id)
    const consent = { state: input.state.toUpperCase(), optInLevel: 'SINGLE_OPT_IN', updatedAt: String(now) }
    await changeConsentOf(q, shop, customer, input.channel, consent, now)
  })
  return { id }
}

const noPhone = (id: string) => new Refusal('conflict', `Sandbox customer ${id} has no telephone: give one with phone`)
