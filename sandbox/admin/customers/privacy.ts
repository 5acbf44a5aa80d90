import { type CustomerMore, findCustomerByEmail, insertCustomer, updateCustomer } from '../../state/customers.ts'
import type { Api } from '../../wire/api.ts'
import { gid, numberIn } from '../../wire/gid.ts'
import { userError } from '../user-errors.ts'
import { normalEmail } from './save-customer.ts'

/** Somebody does not want their data sold. Who is unknown becomes a customer by it. */
export async function optOutOfSale(_root: unknown, args: { email: string }, api: Api) {
  const email = normalEmail(args.email)
  if (!email || !/^[^\s@]+@[^\s@]+$/.test(email)) {
    return { customerId: null, userErrors: [userError(null, 'Data sale opt out failed.', 'FAILED')] }
  }
  const { storeId } = api.shop
  const id = await api.write(async (q, now) => {
    const known = await findCustomerByEmail(q, storeId, email)
    if (known) {
      await updateCustomer(q, storeId, known.id, { ...known, more: { ...known.more, saleOptOut: true } }, now)
      return known.id
    }
    const nothing = {
      firstName: null,
      lastName: null,
      phone: null,
      country: null,
      province: null,
      note: null,
      tags: []
    }
    const made = await insertCustomer(q, storeId, { id: null, email, ...nothing, more: { saleOptOut: true } }, now)
    return made!.id
  })
  return { customerId: gid(api.shop, 'Customer', id), userErrors: [] }
}

/** Asks for a customer's data to be erased, or no longer asks. The shop's people send what follows from it. */
export const erasureMutation =
  (erasureRequested: boolean) => async (_root: unknown, args: { customerId: string }, api: Api) => {
    const customer = await api.load.customer.get(numberIn(api.shop, 'Customer', args.customerId))
    if (!customer) {
      return { customerId: null, userErrors: [userError(['customerId'], 'Customer does not exist', 'DOES_NOT_EXIST')] }
    }
    const more: CustomerMore = { ...customer.more, erasureRequested }
    await api.write((q, now) => updateCustomer(q, api.shop.storeId, customer.id, { ...customer, more }, now))
    return { customerId: args.customerId, userErrors: [] }
  }
