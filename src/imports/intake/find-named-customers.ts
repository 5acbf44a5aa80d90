import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { type CustomerIdReference, type LookedUpCustomer, lookUpCustomers } from '#members'

/** Whom a row names: by an id, by an address, or by both, which then are of one customer. */
export type NamedRow = { customer: CustomerIdReference | null; email: string | null }

type NotFound = { field: string; message: string }

/** The customers of rows, after merges, or what is wrong with how they are named, in the order of the rows. */
export async function findNamedCustomers(
  ctx: Ctx,
  rows: NamedRow[]
): Promise<({ found: LookedUpCustomer; problem: null } | { found: null; problem: NotFound })[]> {
  const nobody = { memberId: null, platformId: null, email: null }
  const found = await lookUpCustomers(
    ctx,
    rows.flatMap(({ customer, email }) => [
      { ...nobody, ...customer },
      { ...nobody, email }
    ])
  )
  const problem = (field: string, message: string) => ({ found: null, problem: { field, message } })
  return rows.map(({ customer }, i) => {
    const [[byId], byEmail] = [found[2 * i]!, found[2 * i + 1]!]
    if (customer !== null) {
      if (!byId) return problem('customer_id', 'There is no customer with this id')
      const [other] = byEmail
      if (!other || byEmail.some(({ id }) => id === byId.id)) return { found: byId, problem: null }
      const [one, two] = [publicId('cust', byId.id), publicId('cust', other.id)]
      return problem('customer_id', `customer_id and email name two customers: ${one} and ${two}`)
    }
    const [one, another] = byEmail
    if (!one) return problem('email', 'There is no customer with this address')
    if (another) return problem('email', 'Several customers have this address; give customer_id')
    return { found: one, problem: null }
  })
}
