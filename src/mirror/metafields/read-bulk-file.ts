import { bool, type Ctx, type Database, int, row, sql, text } from '#kit/postgres'
import { downloadLines, type FoundMetafield, lineObject, numericIdOf, type PlatformFile } from '#platform'
import { keysOf } from './all-metafields.ts'
import { type KnownLine, listKnownMetafields, ownerKey, replaceKnownMetafields } from './owner-queries.ts'
import { reportChanges } from './report-changes.ts'
import { hashOf } from './wanted-metafields.ts'

/** Customers whose lines are applied by one transaction. */
const AT_ONCE = 500

/** `begunAt`: when the platform began the file. `linesRead`: how many of its lines were applied before. */
type Reading = { begunAt: Temporal.Instant; linesRead: number; budgetMs: number }

/**
 * Takes what the platform's file shows of its customers for what is known. Customers that were written or read since it was begun are left
 * out. Stops after `budgetMs`, so that other work of the store gets its turn. Returns how many customers were applied, and how many lines
 * were by now; null at the end of the file. Throws DownloadFailed.
 */
export async function applyBulkFile(
  db: Database,
  storeId: number,
  file: PlatformFile,
  { begunAt, linesRead, budgetMs }: Reading
): Promise<{ customers: number; linesRead: number | null }> {
  const until = performance.now() + budgetMs
  const ours = new Set(keysOf('customer'))
  let customers = new Map<string, FoundMetafield[]>()
  let count = 0
  let lines = 0
  const apply = async () => {
    const found = customers
    customers = new Map()
    count += found.size
    await db.inStore(storeId, (ctx) => applyCustomers(ctx, found, begunAt))
  }
  for await (const chunk of downloadLines(file)) {
    for (const line of chunk) {
      if (line === '') continue
      lines++
      if (lines <= linesRead) continue
      const one = lineObject(line) as Record<string, string>
      if (one.__parentId === undefined) {
        if (customers.size >= AT_ONCE) {
          await apply()
          if (performance.now() > until) return { customers: count, linesRead: lines - 1 }
        }
        customers.set(numericIdOf(one.id!)!, [])
      } else if (ours.has(one.key!)) {
        const { key, type, value, compareDigest: digest } = one
        // A customer's lines follow it, and belong to it alone.
        customers.get(numericIdOf(one.__parentId)!)?.push({ key: key!, type: type!, value: value!, digest: digest! })
      }
    }
  }
  await apply()
  return { customers: count, linesRead: null }
}

async function applyCustomers(
  ctx: Ctx,
  found: Map<string, FoundMetafield[]>,
  begunAt: Temporal.Instant
): Promise<void> {
  if (found.size === 0) return
  const members = await ctx.tx.many(
    row({ id: int, platformId: text, isInDoubt: bool }),
    sql`
    select m.id, m.platform_customer_id as platform_id, coalesce(o.attempts, 0) > 0 as is_in_doubt from members m
      left join metafield_owners o on o.store_id = ${ctx.storeId} and o.kind = 'customer' and o.owner_id = m.id
     where m.store_id = ${ctx.storeId} and m.platform_customer_id = any(${[...found.keys()]}::text[])
       and (o.owner_id is null or o.leased_until is null or o.leased_until < statement_timestamp())
       and (o.synced_at is null or o.synced_at < ${begunAt})`
  )
  const owners = members.map(({ id }) => ({ kind: 'customer' as const, ownerId: id }))
  const known = await listKnownMetafields(ctx, owners)
  const changed = members.flatMap(({ id, platformId, isInDoubt }) => {
    const owner = { kind: 'customer' as const, ownerId: id }
    const lines = found
      .get(platformId)!
      .map(({ key, type, value, digest }): KnownLine => ({ ...owner, key, hash: hashOf(type, value), digest }))
    const before = known.get(ownerKey(owner))!
    const isSame = lines.length === before.size && lines.every(({ key, digest }) => before.get(key)?.digest === digest)
    return isSame ? [] : [{ owner, platformId, isInDoubt, lines }]
  })
  if (changed.length === 0) return
  // What is known of an owner has its row; due are those that differ from what is derived later in the walk.
  const ids = changed.map(({ owner }) => owner.ownerId)
  await ctx.tx.run(sql`
    insert into metafield_owners (store_id, kind, owner_id, changed_at)
    select ${ctx.storeId}, 'customer', o.id, ${ctx.now} from unnest(${ids}::bigint[]) as o(id)
     order by o.id
    on conflict (store_id, kind, owner_id) do nothing`)
  // Whoever has claimed or written one since it was looked at knows better.
  const locked = await ctx.tx.many(
    row({ id: int }),
    sql`
    select owner_id as id from metafield_owners o
     where o.store_id = ${ctx.storeId} and o.kind = 'customer' and o.owner_id = any(${ids}::bigint[])
       and (o.leased_until is null or o.leased_until < statement_timestamp())
       and (o.synced_at is null or o.synced_at < ${begunAt})
     order by o.owner_id for update`
  )
  const ours = new Set(locked.map(({ id }) => id))
  const replaced = changed.filter(({ owner }) => ours.has(owner.ownerId))
  await reportChanges(
    ctx,
    // What we have written without an answer may be there.
    replaced
      .filter(({ isInDoubt }) => !isInDoubt)
      .map(({ owner, platformId }) => ({ owner, platformId, found: found.get(platformId)! }))
  )
  await replaceKnownMetafields(
    ctx,
    replaced.map(({ owner }) => owner),
    replaced.flatMap(({ lines }) => lines)
  )
}
