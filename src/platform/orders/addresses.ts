import type { PlatformClient } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import type { PlatformResult } from '../wire/outcome.ts'
import { AddressesOfBoth } from './documents.ts'

/** Where something is sent or billed to, as it was entered. */
export type PlatformAddress = {
  address1: string | null
  address2: string | null
  city: string | null
  zip: string | null
  countryCode: string | null
}

/** The addresses of an order, and those of a customer: the customer's own, and those of their latest orders. */
export type FoundAddresses = { ofOrder: PlatformAddress[]; ofCustomer: PlatformAddress[] }

/** What the platform does not have, or withholds from us, has no addresses. */
export function findAddresses(
  client: PlatformClient,
  orderId: string,
  customerId: string
): Promise<PlatformResult<FoundAddresses>> {
  const ids = { order: client.gid('Order', orderId), customer: client.gid('Customer', customerId) }
  return client.query(AddressesOfBoth, ids, (data) => {
    const order = data.maybeAt('order')
    const customer = data.maybeAt('customer')
    return {
      ofOrder: order ? addressesOfOrder(order) : [],
      ofCustomer: [
        ...nodesOf(customer, 'addressesV2').map(readAddress),
        ...nodesOf(customer, 'orders').flatMap(addressesOfOrder)
      ]
    }
  })
}

const nodesOf = (of: Fields | null, key: string): Fields[] => of?.maybeAt(key)?.known('nodes') ?? []

const addressesOfOrder = (order: Fields): PlatformAddress[] =>
  [order.maybeAt('shippingAddress'), order.maybeAt('billingAddress')].flatMap((one) => (one ? readAddress(one) : []))

const readAddress = (address: Fields): PlatformAddress => ({
  address1: address.maybeText('address1'),
  address2: address.maybeText('address2'),
  city: address.maybeText('city'),
  zip: address.maybeText('zip'),
  countryCode: address.maybeText('countryCodeV2')
})
