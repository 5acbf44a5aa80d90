import type { Queries } from '#kit/postgres'
import { paymentToken } from '../admin/customers/customers.ts'
import { cardDigits } from '../billing/outcomes.ts'
import { paymentMethodPayload } from '../outgoing/customer-payloads.ts'
import type { Shop } from '../shop.ts'
import { type Customer, displayNameOf } from '../state/customers.ts'
import { insertPaymentMethod, listPaymentMethods, type PaymentMethod } from '../state/payment-methods.ts'

/** Stores a new test card with `outcome` for the customer; returns it with its webhook. */
export async function vaultCard(q: Queries, shop: Shop, customer: Customer, outcome: string, now: Temporal.Instant) {
  const card = {
    brand: 'Visa',
    lastDigits: cardDigits(outcome),
    expiryMonth: 8,
    expiryYear: 2060,
    holder: displayNameOf(customer)
  }
  const fields = { ...card, token: paymentToken(), customerId: customer.id }
  const method = (await insertPaymentMethod(q, shop.storeId, fields, now))!
  const message = { topic: 'customer_payment_methods/create' as const, payload: paymentMethodPayload(shop, method) }
  return { method, message }
}

/** The customer's newest card that is not revoked. */
export async function cardInUse(q: Queries, storeId: number, customerId: string): Promise<PaymentMethod | null> {
  const methods = await listPaymentMethods(q, storeId, [customerId])
  return methods.find(({ revokedAt }) => revokedAt === null) ?? null
}
