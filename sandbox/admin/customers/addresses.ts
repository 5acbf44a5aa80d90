import { GraphQLError } from 'graphql'
import {
  type CustomerAddress,
  deleteCustomerAddresses,
  findCustomerAddress,
  insertCustomerAddress,
  keepCountry,
  makeDefaultAddress,
  updateCustomerAddress
} from '../../state/customer-addresses.ts'
import type { Customer } from '../../state/customers.ts'
import type { Api } from '../../wire/api.ts'
import { numberIn, parseGid } from '../../wire/gid.ts'
import { type UserError, userError } from '../user-errors.ts'
import { type AddressInput, addressProblems, linesFrom } from './address-input.ts'
import { presentAddress } from './present-address.ts'

const refused = (...userErrors: UserError[]) => ({ address: null, userErrors })
const noCustomer = () => userError(['customerId'], 'Customer does not exist')

const customerOf = (api: Api, id: string) => api.load.customer.get(numberIn(api.shop, 'Customer', id))

/** The address of an id. One that does not exist is an error of the whole field, as recorded. */
async function addressOf(api: Api, id: string): Promise<CustomerAddress> {
  const parsed = parseGid(api.shop, id)
  const found =
    parsed?.type === 'MailingAddress' && /^\d{1,18}$/.test(parsed.id)
      ? await findCustomerAddress(api.db.direct, api.shop.storeId, parsed.id)
      : null
  if (found) return found
  throw new GraphQLError(`Invalid id: ${id}`, { extensions: { code: 'RESOURCE_NOT_FOUND' } })
}

type Args = { customerId: string; addressId: string; address: AddressInput; setAsDefault?: boolean | null }

export async function createAddress(_root: unknown, args: Args, api: Api) {
  const customer = await customerOf(api, args.customerId)
  if (!customer) return refused(noCustomer())
  const problems = addressProblems(args.address, ['address'])
  if (problems.length > 0) return refused(...problems)
  const lines = linesFrom(args.address, null, customer)
  const id = await api.write(async (q) => {
    const { storeId } = api.shop
    const made = await insertCustomerAddress(q, storeId, customer.id, lines)
    if (args.setAsDefault) await makeDefaultAddress(q, storeId, customer.id, made)
    else await keepCountry(q, storeId, customer.id)
    return made
  })
  return { address: presentAddress(id, lines), userErrors: [] }
}

/** The customer and the address that belongs to them. */
async function both(api: Api, args: Args): Promise<{ customer: Customer; address: CustomerAddress } | UserError> {
  const address = await addressOf(api, args.addressId)
  const customer = await customerOf(api, args.customerId)
  if (!customer) return noCustomer()
  return address.customerId === customer.id ? { customer, address } : userError(['addressId'], 'Address does not exist')
}

export async function updateAddress(_root: unknown, args: Args, api: Api) {
  const found = await both(api, args)
  if ('message' in found) return refused(found)
  const problems = addressProblems(args.address, ['address'])
  if (problems.length > 0) return refused(...problems)
  const { customer, address } = found
  const lines = linesFrom(args.address, address.body, customer)
  await api.write(async (q) => {
    await updateCustomerAddress(q, api.shop.storeId, address.id, lines)
    if (args.setAsDefault) await makeDefaultAddress(q, api.shop.storeId, customer.id, address.id)
    else await keepCountry(q, api.shop.storeId, customer.id)
  })
  return { address: presentAddress(address.id, lines), userErrors: [] }
}

export async function deleteAddress(_root: unknown, args: Args, api: Api) {
  const found = await both(api, args)
  if ('message' in found) return { deletedAddressId: null, userErrors: [found] }
  await api.write((q) => deleteCustomerAddresses(q, api.shop.storeId, found.customer.id, [found.address.id]))
  return { deletedAddressId: args.addressId, userErrors: [] }
}

export async function setDefaultAddress(_root: unknown, args: Args, api: Api) {
  const found = await both(api, args)
  if ('message' in found) return { customer: null, userErrors: [found] }
  await api.write((q) => makeDefaultAddress(q, api.shop.storeId, found.customer.id, found.address.id))
  return { customer: await api.load.customer.get(found.customer.id), userErrors: [] }
}
