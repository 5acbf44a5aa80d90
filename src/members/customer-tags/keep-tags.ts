import { type Ctx, sql } from '#kit/postgres'
import { tagKey } from '#platform'

/** Tags that a customer (our number) has from a time of the platform on, or has no more. */
export type ReportedTags = { memberId: number; tags: string[]; isPresent: boolean; at: Temporal.Instant }

/** Keeps what the platform reports of tags. What is older than what is kept of a tag changes nothing. */
export async function keepTags(ctx: Ctx, reports: ReportedTags[]): Promise<void> {
  const lines = reports.flatMap(({ memberId, tags, isPresent, at }) =>
    tags.map((tag) => ({ memberId, key: tagKey(tag), isPresent, at }))
  )
  if (lines.length === 0) return
  // One statement must not meet a row twice: of one tag the newest report counts.
  const newest = new Map<string, (typeof lines)[number]>()
  for (const line of lines) {
    const other = newest.get(`${line.memberId} ${line.key}`)
    if (!other || Temporal.Instant.compare(line.at, other.at) >= 0) newest.set(`${line.memberId} ${line.key}`, line)
  }
  const kept = [...newest.values()]
  await ctx.tx.run(sql`
    insert into customer_tags as t (store_id, member_id, tag_key, is_present, reported_at)
    select ${ctx.storeId}, r.member_id, r.key, r.is_present, r.at
      from unnest(${kept.map((l) => l.memberId)}::bigint[], ${kept.map((l) => l.key)}::text[],
                  ${kept.map((l) => l.isPresent)}::boolean[], ${kept.map((l) => l.at)}::timestamptz[])
             as r(member_id, key, is_present, at)
     order by r.member_id, r.key
    on conflict (store_id, member_id, tag_key) do update
      set is_present = excluded.is_present, reported_at = excluded.reported_at
    where excluded.reported_at >= t.reported_at`)
}

/** All tags of a customer (our number), as a read of the platform has them. */
export type ReadTags = { memberId: number; tags: string[]; at: Temporal.Instant }

/** Keeps all tags that customers have: what is kept besides and is not newer they have no more. */
export async function keepReadTags(ctx: Ctx, reads: ReadTags[]): Promise<void> {
  if (reads.length === 0) return
  await keepTags(
    ctx,
    reads.map((read) => ({ ...read, isPresent: true }))
  )
  const keys = reads.flatMap(({ memberId, tags }) => tags.map((tag) => ({ memberId, key: tagKey(tag) })))
  await ctx.tx.run(sql`
    update customer_tags t set is_present = false, reported_at = r.at
      from unnest(${reads.map(({ memberId }) => memberId)}::bigint[], ${reads.map(({ at }) => at)}::timestamptz[]) as r(member_id, at)
     where t.store_id = ${ctx.storeId} and t.member_id = r.member_id and t.is_present and t.reported_at <= r.at
       and (t.member_id, t.tag_key) not in (select k.member_id, k.key
                                              from unnest(${keys.map(({ memberId }) => memberId)}::bigint[], ${keys.map(({ key }) => key)}::text[])
                                                     as k(member_id, key))`)
}

/** Gives the tags of a customer to another, after the platform merged the two: the one that it keeps has those of both. */
export async function transferKeptTags(ctx: Ctx, from: number, to: number): Promise<void> {
  await ctx.tx.run(sql`
    insert into customer_tags as t (store_id, member_id, tag_key, is_present, reported_at)
    select ${ctx.storeId}, ${to}::bigint, f.tag_key, f.is_present, f.reported_at
      from (select tag_key, is_present, reported_at from customer_tags
             where store_id = ${ctx.storeId} and member_id = ${from} and is_present offset 0) as f
    on conflict (store_id, member_id, tag_key) do update
      set is_present = excluded.is_present, reported_at = greatest(t.reported_at, excluded.reported_at)`)
  await ctx.tx.run(sql`delete from customer_tags where store_id = ${ctx.storeId} and member_id = ${from}`)
}
