import { type Ctx, sql } from '#kit/postgres'
import type { PlatformContract } from '#platform'
import { fetchingSince, wakeFetching } from './queries.ts'
import { listKeysInCreation, listNamed } from './row-queries.ts'

/**
 * Contracts that an import is just making, by id: the platform tells of them before we have its answer. Who hears of one
 * looks again later, since the import knows how it begins.
 */
export async function contractsInCreation(ctx: Ctx, contracts: PlatformContract[]): Promise<Set<string>> {
  const keys = contracts.flatMap(({ createKey }) => createKey ?? [])
  const making = keys.length === 0 ? new Set<string>() : await listKeysInCreation(ctx, keys)
  return new Set(contracts.filter(({ createKey }) => createKey && making.has(createKey)).map(({ id }) => id))
}

/**
 * Contracts that others have billed so far, by id, among those that are new here. `awaited` are what imports that are not over
 * have still to take over, or, while the platform's list is fetched, may have: who hears of one looks again later, since the
 * import says how it begins. `left` were named by an import that did not take them over.
 */
export async function contractsOfImports(
  ctx: Ctx,
  contracts: PlatformContract[]
): Promise<{ awaited: Set<string>; left: Set<string> }> {
  if (contracts.length === 0) return { awaited: new Set(), left: new Set() }
  const named = await listNamed(
    ctx,
    contracts.map(({ id }) => id)
  )
  const begun = await fetchingSince(ctx)
  const listed = contracts.filter(({ createdAt }) => begun && Temporal.Instant.compare(createdAt, begun) < 0)
  const awaited = new Set(named.flatMap(({ contractId, isAwaited }) => (isAwaited ? contractId : [])))
  const left = new Set(named.flatMap(({ contractId, isAwaited }) => (isAwaited ? [] : contractId)))
  for (const { id } of listed) awaited.add(id)
  return { awaited, left }
}

/** Bulk operations have ended: imports that wait for them go on. */
export function resumeImportsOfOperations(ctx: Ctx, ids: string[]): Promise<void> {
  return wakeFetching(ctx, ids)
}

/**
 * Removes what rows say of a person: their address, their number and their card. What became of the rows stays. Also rows
 * with the address that we know of them are theirs: one that was refused bears no number.
 */
export async function forgetCustomer(
  ctx: Ctx,
  { platformCustomerId, email }: { platformCustomerId: string; email: string | null }
): Promise<number> {
  return ctx.tx.run(sql`
    update import_rows r set input = case when r.status = 'waiting' then '{}'::jsonb end, original = null
     where r.store_id = ${ctx.storeId} and num_nonnulls(r.input, r.original) > 0 and r.status <> 'creating'
       and (position(lower(${email}::text) in lower(r.original)) > 0
            or exists (select from members m where m.store_id = ${ctx.storeId} and m.platform_customer_id = ${platformCustomerId}
                         and position(lower(m.email) in lower(r.original)) > 0)
            or lower(r.input->>'email') = lower(${email}::text)
            or lower(r.input->>'email') in (select lower(m.email) from members m
                where m.store_id = ${ctx.storeId} and m.platform_customer_id = ${platformCustomerId})
            or regexp_replace(r.input->>'customer_id', '^.*/', '') = ${platformCustomerId}
            or r.platform_customer_id = ${platformCustomerId}
            or r.subscription_id in (select s.id from subscriptions s
                 join members m on m.store_id = ${ctx.storeId} and m.id = s.member_id
                where s.store_id = ${ctx.storeId} and m.platform_customer_id = ${platformCustomerId}))`)
}
