import { Type } from 'typebox'
import { type Bound, type Ctx, sentTogether } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { findKeptCustomerId, findKeptCustomers, parseCustomerId } from '#members'
import { type PlatformProfileName, storeContext } from '#stores'

/** Names the customer whose store credit is read or changed. */
export const CustomerParams = Type.Object({
  customer_id: Type.String({
    description: "a customer id, the platform's number or its global id",
    examples: ['cust_24']
  })
})

/** The member id of the customer in a path, or of who was kept where they were merged. Refuses one who is not in the store. */
export async function creditCustomer(ctx: Ctx, customer: string, profile: PlatformProfileName): Promise<number> {
  const id = await findKeptCustomerId(ctx, parseCustomerId(customer, profile))
  if (id === null) throw noSuchCustomer(customer)
  return id
}

/** The customers of paths as `creditCustomer` finds them, in the given order, or null; with them goes what else a change of their credit reads. */
export async function creditCustomers(ctx: Bound, named: { customer: string; profile: PlatformProfileName }[]) {
  const [customers] = await sentTogether(
    findKeptCustomers(
      ctx,
      named.map(({ customer, profile }) => parseCustomerId(customer, profile))
    ),
    storeContext(ctx)
  )
  return customers
}

export const noSuchCustomer = (customer: string) =>
  new Refusal('not_found', `There is no customer ${customer.slice(0, 100)}`)
