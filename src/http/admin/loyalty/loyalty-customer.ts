import { Type } from 'typebox'
import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { findKeptCustomerId, findKnownCustomers } from '#members'
import type { PlatformProfileName } from '#stores'
import { ACCEPTED_CUSTOMER, parseCustomer } from '../../shared/parse-customer.ts'
import { StoreParams } from '../store.ts'

/** Names a customer of a store in a path. */
export const LoyaltyCustomerParams = Type.Object({
  ...StoreParams.properties,
  customer: Type.String({ maxLength: 330, description: ACCEPTED_CUSTOMER, examples: ['cust_24'] })
})

/** The same as a filter of a list. */
export const customerFilter = (meaning: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 330, description: ACCEPTED_CUSTOMER, meaning, examples: ['cust_24'] })
  )

/** Our number of the customer whom a request names by an id or an address. Refuses one whom the store does not have, and an address that several have. */
export async function namedCustomer(ctx: Ctx, given: string, profile: PlatformProfileName): Promise<number> {
  const reference = parseCustomer('customer', given, profile)
  const byAddress = reference.email !== null
  const [found, another] = byAddress
    ? await findKnownCustomers(ctx, reference)
    : [(await findKeptCustomerId(ctx, reference)) ?? undefined]
  if (found === undefined) {
    throw refused(
      'not_found',
      `There is no customer ${byAddress ? 'with the address ' : ''}${given}`,
      'names no customer of the store'
    )
  }
  if (another !== undefined) {
    const message = `Several customers have the address ${given}: give an id, or the platform's number`
    throw refused('conflict', message, 'must name one customer: several have this address')
  }
  return found
}

const refused = (code: 'not_found' | 'conflict', message: string, detail: string) =>
  new Refusal(code, message, [
    { field: 'customer', code: code === 'not_found' ? 'not_found' : 'invalid', message: detail }
  ])
