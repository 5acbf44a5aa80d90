import type { Ctx } from '#kit/postgres'
import type { Consent } from '#platform'
import { type CustomerUpdate, type KnownCustomer, truncateFields } from './customer.ts'
import { findErasedCustomers } from './erased-customers.ts'
import { insertMissingCustomers } from './insert-missing-customers.ts'
import { updateCustomers } from './update-customers.ts'

/**
 * Inserts or updates customers that the platform reported, and returns them by the platform's id. A change of a member's public
 * fields is recorded as member.updated. An update that is older than the stored one changes nothing. Of customers who were erased nothing
 * is stored: their rows without the person are returned.
 */
export async function upsertCustomers(ctx: Ctx, customers: CustomerUpdate[]): Promise<Map<string, KnownCustomer>> {
  const wanted = newestOfEach(customers)
  await insertMissingCustomers(ctx, wanted)
  const known = await updateCustomers(ctx, wanted)
  if (known.size === wanted.length) return known
  const missing = wanted.map(({ id }) => id).filter((id) => !known.has(id))
  return new Map([...known, ...(await findErasedCustomers(ctx, missing))])
}

/** One update of each customer: the newest, with the newest of each consent and of the account. */
export function newestOfEach(customers: CustomerUpdate[]): CustomerUpdate[] {
  const newest = new Map<string, CustomerUpdate>()
  for (const customer of customers) {
    const other = newest.get(customer.id)
    newest.set(customer.id, other ? newestOf(other, customer) : truncateFields(customer))
  }
  return [...newest.values()]
}

function newestOf(earlier: CustomerUpdate, later: CustomerUpdate): CustomerUpdate {
  const isOlder =
    earlier.updatedAt && later.updatedAt && Temporal.Instant.compare(later.updatedAt, earlier.updatedAt) < 0
  const [old, fresh] = isOlder ? [later, earlier] : [earlier, truncateFields(later)]
  return {
    ...fresh,
    createdAt: fresh.createdAt ?? old.createdAt ?? null,
    accountState: fresh.accountState ?? old.accountState ?? null,
    emailConsent: newestConsent(earlier.emailConsent, later.emailConsent),
    smsConsent: newestConsent(earlier.smsConsent, later.smsConsent)
  }
}

/** What has no time is older than what has one. */
function newestConsent(earlier: Consent | null | undefined, later: Consent | null | undefined): Consent | null {
  if (!earlier || !later) return later ?? earlier ?? null
  if (!earlier.at) return later
  return later.at && Temporal.Instant.compare(later.at, earlier.at) >= 0 ? later : earlier
}
