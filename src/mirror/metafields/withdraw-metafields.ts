import { type Ctx, sql } from '#kit/postgres'
import { type Connector, MAX_METAFIELDS_PER_CALL, type PlatformResult, succeeded } from '#platform'
import { wasReached } from '../was-reached.ts'
import { keysOf } from './all-metafields.ts'

/** From now on nothing is written for these customers, by our numbers: their data is to be erased. */
export async function withdrawMetafields(ctx: Ctx, memberIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into metafield_owners (store_id, kind, owner_id, is_withdrawn, changed_at)
    select ${ctx.storeId}, 'customer', m.id, true, ${ctx.now} from unnest(${memberIds}::bigint[]) as m(id) order by m.id
    on conflict (store_id, kind, owner_id) do update
      set is_withdrawn = true, version = metafield_owners.version + 1, due_at = null, problem = null`)
}

/**
 * Deletes everything of ours on the platform of customers, by the platform's numbers. Fails only where the platform was not reached: one that
 * it does not have any more has nothing of ours, and where we may not write any more, nobody but the shop can.
 */
export async function deleteCustomerMetafields(
  { metafields }: Connector,
  customerIds: string[]
): Promise<PlatformResult<null>> {
  const keys = keysOf('customer')
  // Each by itself where all are refused together: one of them may be gone.
  const atOnce = Math.floor(MAX_METAFIELDS_PER_CALL / keys.length)
  const placesOf = (ids: string[]) =>
    ids.flatMap((ownerId) => keys.map((key) => ({ owner: 'customer' as const, ownerId, key })))
  for (let at = 0; at < customerIds.length; at += atOnce) {
    const ids = customerIds.slice(at, at + atOnce)
    const together = await metafields.delete(placesOf(ids))
    if (together.ok) continue
    for (const id of ids) {
      const one = await metafields.delete(placesOf([id]))
      if (!one.ok && !wasReached(one.failure)) return one
    }
  }
  return succeeded(null)
}
