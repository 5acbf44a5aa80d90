import { bool, bytes, type Ctx, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'

const PassRow = row({
  id: int,
  memberId: int,
  serial: text,
  sealedToken: bytes,
  contentHash: text,
  isVoided: bool,
  tag: int,
  changedAt: instant,
  googleOfferedAt: nullable(instant)
})
/** The pass of a member. After a merge of customers a member has several. */
export type Pass = RowOf<typeof PassRow>

/** The oldest pass of a member; null where there is none. */
export function findPassOfMember(ctx: Ctx, memberId: number): Promise<Pass | null> {
  return ctx.tx.maybeOne(
    PassRow,
    sql`
    select id, member_id, serial, sealed_token, content_hash, is_voided, tag, changed_at, google_offered_at from wallet_passes
     where store_id = ${ctx.storeId} and member_id = ${memberId} order by id limit 1`
  )
}

/** The pass with this serial number; null where the store has none. */
export function findPassBySerial(ctx: Ctx, serial: string): Promise<Pass | null> {
  return ctx.tx.maybeOne(
    PassRow,
    sql`
    select id, member_id, serial, sealed_token, content_hash, is_voided, tag, changed_at, google_offered_at from wallet_passes
     where store_id = ${ctx.storeId} and serial = ${serial}`
  )
}

/** Passes by their numbers, in no order. */
export function listPasses(ctx: Ctx, ids: number[]): Promise<Pass[]> {
  return ctx.tx.many(
    PassRow,
    sql`
    select id, member_id, serial, sealed_token, content_hash, is_voided, tag, changed_at, google_offered_at from wallet_passes
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[])`
  )
}

/** Locks the passes of members in order of id. */
export function lockPassesOfMembers(ctx: Ctx, memberIds: number[]): Promise<Pass[]> {
  return ctx.tx.many(
    PassRow,
    sql`
    select id, member_id, serial, sealed_token, content_hash, is_voided, tag, changed_at, google_offered_at from wallet_passes
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[]) order by id for no key update`
  )
}

/** Locks the next passes of the store after one, in order of id. */
export function lockPassesAfter(ctx: Ctx, after: number, limit: number): Promise<Pass[]> {
  return ctx.tx.many(
    PassRow,
    sql`
    select id, member_id, serial, sealed_token, content_hash, is_voided, tag, changed_at, google_offered_at from wallet_passes
     where store_id = ${ctx.storeId} and id > ${after} order by id limit ${limit} for no key update`
  )
}

/** The serial numbers of the passes of members that Google may have. */
export async function listGoogleSerials(ctx: Ctx, memberIds: number[]): Promise<string[]> {
  const rows = await ctx.tx.many(
    row({ serial: text }),
    sql`
    select serial from wallet_passes
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[]) and google_offered_at is not null order by id`
  )
  return rows.map(({ serial }) => serial)
}

/** Takes the number of the next change of passes; others wait for it until the transaction ends. */
export async function nextTag(ctx: Ctx): Promise<number> {
  const { tag } = await ctx.tx.one(
    row({ tag: int }),
    sql`
    insert into wallet_changes (store_id, tag) values (${ctx.storeId}, 1)
    on conflict (store_id) do update set tag = wallet_changes.tag + 1 returning tag`
  )
  return tag
}

export async function insertPass(
  ctx: Ctx,
  one: {
    memberId: number
    serial: string
    sealedToken: Buffer
    contentHash: string
    isVoided: boolean
    tag: number
    changedAt: Temporal.Instant
  }
): Promise<Pass> {
  return ctx.tx.one(
    PassRow,
    sql`
    insert into wallet_passes (store_id, member_id, serial, sealed_token, content_hash, is_voided, tag, changed_at, created_at)
    values (${ctx.storeId}, ${one.memberId}, ${one.serial}, ${one.sealedToken}, ${one.contentHash}, ${one.isVoided}, ${one.tag},
            ${one.changedAt}, ${ctx.now})
    returning id, member_id, serial, sealed_token, content_hash, is_voided, tag, changed_at, google_offered_at`
  )
}

/** Notes that passes show something else. */
export async function markPassesChanged(
  ctx: Ctx,
  tag: number,
  changed: { id: number; contentHash: string; isVoided: boolean; changedAt: Temporal.Instant }[]
): Promise<void> {
  await ctx.tx.run(sql`
    update wallet_passes p
       set content_hash = c.content_hash, is_voided = c.is_voided, changed_at = c.changed_at, tag = ${tag}
      from unnest(${changed.map(({ id }) => id)}::bigint[], ${changed.map(({ contentHash }) => contentHash)}::text[],
                  ${changed.map(({ isVoided }) => isVoided)}::boolean[], ${changed.map(({ changedAt }) => changedAt)}::timestamptz[])
             as c(id, content_hash, is_voided, changed_at)
     where p.store_id = ${ctx.storeId} and p.id = c.id`)
}

export async function markGoogleOffered(ctx: Ctx, passId: number): Promise<void> {
  await ctx.tx.run(sql`
    update wallet_passes set google_offered_at = ${ctx.now} where store_id = ${ctx.storeId} and id = ${passId}`)
}

/** Notes why phones were not notified; null: they were. */
export async function markPushed(ctx: Ctx, ended: { passId: number; problem: string | null }[]): Promise<void> {
  await ctx.tx.run(sql`
    update wallet_passes p set problem = e.problem
      from unnest(${ended.map(({ passId }) => passId)}::bigint[], ${ended.map(({ problem }) => problem)}::text[]) as e(id, problem)
     where p.store_id = ${ctx.storeId} and p.id = e.id and p.problem is distinct from e.problem`)
}
