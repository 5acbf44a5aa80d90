import { dueQuery, type LeaseRelease } from '#kit/engines'
import { bool, type Ctx, directSql, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { METAFIELD_OWNERS } from '#platform'
import { MAX_RETRIED } from '../retry-after.ts'
import type { Known, OwnerOfMetafields } from './wanted-metafields.ts'

const owner = { kind: oneOf(...METAFIELD_OWNERS), ownerId: int }

/** By which owners are told apart. */
export const ownerKey = ({ kind, ownerId }: OwnerOfMetafields): string => `${kind}:${ownerId}`

const kindsOf = (owners: OwnerOfMetafields[]) => owners.map(({ kind }) => kind)
const idsOf = (owners: OwnerOfMetafields[]) => owners.map(({ ownerId }) => ownerId)

/**
 * Has owners compared: what they are to have may have changed. `isReadFirst`: what is on the platform may have changed too.
 * An owner with a problem is tried again.
 */
export async function markMetafieldsDue(
  ctx: Ctx,
  owners: OwnerOfMetafields[],
  { isReadFirst = false }: { isReadFirst?: boolean } = {}
): Promise<void> {
  if (owners.length === 0) return
  await ctx.tx.run(sql`
    insert into metafield_owners (store_id, kind, owner_id, due_at, waits_since, is_read_first, changed_at)
    select ${ctx.storeId}, o.kind, o.id, ${ctx.now}, ${ctx.now}, ${isReadFirst}, ${ctx.now}
      from (select distinct kind, id from unnest(${kindsOf(owners)}::text[], ${idsOf(owners)}::bigint[]) as o(kind, id)) as o
     order by o.kind, o.id
    on conflict (store_id, kind, owner_id) do update
      set due_at = least(metafield_owners.due_at, excluded.due_at),
          waits_since = case when metafield_owners.due_at is null then excluded.waits_since else metafield_owners.waits_since end,
          version = metafield_owners.version + 1, attempts = 0, problem = null, changed_at = excluded.changed_at,
          is_read_first = metafield_owners.is_read_first or excluded.is_read_first`)
}

/** Has what waits after a failure, or was refused, tried again now; of very many, what was to be tried first. */
export async function retryMetafieldsNow(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    with waiting as (
      select kind, owner_id from metafield_owners
       where store_id = ${ctx.storeId} and (due_at > ${ctx.now} or problem is not null)
       order by due_at limit ${MAX_RETRIED} for update skip locked)
    update metafield_owners o set due_at = ${ctx.now}, waits_since = coalesce(o.waits_since, ${ctx.now}), version = o.version + 1
      from waiting w where o.store_id = ${ctx.storeId} and o.kind = w.kind and o.owner_id = w.owner_id`)
}

/** What is known of owners, by `ownerKey`. */
export async function listKnownMetafields(ctx: Ctx, owners: OwnerOfMetafields[]): Promise<Map<string, Known>> {
  const rows = await ctx.tx.many(
    row({ ...owner, key: text, valueHash: text, digest: text }),
    sql`
    select k.kind, k.owner_id, k.key, k.value_hash, k.digest
      from (select * from unnest(${kindsOf(owners)}::text[], ${idsOf(owners)}::bigint[]) as o(kind, id) offset 0) as o
      join known_metafields k on k.store_id = ${ctx.storeId} and k.kind = o.kind and k.owner_id = o.id`
  )
  const known = new Map<string, Known>(owners.map((one) => [ownerKey(one), new Map()]))
  for (const one of rows) known.get(ownerKey(one))!.set(one.key, { hash: one.valueHash, digest: one.digest })
  return known
}

/** A metafield that is on the platform now. */
export type KnownLine = OwnerOfMetafields & { key: string; hash: string; digest: string }

/** Records metafields that were written or found. */
export async function writeKnownMetafields(ctx: Ctx, lines: KnownLine[]): Promise<void> {
  if (lines.length === 0) return
  await ctx.tx.run(sql`
    insert into known_metafields (store_id, kind, owner_id, key, value_hash, digest)
    select ${ctx.storeId}, l.kind, l.id, l.key, l.hash, l.digest
      from unnest(${kindsOf(lines)}::text[], ${idsOf(lines)}::bigint[], ${lines.map(({ key }) => key)}::text[],
                  ${lines.map(({ hash }) => hash)}::text[], ${lines.map(({ digest }) => digest)}::text[])
             as l(kind, id, key, hash, digest)
     order by l.kind, l.id, l.key
    on conflict (store_id, kind, owner_id, key) do update set value_hash = excluded.value_hash, digest = excluded.digest`)
}

/** Forgets metafields that are on the platform no more. */
export async function forgetKnownMetafields(ctx: Ctx, lines: (OwnerOfMetafields & { key: string })[]): Promise<void> {
  if (lines.length === 0) return
  await ctx.tx.run(sql`
    delete from known_metafields k
     using unnest(${kindsOf(lines)}::text[], ${idsOf(lines)}::bigint[], ${lines.map(({ key }) => key)}::text[]) as l(kind, id, key)
     where k.store_id = ${ctx.storeId} and k.kind = l.kind and k.owner_id = l.id and k.key = l.key`)
}

/** Replaces all that is known of owners by what was read. */
export async function replaceKnownMetafields(ctx: Ctx, owners: OwnerOfMetafields[], lines: KnownLine[]): Promise<void> {
  if (owners.length === 0) return
  await ctx.tx.run(sql`
    delete from known_metafields k
     using unnest(${kindsOf(owners)}::text[], ${idsOf(owners)}::bigint[]) as o(kind, id)
     where k.store_id = ${ctx.storeId} and k.kind = o.kind and k.owner_id = o.id`)
  await writeKnownMetafields(ctx, lines)
}

const ClaimedOwner = row({
  ...owner,
  attempts: int,
  version: int,
  leaseToken: int,
  isReadFirst: bool,
  lastError: nullable(text)
})
/** An owner that this process works on. `version`: as it was claimed; `lastError`: of the try before, where that came to nothing. */
export type ClaimedOwner = RowOf<typeof ClaimedOwner>

type Lease = { leaseOwner: number; leaseMs: number }

/** Leases owners that are due, the longest due first; none of those `except`, which this process works on. */
export async function claimOwners(
  { tx, storeId, now, isRestored }: Ctx,
  { leaseOwner, leaseMs, limit, except }: Lease & { limit: number; except: OwnerOfMetafields[] }
): Promise<ClaimedOwner[]> {
  if (isRestored) return []
  return tx.many(
    ClaimedOwner,
    sql`
    with due as (
      select kind, owner_id from metafield_owners
       where store_id = ${storeId} and due_at <= ${now} and (leased_until is null or leased_until < statement_timestamp())
         and not exists (select from unnest(${kindsOf(except)}::text[], ${idsOf(except)}::bigint[]) as e(kind, id)
                          where e.kind = metafield_owners.kind and e.id = metafield_owners.owner_id)
       order by due_at, kind, owner_id limit ${limit} for update skip locked)
    update metafield_owners o set lease_token = o.lease_token + 1 + o.lease_token % 2, lease_owner = ${leaseOwner},
                    leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond',
                    -- Odd from its claim to its recorded end: who had it before may have written without recording that.
                    is_read_first = o.is_read_first or o.lease_token % 2 = 1
      from due where o.store_id = ${storeId} and o.kind = due.kind and o.owner_id = due.owner_id
    returning o.kind, o.owner_id, o.attempts, o.version, o.lease_token, o.is_read_first, o.last_error`
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
      select o.kind, o.owner_id from metafield_owners o
        join unnest(${kindsOf(owners)}::text[], ${idsOf(owners)}::bigint[], ${owners.map((o) => o.leaseToken)}::int[])
               as h(kind, id, token) on o.kind = h.kind and o.owner_id = h.id and o.lease_token = h.token
       where o.store_id = ${storeId} for update of o skip locked)
    update metafield_owners o set lease_owner = ${leaseOwner}, leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
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
    select o.kind, o.owner_id from metafield_owners o
      join unnest(${kindsOf(owners)}::text[], ${idsOf(owners)}::bigint[], ${owners.map((o) => o.leaseToken)}::int[])
             as h(kind, id, token) on o.kind = h.kind and o.owner_id = h.id and o.lease_token = h.token
     where o.store_id = ${ctx.storeId} order by o.kind, o.owner_id for update of o`
  )
  return new Set(rows.map(ownerKey))
}

/** How the work for an owner ended. `dueAt`: when it is tried again. `isSynced`: its metafields were written or read. */
export type OwnerEnd = {
  owner: ClaimedOwner
  dueAt: Temporal.Instant | null
  attempts: number
  error: string | null
  problem: string | null
  isReadFirst: boolean
  isSynced: boolean
}

/** Ends the leases. An owner of which something changed since it was claimed stays due. */
export async function endOwners(ctx: Ctx, ends: OwnerEnd[]): Promise<void> {
  if (ends.length === 0) return
  const owners = ends.map((end) => end.owner)
  await ctx.tx.run(sql`
    update metafield_owners o
       set due_at = case when o.version = e.version then e.due_at else o.due_at end,
           waits_since = case when o.version = e.version and e.due_at is null then null else o.waits_since end,
           attempts = case when o.version = e.version then e.attempts else o.attempts end,
           is_read_first = case when o.version = e.version then e.read_first else o.is_read_first or e.read_first end,
           last_error = e.error, problem = case when o.version = e.version then e.problem else o.problem end,
           synced_at = case when e.synced then ${Temporal.Instant.fromEpochMilliseconds(ctx.realNowMs)}::timestamptz else o.synced_at end,
           lease_owner = null, leased_until = null, lease_token = o.lease_token + 1
      from unnest(${kindsOf(owners)}::text[], ${idsOf(owners)}::bigint[], ${owners.map((o) => o.leaseToken)}::int[],
                  ${owners.map((o) => o.version)}::int[], ${ends.map((e) => e.dueAt)}::timestamptz[],
                  ${ends.map((e) => e.attempts)}::int[], ${ends.map((e) => e.error)}::text[],
                  ${ends.map((e) => e.problem)}::text[], ${ends.map((e) => e.isReadFirst)}::boolean[],
                  ${ends.map((e) => e.isSynced)}::boolean[])
             as e(kind, id, token, version, due_at, attempts, error, problem, read_first, synced)
     where o.store_id = ${ctx.storeId} and o.kind = e.kind and o.owner_id = e.id and o.lease_token = e.token`)
}

export const dueMetafieldOwners = dueQuery(
  'metafield_owners_due',
  `select o.store_id, min(o.due_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join metafield_owners o on o.store_id = s.store_id and o.due_at <= s.until
    where o.leased_until is null or o.leased_until < statement_timestamp()
    group by o.store_id`
)

export const nextMetafieldOwner = directSql<[storeId: number]>(
  'next_metafield_owner',
  'select min(due_at) as at from metafield_owners where store_id = $1'
)

/** Releases what these nodes have leased, in all stores. */
export const releaseMetafieldOwners: LeaseRelease = (owners) => sql`
  update metafield_owners set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
