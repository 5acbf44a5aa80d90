import { Type } from 'typebox'
import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { findCustomerId, parseCustomerId } from '#members'
import type { PlatformProfileName } from '#stores'

/** Names the customer whose store credit is read or changed. */
export const CustomerParams = Type.Object({
  customer_id: Type.String({
    description: "a customer id, the platform's number or its global id",
    examples: ['cust_24']
  })
})

/** The member id of the customer in a path. Refuses one who is not in the store. */
export async function creditCustomer(ctx: Ctx, customer: string, profile: PlatformProfileName): Promise<number> {
  const id = await findCustomerId(ctx, parseCustomerId(customer, profile))
  if (id === null) throw noSuchCustomer(customer)
  return id
}

export const noSuchCustomer = (customer: string) =>
  new Refusal('not_found', `There is no customer ${customer.slice(0, 100)}`)
