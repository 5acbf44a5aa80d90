import type { Ctx } from '#kit/postgres'
import { findErased, type PlatformContract } from '#platform'

/**
 * The contracts without the customers who were erased, and what they pay with: the platform may still have them. `ofErased`: the numbers of
 * theirs, which are not to be charged.
 */
export async function withoutErased(
  ctx: Ctx,
  contracts: PlatformContract[]
): Promise<{ contracts: PlatformContract[]; ofErased: string[] }> {
  const erased = await findErased(
    ctx,
    contracts.map(({ customer }) => `customer:${customer!.id}` as const)
  )
  const isErased = ({ customer }: PlatformContract) => erased.has(`customer:${customer!.id}`)
  return {
    contracts: contracts.map((contract) => (isErased(contract) ? withoutPerson(contract) : contract)),
    ofErased: contracts.filter(isErased).map(({ id }) => id)
  }
}

const withoutPerson = (contract: PlatformContract): PlatformContract => ({
  ...contract,
  customer: contract.customer && { ...contract.customer, email: null, firstName: null, lastName: null },
  paymentMethod: null,
  paymentMethodId: null
})
