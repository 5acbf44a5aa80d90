import { type Ctx, sql } from '#kit/postgres'
import type { PlatformContract } from '#platform'
import { fetchingSince, wakeFetching } from './queries.ts'
import { listKeysInCreation, listRowsOfContracts } from './row-queries.ts'

/**
 * The ids of the contracts that an import is creating now: the platform's message can arrive before the response does. The
 * caller must check such a contract again later, since the import decides its first state.
 */
export async function contractsInCreation(ctx: Ctx, contracts: PlatformContract[]): Promise<Set<string>> {
  const keys = contracts.flatMap(({ createKey }) => createKey ?? [])
  const inCreation = keys.length === 0 ? new Set<string>() : await listKeysInCreation(ctx, keys)
  return new Set(contracts.filter(({ createKey }) => createKey && inCreation.has(createKey)).map(({ id }) => id))
}

/**
 * The ids of new contracts that another service has billed until now. `awaited`: an unfinished import has still to process them,
 * or may have, while the platform's list is being fetched; the caller must check them again later, since the import decides their
 * first state. `left`: an import has them in a row but did not import them.
 */
export async function contractsOfImports(
  ctx: Ctx,
  contracts: PlatformContract[]
): Promise<{ awaited: Set<string>; left: Set<string> }> {
  if (contracts.length === 0) return { awaited: new Set(), left: new Set() }
  const rows = await listRowsOfContracts(
    ctx,
    contracts.map(({ id }) => id)
  )
  const since = await fetchingSince(ctx)
  const listed = contracts.filter(({ createdAt }) => since && Temporal.Instant.compare(createdAt, since) < 0)
  const awaited = new Set(rows.flatMap(({ contractId, isAwaited }) => (isAwaited ? contractId : [])))
  const left = new Set(rows.flatMap(({ contractId, isAwaited }) => (isAwaited ? [] : contractId)))
  for (const { id } of listed) awaited.add(id)
  return { awaited, left }
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
