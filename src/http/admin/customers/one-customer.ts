import { Type } from 'typebox'
import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { type LookedUpCustomer, lookUpCustomers } from '#members'
import type { Store } from '#stores'
import { ACCEPTED_CUSTOMER, parseCustomer } from '../../shared/parse-customer.ts'
import { StoreParams } from '../store.ts'
import { severalWithAddress } from './several-with-address.ts'

/** Names a customer of a store in a path. */
export const CustomerParams = Type.Object({
  ...StoreParams.properties,
  customer: Type.String({ description: ACCEPTED_CUSTOMER, examples: ['hanna.ito@example.com'] })
})

/** The customer that a path names, members or not; of one who was merged, who was kept. Refuses nobody, and an address of several. */
export async function requireCustomer(
  ctx: Ctx,
  given: string,
  { platformProfile }: Pick<Store, 'platformProfile'>
): Promise<LookedUpCustomer> {
  const reference = parseCustomer('customer', given, platformProfile)
  const [found, ...others] = (await lookUpCustomers(ctx, [reference]))[0]!
  if (!found) throw noSuchCustomer(given, reference.email)
  if (others.length > 0) throw severalWithAddress(given)
  return found
}

/** Refuses a customer whom the store does not have. */
export const noSuchCustomer = (given: string, email: string | null) =>
  new Refusal('not_found', `There is no customer ${email === null ? '' : 'with the address '}${given.slice(0, 330)}`, [
    { field: 'customer', code: 'not_found', message: 'names no customer of the store' }
  ])
