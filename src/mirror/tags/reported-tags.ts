import { type Ctx, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import { type TaggedKind, tagKey } from '#platform'
import { compareTags, hasToChange, type KeptTags } from './compare-tags.ts'
import { listKeptTags, ownerKey } from './tag-queries.ts'

/** Tags of which the platform reports that they were added or removed, or all that an owner has now (`tags`). */
export type ReportedTags = { platformId: string } & ({ added: string[] } | { removed: string[] } | { tags: string[] })

/** So often in an hour the tags of an owner are put back at once; after that once in an hour, in case another app does the same. */
const REPAIRS_AN_HOUR = 5

/**
 * Has owners compared with the platform of which it reports something that should not be so. A report of what we did ourselves is as
 * it should be; an old one costs a comparison and no more. What is reported of other owners, and of other tags, is not ours.
 */
export async function applyReportedTags(ctx: Ctx, kind: TaggedKind, reports: ReportedTags[]): Promise<void> {
  if (reports.length === 0) return
  const owners = await listReported(
    ctx,
    kind,
    reports.map(({ platformId }) => platformId)
  )
  if (owners.length === 0) return
  const kept = await listKeptTags(
    ctx,
    owners.map(({ ownerId }) => ({ kind, ownerId }))
  )
  const ofOwner = Map.groupBy(reports, ({ platformId }) => platformId)
  const wrong = owners.filter(({ ownerId, platformId }) => {
    const of = kept.get(ownerKey({ kind, ownerId }))!
    return ofOwner.get(platformId)!.some((report) => isWrong(kind, of, report))
  })
  await markToRepair(
    ctx,
    kind,
    wrong.map((owner) => ({ ownerId: owner.ownerId, ...repairOf(owner, ctx.now) }))
  )
}

function isWrong(kind: TaggedKind, kept: KeptTags, report: ReportedTags): boolean {
  if ('tags' in report) return hasToChange(compareTags(kind, kept, report.tags))
  if ('removed' in report) {
    const removed = new Set(report.removed.map(tagKey))
    return kept.wanted.some((tag) => removed.has(tagKey(tag)))
  }
  const added = new Set(report.added.map(tagKey))
  const wanted = new Set(kept.wanted.map(tagKey))
  return kept.known.some(({ tag, isOurs }) => isOurs && added.has(tagKey(tag)) && !wanted.has(tagKey(tag)))
}

const ReportedOwner = row({ ownerId: int, platformId: text, repairs: int, repairsSince: nullable(instant) })

async function listReported(ctx: Ctx, kind: TaggedKind, ids: string[]): Promise<RowOf<typeof ReportedOwner>[]> {
  if (kind === 'order') {
    return ctx.tx.many(
      ReportedOwner,
      sql`
      select o.owner_id, r.platform_order_id as platform_id, o.repairs, o.repairs_since
        from orders r join tag_owners o on o.store_id = ${ctx.storeId} and o.kind = 'order' and o.owner_id = r.id
       where r.store_id = ${ctx.storeId} and r.platform_order_id = any(${ids}::text[])`
    )
  }
  return ctx.tx.many(
    ReportedOwner,
    sql`
    select o.owner_id, m.platform_customer_id as platform_id, o.repairs, o.repairs_since
      from members m join tag_owners o on o.store_id = ${ctx.storeId} and o.kind = 'customer' and o.owner_id = m.id
     where m.store_id = ${ctx.storeId} and m.platform_customer_id = any(${ids}::text[])`
  )
}

type Repair = { dueAt: Temporal.Instant; repairs: number; since: Temporal.Instant }

function repairOf({ repairs, repairsSince }: RowOf<typeof ReportedOwner>, now: Temporal.Instant): Repair {
  const end = repairsSince?.add({ hours: 1 })
  if (!end || Temporal.Instant.compare(end, now) <= 0) return { dueAt: now, repairs: 1, since: now }
  return { dueAt: repairs < REPAIRS_AN_HOUR ? now : end, repairs: repairs + 1, since: repairsSince! }
}

async function markToRepair(ctx: Ctx, kind: TaggedKind, owners: (Repair & { ownerId: number })[]): Promise<void> {
  if (owners.length === 0) return
  await ctx.tx.run(sql`
    update tag_owners o
       set due_at = least(o.due_at, r.due_at),
           waits_since = case when o.due_at is null then ${ctx.now}::timestamptz else o.waits_since end,
           version = o.version + 1, attempts = 0, problem = null, repairs = r.repairs, repairs_since = r.since
      from unnest(${owners.map(({ ownerId }) => ownerId)}::bigint[], ${owners.map(({ dueAt }) => dueAt)}::timestamptz[],
                  ${owners.map(({ repairs }) => repairs)}::int[], ${owners.map(({ since }) => since)}::timestamptz[])
             as r(id, due_at, repairs, since)
     where o.store_id = ${ctx.storeId} and o.kind = ${kind} and o.owner_id = r.id`)
}
