import { dueQuery, type LeaseRelease } from '#kit/engines'
import { bool, type Ctx, directSql, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { tagKey } from '#platform'
import { MAX_RETRIED } from '../retry-after.ts'
import type { KeptTags, KnownTag } from './compare-tags.ts'
import type { TagOwner, TagSource } from './wanted-tags.ts'

const owner = { kind: oneOf('customer', 'order'), ownerId: int }

/** A key of an owner for maps. */
export const ownerKey = ({ kind, ownerId }: TagOwner): string => `${kind} ${ownerId}`

const kindsOf = (owners: TagOwner[]) => owners.map(({ kind }) => kind)
const idsOf = (owners: TagOwner[]) => owners.map(({ ownerId }) => ownerId)

/** What a source wants of these owners now. */
export async function listWantedBy(
  ctx: Ctx,
  source: TagSource,
  kind: TagOwner['kind'],
  ownerIds: number[]
): Promise<Map<number, string[]>> {
  const rows = await ctx.tx.many(
    row({ ownerId: int, tag: text }),
    sql`
    select owner_id, tag from wanted_tags
     where store_id = ${ctx.storeId} and kind = ${kind} and owner_id = any(${ownerIds}::bigint[]) and source = ${source}`
  )
  const wanted = new Map<number, string[]>()
  for (const { ownerId, tag } of rows) wanted.set(ownerId, [...(wanted.get(ownerId) ?? []), tag])
  return wanted
}

/** Makes owners, or has existing ones compared anew: what stood in the way may be gone. */
export async function markWantedChanged(ctx: Ctx, kind: TagOwner['kind'], ownerIds: number[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into tag_owners (store_id, kind, owner_id, due_at, waits_since, changed_at)
    select ${ctx.storeId}, ${kind}, o.id, ${ctx.now}, ${ctx.now}, ${ctx.now} from unnest(${ownerIds}::bigint[]) as o(id) order by o.id
    on conflict (store_id, kind, owner_id) do update
      set due_at = least(tag_owners.due_at, excluded.due_at),
          waits_since = case when tag_owners.due_at is null then excluded.waits_since else tag_owners.waits_since end,
          version = tag_owners.version + 1, attempts = 0, last_error = null, problem = null, repairs = 0, repairs_since = null, changed_at = excluded.changed_at`)
}

type WantedLine = { ownerId: number; tag: string }

/** Replaces what a source wants of owners that exist. */
export async function replaceWanted(
  ctx: Ctx,
  source: TagSource,
  kind: TagOwner['kind'],
  ownerIds: number[],
  lines: WantedLine[]
): Promise<void> {
  const keys = lines.map(({ tag }) => tagKey(tag))
  await ctx.tx.run(sql`
    delete from wanted_tags
     where store_id = ${ctx.storeId} and kind = ${kind} and owner_id = any(${ownerIds}::bigint[]) and source = ${source}`)
  if (lines.length === 0) return
  await ctx.tx.run(sql`
    insert into wanted_tags (store_id, kind, owner_id, source, tag_key, tag)
    select ${ctx.storeId}, ${kind}, l.id, ${source}, l.key, l.tag
      from unnest(${lines.map(({ ownerId }) => ownerId)}::bigint[], ${keys}::text[],
                  ${lines.map(({ tag }) => tag)}::text[]) as l(id, key, tag)
    on conflict (store_id, kind, owner_id, source, tag_key) do nothing`)
}

/** What is kept of owners, by `ownerKey`; of two sources with one tag the spelling of the first by name counts. */
export async function listKeptTags(ctx: Ctx, owners: TagOwner[]): Promise<Map<string, KeptTags>> {
  const rows = await ctx.tx.many(
    row({ ...owner, tag: text, isOurs: nullable(bool) }),
    sql`
    with o as materialized (select * from unnest(${kindsOf(owners)}::text[], ${idsOf(owners)}::bigint[]) as o(kind, id)),
    kept as (
      select w.kind, w.owner_id, w.tag, null::boolean as is_ours, w.source from o
        join wanted_tags w on w.store_id = ${ctx.storeId} and w.kind = o.kind and w.owner_id = o.id
      union all
      select k.kind, k.owner_id, k.tag, k.is_ours, '' from o
        join known_tags k on k.store_id = ${ctx.storeId} and k.kind = o.kind and k.owner_id = o.id)
    select kind, owner_id, tag, is_ours from kept order by source, tag`
  )
  const kept = new Map<string, KeptTags>(owners.map((one) => [ownerKey(one), { wanted: [], known: [] }]))
  for (const { kind, ownerId, tag, isOurs } of rows) {
    const of = kept.get(ownerKey({ kind, ownerId }))!
    if (isOurs === null) of.wanted.push(tag)
    else of.known.push({ tag, isOurs })
  }
  return kept
}

/** Records what is known of tags on the platform, before it is changed there: what we add is ours from then on. */
export async function writeKnownTags(ctx: Ctx, lines: (TagOwner & KnownTag)[]): Promise<void> {
  if (lines.length === 0) return
  await ctx.tx.run(sql`
    insert into known_tags (store_id, kind, owner_id, tag_key, tag, is_ours)
    select ${ctx.storeId}, l.kind, l.id, l.key, l.tag, l.is_ours
      from unnest(${kindsOf(lines)}::text[], ${idsOf(lines)}::bigint[], ${lines.map(({ tag }) => tagKey(tag))}::text[],
                  ${lines.map(({ tag }) => tag)}::text[], ${lines.map(({ isOurs }) => isOurs)}::boolean[])
             as l(kind, id, key, tag, is_ours)
    on conflict (store_id, kind, owner_id, tag_key) do update set is_ours = excluded.is_ours, tag = excluded.tag`)
}

/** Forgets tags that are on the platform no more, or no longer concern us. */
export async function forgetKnownTags(ctx: Ctx, lines: (TagOwner & { tag: string })[]): Promise<void> {
  if (lines.length === 0) return
  await ctx.tx.run(sql`
    delete from known_tags k
     using unnest(${kindsOf(lines)}::text[], ${idsOf(lines)}::bigint[], ${lines.map(({ tag }) => tagKey(tag))}::text[])
             as l(kind, id, key)
     where k.store_id = ${ctx.storeId} and k.kind = l.kind and k.owner_id = l.id and k.tag_key = l.key`)
}

const ClaimedOwner = row({ ...owner, attempts: int, version: int, leaseToken: int })
/** An owner that this process works on. `version`: as it was claimed, so before its tags were read on the platform. */
export type ClaimedOwner = RowOf<typeof ClaimedOwner>

type Lease = { leaseOwner: number; leaseMs: number }

/** Leases owners that are due, the longest due first; none of those `except`, which this process works on. */
export async function claimOwners(
  { tx, storeId, now, isRestored }: Ctx,
  { leaseOwner, leaseMs, limit, except }: Lease & { limit: number; except: TagOwner[] }
): Promise<ClaimedOwner[]> {
  if (isRestored) return []
  return tx.many(
    ClaimedOwner,
    sql`
    with due as (
      select kind, owner_id from tag_owners
       where store_id = ${storeId} and due_at <= ${now} and (leased_until is null or leased_until < statement_timestamp())
         and not exists (select from unnest(${kindsOf(except)}::text[], ${idsOf(except)}::bigint[]) as e(kind, id)
                          where e.kind = tag_owners.kind and e.id = tag_owners.owner_id)
       order by due_at, kind, owner_id limit ${limit} for update skip locked)
    update tag_owners o set lease_token = o.lease_token + 1, lease_owner = ${leaseOwner},
                    leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from due where o.store_id = ${storeId} and o.kind = due.kind and o.owner_id = due.owner_id
    returning o.kind, o.owner_id, o.attempts, o.version, o.lease_token`
  )
}

/** Extends the leases on those owners that no other process has, and returns these. */
export async function extendOwnerLeases(
  { tx, storeId }: Ctx,
  owners: ClaimedOwner[],
  { leaseOwner, leaseMs }: Lease
): Promise<ClaimedOwner[]> {
  const extended = await tx.many(
    row(owner),
    sql`
    with held as (
      select o.kind, o.owner_id from tag_owners o
        join unnest(${kindsOf(owners)}::text[], ${idsOf(owners)}::bigint[], ${owners.map((o) => o.leaseToken)}::int[])
               as h(kind, id, token) on o.kind = h.kind and o.owner_id = h.id and o.lease_token = h.token
       where o.store_id = ${storeId} for update of o skip locked)
    update tag_owners o set lease_owner = ${leaseOwner}, leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from held where o.store_id = ${storeId} and o.kind = held.kind and o.owner_id = held.owner_id
    returning o.kind, o.owner_id`
  )
  const keys = new Set(extended.map(ownerKey))
  return owners.filter((one) => keys.has(ownerKey(one)))
}

/** Locks those owners that no other process has by now, and returns them by `ownerKey`. */
export async function lockClaimed(ctx: Ctx, owners: ClaimedOwner[]): Promise<Set<string>> {
  const rows = await ctx.tx.many(
    row(owner),
    sql`
    select o.kind, o.owner_id from tag_owners o
      join unnest(${kindsOf(owners)}::text[], ${idsOf(owners)}::bigint[], ${owners.map((o) => o.leaseToken)}::int[])
             as h(kind, id, token) on o.kind = h.kind and o.owner_id = h.id and o.lease_token = h.token
     where o.store_id = ${ctx.storeId} order by o.kind, o.owner_id for update of o`
  )
  return new Set(rows.map(ownerKey))
}

/** How the work for an owner ended. `dueAt`: when it is tried again. */
export type OwnerEnd = {
  owner: ClaimedOwner
  dueAt: Temporal.Instant | null
  attempts: number
  error: string | null
  problem: string | null
}

/** Ends the leases. An owner of which something changed since it was claimed stays due. */
export async function endOwners(ctx: Ctx, ends: OwnerEnd[]): Promise<void> {
  if (ends.length === 0) return
  const owners = ends.map((end) => end.owner)
  await ctx.tx.run(sql`
    update tag_owners o
       set due_at = case when o.version = e.version then e.due_at else o.due_at end,
           waits_since = case when o.version = e.version and e.due_at is null then null else o.waits_since end,
           attempts = case when o.version = e.version then e.attempts else o.attempts end,
           last_error = e.error, problem = case when o.version = e.version then e.problem else o.problem end,
           lease_owner = null, leased_until = null, lease_token = o.lease_token + 1
      from unnest(${kindsOf(owners)}::text[], ${idsOf(owners)}::bigint[], ${owners.map((o) => o.leaseToken)}::int[],
                  ${owners.map((o) => o.version)}::int[], ${ends.map((e) => e.dueAt)}::timestamptz[],
                  ${ends.map((e) => e.attempts)}::int[], ${ends.map((e) => e.error)}::text[],
                  ${ends.map((e) => e.problem)}::text[])
             as e(kind, id, token, version, due_at, attempts, error, problem)
     where o.store_id = ${ctx.storeId} and o.kind = e.kind and o.owner_id = e.id and o.lease_token = e.token`)
}

/** Removes owners whom the platform has deleted, with all that is kept of them. */
export async function deleteOwners(ctx: Ctx, owners: TagOwner[]): Promise<void> {
  if (owners.length === 0) return
  for (const table of [
    sql`
    delete from known_tags t using unnest(${kindsOf(owners)}::text[], ${idsOf(owners)}::bigint[]) as o(kind, id)
     where t.store_id = ${ctx.storeId} and t.kind = o.kind and t.owner_id = o.id`,
    sql`
    delete from wanted_tags t using unnest(${kindsOf(owners)}::text[], ${idsOf(owners)}::bigint[]) as o(kind, id)
     where t.store_id = ${ctx.storeId} and t.kind = o.kind and t.owner_id = o.id`,
    sql`
    delete from tag_owners t using unnest(${kindsOf(owners)}::text[], ${idsOf(owners)}::bigint[]) as o(kind, id)
     where t.store_id = ${ctx.storeId} and t.kind = o.kind and t.owner_id = o.id`
  ]) {
    await ctx.tx.run(table)
  }
}

const Platform = row({ ...owner, platformId: text, isDeleted: bool })

/** The platform's numbers of owners, by `ownerKey`. */
export async function listPlatformIds(
  ctx: Ctx,
  owners: TagOwner[]
): Promise<Map<string, { platformId: string; isDeleted: boolean }>> {
  const ids = (wanted: TagOwner['kind']) => owners.flatMap(({ kind, ownerId }) => (kind === wanted ? [ownerId] : []))
  const rows = await ctx.tx.many(
    Platform,
    sql`
    select 'customer' as kind, id as owner_id, platform_customer_id as platform_id, platform_deleted_at is not null as is_deleted
      from members where store_id = ${ctx.storeId} and id = any(${ids('customer')}::bigint[])
     union all
    select 'order', id, platform_order_id, false
      from orders where store_id = ${ctx.storeId} and id = any(${ids('order')}::bigint[])`
  )
  return new Map(rows.map((one) => [ownerKey(one), one]))
}

/** Has owners compared with the platform; those that are due already stay where they are. */
export async function markDue(ctx: Ctx, owners: TagOwner[]): Promise<void> {
  if (owners.length === 0) return
  await ctx.tx.run(sql`
    update tag_owners o
       set due_at = least(o.due_at, ${ctx.now}::timestamptz),
           waits_since = case when o.due_at is null then ${ctx.now}::timestamptz else o.waits_since end,
           version = o.version + 1, attempts = 0, problem = null
      from unnest(${kindsOf(owners)}::text[], ${idsOf(owners)}::bigint[]) as d(kind, id)
     where o.store_id = ${ctx.storeId} and o.kind = d.kind and o.owner_id = d.id`)
}

/** Has what waits after a failure, or was refused, tried again now; of very many, what was to be tried first. */
export async function retryTagsNow(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    with waiting as (
      select kind, owner_id from tag_owners
       where store_id = ${ctx.storeId} and (due_at > ${ctx.now} or problem is not null)
       order by due_at limit ${MAX_RETRIED} for update skip locked)
    update tag_owners o set due_at = ${ctx.now}, waits_since = coalesce(o.waits_since, ${ctx.now}), version = o.version + 1
      from waiting w where o.store_id = ${ctx.storeId} and o.kind = w.kind and o.owner_id = w.owner_id`)
}

export const dueTagOwners = dueQuery(
  'tag_owners_due',
  `select o.store_id, min(o.due_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join tag_owners o on o.store_id = s.store_id and o.due_at <= s.until
    where o.leased_until is null or o.leased_until < statement_timestamp()
    group by o.store_id`
)

export const nextTagOwner = directSql<[storeId: number]>(
  'next_tag_owner',
  'select min(due_at) as at from tag_owners where store_id = $1'
)

/** Releases what these nodes have leased, in all stores. */
export const releaseTagOwners: LeaseRelease = (owners) => sql`
  update tag_owners set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
