import { publicId } from '#kit/ids'
import { instant, int, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'
import { type AccountState, type Consent, gid, type ProfileName } from '#platform'

/** A customer as the platform reports them. `id` is the platform's number, as text. */
export type CustomerUpdate = {
  id: string
  email: string | null
  firstName: string | null
  lastName: string | null
  countryCode?: string | null
  provinceCode?: string | null
  /** The platform's time of the change; null when the source does not have it. */
  updatedAt?: Temporal.Instant | null
  /** When the platform has made them; null when the source does not have it. */
  createdAt?: Temporal.Instant | null
  /** Null when the source does not have it. Its time is that of the change. */
  accountState?: AccountState | null
  /** Null when the source does not have it. */
  emailConsent?: Consent | null
  smsConsent?: Consent | null
  /** All of them; null when the source does not have them. Their time is that of the change. */
  tags?: string[] | null
  /** They come from a read of what the platform had before: what is new to us is not new. */
  isPast?: boolean
}

const MAX_NAME = 200
const MAX_EMAIL = 320

/** Cuts texts that are longer than we store: a long name is no reason to refuse a customer. */
export function truncateFields<Update extends Pick<CustomerUpdate, 'email' | 'firstName' | 'lastName'>>(
  reported: Update
): Update {
  return {
    ...reported,
    email: first(reported.email, MAX_EMAIL),
    firstName: first(reported.firstName, MAX_NAME),
    lastName: first(reported.lastName, MAX_NAME)
  }
}

/** Cuts whole characters: PostgreSQL refuses half of a surrogate pair. */
function first(text: string | null, max: number): string | null {
  return text !== null && text.length > max ? [...text.slice(0, 2 * max)].slice(0, max).join('') : text
}

export const knownCustomerColumns = {
  id: int,
  platformCustomerId: text,
  email: nullable(text),
  firstName: nullable(text),
  lastName: nullable(text),
  status: nullable(oneOf('active', 'paused', 'cancelled')),
  memberSince: nullable(instant)
}
/** A customer that has a row here; a member when `status` is not null. */
export const KnownCustomer = row(knownCustomerColumns)
export type KnownCustomer = RowOf<typeof KnownCustomer>

/**
 * The ordering key of every fact about a customer, whatever else it is about: consumers get the facts of one customer in
 * order. With it come member.created before what the customer holds, and a charge before the credit that it pays for.
 */
export const customerKey = (memberId: number) => `member:${memberId}` as const

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
