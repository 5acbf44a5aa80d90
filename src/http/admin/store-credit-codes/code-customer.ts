import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { findCustomerId, parseCustomerId } from '#members'
import type { PlatformProfileName } from '#stores'

/** The member id of the customer in a path. */
export async function codeCustomer(ctx: Ctx, customer: string, profile: PlatformProfileName): Promise<number> {
  const memberId = await findCustomerId(ctx, parseCustomerId(customer, profile))
  if (memberId !== null) return memberId
  throw new Refusal('not_found', `There is no customer ${customer.slice(0, 100)}`, [
    { field: 'customer', code: 'not_found', message: 'names no customer of the store' }
  ])
}
