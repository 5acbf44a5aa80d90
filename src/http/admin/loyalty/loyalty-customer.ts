import { Type } from 'typebox'
import type { Ctx } from '#kit/postgres'
import { findKeptCustomerId, findKnownCustomers } from '#members'
import type { PlatformProfileName } from '#stores'
import { ACCEPTED_CUSTOMER, parseCustomer } from '../../shared/parse-customer.ts'
import { noSuchCustomer } from '../customers/one-customer.ts'
import { severalWithAddress } from '../customers/several-with-address.ts'
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
  const [found, another] =
    reference.email !== null
      ? await findKnownCustomers(ctx, reference)
      : [(await findKeptCustomerId(ctx, reference)) ?? undefined]
  if (found === undefined) throw noSuchCustomer(given, reference.email)
  if (another !== undefined) throw severalWithAddress(given)
  return found
}
