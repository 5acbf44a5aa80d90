import { internalId } from '#kit/ids'
import { type Bound, type Ctx, int, nullable, row, sql } from '#kit/postgres'
import { gid } from '#platform'
import type { PlatformProfileName } from '#stores'
import { type KnownCustomer, knownCustomerColumns } from './customer.ts'
import { followMerges } from './follow-merges.ts'
import { listCustomers } from './queries.ts'

export type CustomerIdReference = { memberId: number | null; platformId: string | null }

/**
 * The customer that a text references: our `cust_…` id, the platform's number, or its global id, tried in this order; both null
 * when it is none of them. A global id of another platform than the store's references nobody, even if its number exists here.
 */
export function parseCustomerId(given: string, profile: PlatformProfileName): CustomerIdReference {
  const prefix = gid(profile, 'Customer', '')
  const number = given.startsWith(prefix) ? given.slice(prefix.length) : given
  return { memberId: internalId('cust', given), platformId: /^[0-9]{1,20}$/.test(number) ? number : null }
}

/** `mergedInto`: the customer into whom the platform has merged them. */
const FoundCustomer = row({ ...knownCustomerColumns, mergedInto: nullable(int) })

/** Our number of one customer; null when the store does not have them. */
export async function findCustomerId(ctx: Ctx, reference: CustomerIdReference): Promise<number | null> {
  return (await findCustomers(ctx, [reference]))[0]?.id ?? null
}

/** As `findCustomerId`, but of one who was merged, the customer who was kept. */
export async function findKeptCustomerId(ctx: Ctx, reference: CustomerIdReference): Promise<number | null> {
  return (await findKeptCustomers(ctx, [reference]))[0]?.id ?? null
}

/**
 * As `findCustomers`, but in the place of one whom the platform has merged into another, perhaps several times, the customer who was
 * kept: what they owned belongs to that one now.
 */
export async function findKeptCustomers(
  ctx: Bound,
  references: CustomerIdReference[]
): Promise<(KnownCustomer | null)[]> {
  const found = await findCustomers(ctx, references)
  const merged = found.flatMap((customer) => (customer && customer.mergedInto !== null ? customer.id : []))
  if (merged.length === 0) return found
  const keptOf = await followMerges(ctx, merged)
  const kept = new Map((await listCustomers(ctx, [...keptOf.values()])).map((customer) => [customer.id, customer]))
  return found.map((customer) => customer && (kept.get(keptOf.get(customer.id)!) ?? customer))
}

/** The referenced customers, in the given order; null for one that the store does not have. */
export async function findCustomers(ctx: Bound, references: CustomerIdReference[]) {
  const memberIds = references.flatMap(({ memberId }) => memberId ?? [])
  const platformIds = references.flatMap(({ platformId }) => platformId ?? [])
  if (memberIds.length === 0 && platformIds.length === 0) return references.map(() => null)
  const found = await ctx.tx.many(
    FoundCustomer,
    sql`
    select id, platform_customer_id, email, first_name, last_name, status, member_since, merged_into
      from members where store_id = ${ctx.storeId} and id = any(${memberIds}::bigint[])
    union all
    select id, platform_customer_id, email, first_name, last_name, status, member_since, merged_into
      from members where store_id = ${ctx.storeId} and platform_customer_id = any(${platformIds}::text[])`
  )
  const byId = new Map(found.map((customer) => [customer.id, customer]))
  const byPlatformId = new Map(found.map((customer) => [customer.platformCustomerId, customer]))
  return references.map(({ memberId, platformId }) => {
    if (memberId !== null) return byId.get(memberId) ?? null
    return platformId === null ? null : (byPlatformId.get(platformId) ?? null)
  })
}
