import { invalidField } from '#kit/refusal'
import { type CustomerReference, parseCustomerId } from '#members'
import type { PlatformProfileName } from '#stores'

/** How a body can refer to a customer. */
export const ACCEPTED_CUSTOMER =
  "a customer id such as cust_24, the platform's number, its global id, or an e-mail address"

const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,255}$/

/** The customer that a field of a body refers to. Refuses a text that is neither an id nor an address. */
export function parseCustomer(field: string, given: string, profile: PlatformProfileName): CustomerReference {
  if (ADDRESS.test(given)) return { memberId: null, platformId: null, email: given.toLowerCase() }
  const { memberId, platformId } = parseCustomerId(given, profile)
  if (memberId === null && platformId === null) throw invalidField(field, `must be ${ACCEPTED_CUSTOMER}`)
  return { memberId, platformId, email: null }
}
