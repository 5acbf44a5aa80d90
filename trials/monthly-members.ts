import type { Sandbox } from '../sandbox/index.ts'

type Fixtures = Parameters<Sandbox['controls']['importFixtures']>[0]

/**
 * Customers of a sandbox shop who have paid for a monthly contract each, for `importFixtures`. Contract and order have their
 * number.
 */
export function monthlyMembers(
  customers: { id: string; email: string }[]
): Pick<Fixtures, 'customers' | 'orders' | 'contracts'> {
  return {
    customers,
    orders: customers.map(({ id }) => ({ id, customerId: id, total: '29.00' })),
    contracts: customers.map(({ id }) => ({
      id,
      customerId: id,
      price: '29.00',
      interval: 'MONTH',
      intervalCount: 1,
      originOrderId: id
    }))
  }
}
