import { publicId } from '#kit/ids'
import { instant, int, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'
import { gid, type ProfileName } from '#platform'

/** A customer of the platform as its messages and answers tell of them. `id` is the platform's number, as text. */
export type CustomerTold = {
  id: string
  email: string | null
  firstName: string | null
  lastName: string | null
  countryCode?: string | null
  provinceCode?: string | null
  /** The platform's time of the change; null when the source does not tell it. */
  updatedAt?: Temporal.Instant | null
}

/** Someone the service knows: a member when `status` is not null. */
export const KnownCustomer = row({
  id: int,
  platformCustomerId: text,
  email: nullable(text),
  firstName: nullable(text),
  lastName: nullable(text),
  status: nullable(oneOf('active', 'paused', 'cancelled')),
  memberSince: nullable(instant)
})
export type KnownCustomer = RowOf<typeof KnownCustomer>

/** The `customer` of event payloads (spec 1, subscription.created). */
export function customerPayload(
  customer: {
    memberId: number
    platformCustomerId: string
    email: string | null
    firstName: string | null
    lastName: string | null
  },
  profile: ProfileName
) {
  return {
    id: publicId('cust', customer.memberId),
    shopify_id: gid(profile, 'Customer', customer.platformCustomerId),
    email: customer.email,
    first_name: customer.firstName,
    last_name: customer.lastName
  }
}
