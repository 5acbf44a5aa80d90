import { mapConcurrently } from '#kit/map-concurrently'
import type { PlatformClient } from '../wire/client.ts'
import { findByIds } from '../wire/find-by-ids.ts'
import { type PlatformResult, succeeded } from '../wire/outcome.ts'
import { type PlatformCustomer, readCustomer, readEmail } from './customer.ts'
import { CustomerByPhone, CustomerCards, CustomersByEmail, CustomersByIds, CustomerUpdate } from './documents.ts'

/** The fields of a customer to change; a field that is left out stays, null removes its value. */
export type CustomerChange = { id: string; email?: string | null; firstName?: string | null; lastName?: string | null }

export type CustomersApi = {
  /** By id; leaves out customers that the platform does not have. */
  findMany(ids: string[]): Promise<PlatformResult<Map<string, PlatformCustomer>>>
  /** By e-mail address, the ids of the customers that have it. */
  findByEmails(emails: string[]): Promise<PlatformResult<Map<string, string[]>>>
  /** By telephone number in international form, such as +43123456789, the id of the customer; null when nobody has it. */
  findByPhone(phone: string): Promise<PlatformResult<string | null>>
  /** One result per change, in the order given and independent of the others. Safe to repeat. */
  update(changes: CustomerChange[]): Promise<PlatformResult<PlatformCustomer>[]>
  /**
   * By customer, the global ids of the payment methods that can be charged; leaves out customers that the platform does not have.
   */
  findPaymentMethods(customerIds: string[]): Promise<PlatformResult<Map<string, string[]>>>
}

const UPDATES_AT_ONCE = 8
const SEARCHES_AT_ONCE = 4

export function createCustomersApi(client: PlatformClient): CustomersApi {
  return {
    findMany: (ids) => findByIds(client, 'Customer', CustomersByIds, ids, readCustomer),
    findByEmails: (emails) => findByEmails(client, emails),
    findByPhone: (phone) =>
      client.query(CustomerByPhone, { phone }, (data) =>
        data.has('customerByIdentifier') ? data.at('customerByIdentifier').id('id') : null
      ),
    update: (changes) => updateCustomers(client, changes),
    findPaymentMethods: (customerIds) => findPaymentMethods(client, customerIds)
  }
}

/** One document per customer: an objection of the platform to one must not stop the others. */
function updateCustomers(
  client: PlatformClient,
  changes: CustomerChange[]
): Promise<PlatformResult<PlatformCustomer>[]> {
  return mapConcurrently(changes, UPDATES_AT_ONCE, ({ id, ...fields }) =>
    client.mutate(CustomerUpdate, { input: { id: client.gid('Customer', id), ...fields } }, (payload) =>
      readCustomer(payload.at('customer'))
    )
  )
}

async function findPaymentMethods(client: PlatformClient, customerIds: string[]) {
  const found = await findByIds(client, 'Customer', CustomerCards, customerIds, (customer) => {
    const methods = customer.at('paymentMethods').list('nodes')
    return {
      id: customer.id('id'),
      usable: methods.filter((method) => !method.has('revokedAt')).map((method) => method.text('id'))
    }
  })
  return found.ok ? succeeded(new Map([...found.value.values()].map(({ id, usable }) => [id, usable]))) : found
}

/** The platform's search also finds similar addresses; those are dropped here. */
async function findByEmails(client: PlatformClient, emails: string[]): Promise<PlatformResult<Map<string, string[]>>> {
  const results = await mapConcurrently(emails, SEARCHES_AT_ONCE, (email) =>
    client.query(CustomersByEmail, { query: `email:"${email.replace(/["\\]/g, '\\$&')}"` }, (data) =>
      data
        .at('customers')
        .list('nodes')
        .filter((node) => readEmail(node)?.toLowerCase() === email.toLowerCase())
        .map((node) => node.id('id'))
    )
  )
  const found = new Map<string, string[]>()
  for (const [i, result] of results.entries()) {
    if (!result.ok) return result
    found.set(emails[i]!, result.value)
  }
  return succeeded(found)
}
