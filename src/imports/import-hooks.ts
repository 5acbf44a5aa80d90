import type { ImportStake } from '#contracts'
import { type Ctx, sql } from '#kit/postgres'
import type { PlatformContract } from '#platform'
import { fetchingSince, wakeFetching } from './queries.ts'
import { listKeysInCreation, listRowsOfContracts } from './row-queries.ts'

/**
 * What imports have to do with contracts that are new here, by id; others are left out. An import is `creating` a contract before
 * we have the platform's response. It has `awaited` what it has still to take over, or, while the platform's list is fetched, may
 * have: the import knows how the contract begins. It has `left` out what it named and did not take over.
 */
export async function importStakes(ctx: Ctx, contracts: PlatformContract[]): Promise<Map<string, ImportStake>> {
  if (contracts.length === 0) return new Map()
  const keys = contracts.flatMap(({ createKey }) => createKey ?? [])
  const creating = keys.length === 0 ? new Set<string>() : await listKeysInCreation(ctx, keys)
  const named = new Map(
    (
      await listRowsOfContracts(
        ctx,
        contracts.map(({ id }) => id)
      )
    ).map(({ contractId, isAwaited }) => [contractId, isAwaited])
  )
  const fetching = await fetchingSince(ctx)
  const stakeOf = ({ id, createKey, createdAt }: PlatformContract): ImportStake | null => {
    if (createKey && creating.has(createKey)) return 'creating'
    const isListed = fetching && Temporal.Instant.compare(createdAt, fetching) < 0
    if (named.get(id) || isListed) return 'awaited'
    return named.has(id) ? 'left' : null
  }
  return new Map(
    contracts.flatMap((contract) => {
      const stake = stakeOf(contract)
      return stake ? [[contract.id, stake] as const] : []
    })
  )
}

/** Continues the imports that wait for these bulk operations, which have ended. */
export function resumeImportsOfOperations(ctx: Ctx, ids: string[]): Promise<void> {
  return wakeFetching(ctx, ids)
}

/**
 * Removes a customer's data from rows: their fields and original text. The rows' outcomes stay. Rows are also matched by the
 * e-mail address stored here, since a refused row may have no customer id. Returns the number of rows.
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
