import { bool, type Ctx, int, nullable, row, sql, text } from '#kit/postgres'
import { type KnownCustomer, knownCustomerColumns } from './customer.ts'
import { followMerges } from './follow-merges.ts'
import type { CustomerReference } from './resolve-customer.ts'

const Candidate = row({
  ...knownCustomerColumns,
  address: nullable(text),
  mergedInto: nullable(int),
  isDeleted: bool
})

/** A customer that the store has; `isDeleted` on the platform. */
export type LookedUpCustomer = KnownCustomer & { isDeleted: boolean }

/**
 * The customers of the store, members or not, whom each reference names, in the given order: nobody, one, or several who share an
 * address. In the place of one who was merged is who was kept; one who is deleted is found by an address only where nobody else has it.
 */
export async function lookUpCustomers(ctx: Ctx, references: CustomerReference[]): Promise<LookedUpCustomer[][]> {
  const named = await listCandidates(ctx, references)
  const merged = named.flatMap(({ id, mergedInto }) => (mergedInto === null ? [] : id))
  const keptOf = merged.length === 0 ? new Map<number, number>() : await followMerges(ctx, merged)
  const ids = [...new Set(keptOf.values())].map((memberId) => ({ memberId, platformId: null, email: null }))
  const kept = new Map((await listCandidates(ctx, ids)).map((one) => [one.id, one]))
  const remaining = (one: (typeof named)[number]) => kept.get(keptOf.get(one.id) ?? one.id) ?? one
  const [byId, byNumber] = [
    new Map(named.map((one) => [one.id, one])),
    new Map(named.map((one) => [one.platformCustomerId, one]))
  ]
  const byAddress = Map.groupBy(named, ({ address }) => address)
  return references.map(({ memberId, platformId, email }) => {
    const one = memberId !== null ? byId.get(memberId) : platformId !== null ? byNumber.get(platformId) : undefined
    if (one) return [remaining(one)]
    const sharing = new Set((email === null ? [] : (byAddress.get(email.toLowerCase()) ?? [])).map(remaining))
    const live = [...sharing].filter(({ isDeleted }) => !isDeleted)
    return live.length > 0 ? live : [...sharing]
  })
}

async function listCandidates(ctx: Ctx, references: CustomerReference[]) {
  if (references.length === 0) return []
  return ctx.tx.many(
    Candidate,
    sql`
    select id, platform_customer_id, email, first_name, last_name, status, member_since, lower(email) as address, merged_into,
           platform_deleted_at is not null as is_deleted
      from members where store_id = ${ctx.storeId} and id = any(${references.flatMap((r) => r.memberId ?? [])}::bigint[])
    union
    select id, platform_customer_id, email, first_name, last_name, status, member_since, lower(email), merged_into,
           platform_deleted_at is not null
      from members
     where store_id = ${ctx.storeId} and platform_customer_id = any(${references.flatMap((r) => r.platformId ?? [])}::text[])
    union
    select id, platform_customer_id, email, first_name, last_name, status, member_since, lower(email), merged_into,
           platform_deleted_at is not null
      from members
     where store_id = ${ctx.storeId}
       and lower(email) = any(${references.flatMap((r) => r.email?.toLowerCase() ?? [])}::text[])`
  )
}
