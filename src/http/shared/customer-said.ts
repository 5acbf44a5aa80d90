import { invalidField } from '#kit/refusal'
import { type CustomerSaid, customerReference } from '#members'
import type { PlatformProfileName } from '#stores'

/** What names a customer in a body. */
export const TAKES_CUSTOMER =
  "a customer id such as cust_24, the platform's number, its global id, or an e-mail address"

const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,255}$/

/** Whom a field of a body means. Refuses what is no id and no address. */
export function customerSaid(field: string, given: string, profile: PlatformProfileName): CustomerSaid {
  if (ADDRESS.test(given)) return { memberId: null, platformId: null, email: given.toLowerCase() }
  const { memberId, platformId } = customerReference(given, profile)
  if (memberId === null && platformId === null) throw invalidField(field, `takes ${TAKES_CUSTOMER}`)
  return { memberId, platformId, email: null }
}
