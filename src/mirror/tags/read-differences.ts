import { type Ctx, type Database, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import type { PlatformResult, TaggedKind } from '#platform'
import { compareTags, type TagDifference } from './compare-tags.ts'
import { listKeptTags, listPlatformIds, ownerKey } from './tag-queries.ts'
import { ORDER_DAYS, type TagPlace } from './tag-walks.ts'
import type { TagOwner } from './wanted-tags.ts'

const ListedOwner = row({ kind: oneOf('customer', 'order'), ownerId: int, leaseToken: int })
type ListedOwner = RowOf<typeof ListedOwner>

const OwnerNow = row({
  kind: oneOf('customer', 'order'),
  ownerId: int,
  waitsSince: nullable(instant),
  nextTryAt: nullable(instant),
  lastError: nullable(text),
  problem: nullable(text)
})
type OwnerNow = RowOf<typeof OwnerNow>

/**
 * An owner as we have it and as the platform has it. `difference` is null where the platform does not show the owner. `waitsSince`: since
 * when (store time) its tags are to be compared or written, so that a difference is no surprise; `nextTryAt`: when that is tried, which
 * may be now; `lastError`: why the last try came to nothing. All are null where nothing is to be done.
 */
export type ComparedOwner = TagOwner & {
  platformId: string
  wanted: string[]
  difference: TagDifference | null
  waitsSince: Temporal.Instant | null
  nextTryAt: Temporal.Instant | null
  lastError: string | null
  problem: string | null
}

/** Where the owners begin that are to be compared; `ownerId`: only this one; `isAll`: old orders too. */
export type TagPage = { kind: TaggedKind; afterId: number; limit: number; ownerId?: number; isAll?: boolean }

/**
 * Compares a page of owners, or one, with the platform, and changes nothing. `next` is where the next page begins. `read` reads
 * the tags on the platform.
 */
export async function readDifferences(
  db: Database,
  storeId: number,
  page: TagPage,
  read: (kind: TaggedKind, ids: string[]) => Promise<PlatformResult<Map<string, string[]>>>
): Promise<PlatformResult<{ owners: ComparedOwner[]; next: TagPlace }>> {
  const { owners, next } = await db.inStore(storeId, (ctx) => listOwners(ctx, page))
  if (owners.length === 0) return { ok: true, value: { owners: [], next } }
  const found = await read(
    page.kind,
    owners.map(({ platformId }) => platformId)
  )
  if (!found.ok) return found
  // What is kept is read after the platform. A change in between looks like a difference: the owner waits then, or the engine has
  // claimed it meanwhile, and what the platform showed may be from before that.
  const [kept, now] = await db.inStore(storeId, async (ctx) => [
    await listKeptTags(ctx, owners),
    new Map((await findOwners(ctx, owners)).map((one) => [ownerKey(one), one]))
  ])
  const compared = owners.flatMap(({ kind, ownerId, platformId }): ComparedOwner[] => {
    const state = now.get(ownerKey({ kind, ownerId }))
    if (!state) return []
    const of = kept.get(ownerKey({ kind, ownerId }))!
    const present = found.value.get(platformId)
    const difference = present ? compareTags(kind, of, present) : null
    const { waitsSince, nextTryAt, lastError, problem } = state
    return [{ kind, ownerId, platformId, wanted: of.wanted, difference, waitsSince, nextTryAt, lastError, problem }]
  })
  return { ok: true, value: { owners: compared, next } }
}

/** Whether the platform has not what we have for it, and nothing is known of it. */
export const isDifferent = ({ difference, problem }: ComparedOwner): boolean =>
  difference !== null && (difference.add.length > 0 || difference.remove.length > 0 || difference.problem !== problem)

async function listOwners(ctx: Ctx, { kind, afterId, limit, ownerId, isAll }: TagPage) {
  const oldest =
    kind === 'order' && ownerId === undefined && !isAll ? ctx.now.subtract({ hours: 24 * ORDER_DAYS }) : null
  const listed = await ctx.tx.many(
    ListedOwner,
    sql`
    select kind, owner_id, lease_token from tag_owners
     where store_id = ${ctx.storeId} and kind = ${kind} and owner_id > ${afterId}
       and (${ownerId ?? null}::bigint is null or owner_id = ${ownerId ?? null})
       and (${oldest}::timestamptz is null or changed_at > ${oldest})
     order by owner_id limit ${limit}`
  )
  const ids = await listPlatformIds(ctx, listed)
  const owners = listed.flatMap((one) => {
    const of = ids.get(ownerKey(one))
    return of && !of.isDeleted ? [{ ...one, platformId: of.platformId }] : []
  })
  return { owners, next: placeAfter(kind, listed, limit) }
}

function placeAfter(kind: TaggedKind, listed: ListedOwner[], limit: number): TagPlace {
  if (listed.length === limit) return { kind, afterId: listed.at(-1)!.ownerId }
  return kind === 'customer' ? { kind: 'order', afterId: 0 } : null
}

/**
 * The listed owners as they are now. One that the engine has worked on since waits from now on; one that a version from before has made
 * due, which does not say since when, no longer than from now on.
 */
function findOwners(ctx: Ctx, listed: ListedOwner[]): Promise<OwnerNow[]> {
  return ctx.tx.many(
    OwnerNow,
    sql`
    with o as (
      select t.kind, t.owner_id, t.waits_since, t.last_error, t.problem,
             coalesce(t.due_at, case when t.lease_token <> w.token then ${ctx.now}::timestamptz end) as next_try_at
        from tag_owners t
        join unnest(${listed.map(({ kind }) => kind)}::text[], ${listed.map(({ ownerId }) => ownerId)}::bigint[],
                    ${listed.map(({ leaseToken }) => leaseToken)}::int[]) as w(kind, id, token)
          on w.kind = t.kind and w.id = t.owner_id
       where t.store_id = ${ctx.storeId})
    select kind, owner_id, next_try_at, problem, case when next_try_at is not null then last_error end as last_error,
           case when next_try_at is not null then coalesce(waits_since, least(next_try_at, ${ctx.now})) end as waits_since
      from o`
  )
}
