import { type Ctx, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'

const Code = row({
  id: text,
  memberId: nullable(int),
  tries: int,
  expiresAt: instant,
  usedAt: nullable(instant)
})
/** A code that was asked for. `memberId` is null where nobody has the address. */
export type Code = RowOf<typeof Code>

export async function insertCode(ctx: Ctx, code: Pick<Code, 'id' | 'memberId' | 'expiresAt'>): Promise<void> {
  await ctx.tx.run(sql`
    insert into identification_codes (store_id, id, member_id, created_at, expires_at)
    values (${ctx.storeId}, ${code.id}, ${code.memberId}, ${ctx.now}, ${code.expiresAt})`)
}

/** Holds the row until the transaction ends, so that two tries at once count as two. Null for an id that there is not. */
export function lockCode(ctx: Ctx, id: string): Promise<Code | null> {
  return ctx.tx.maybeOne(
    Code,
    sql`
    select id, member_id, tries, expires_at, used_at from identification_codes
     where store_id = ${ctx.storeId} and id = ${id} for update`
  )
}

export async function countTry(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx.run(sql`
    update identification_codes set tries = tries + 1 where store_id = ${ctx.storeId} and id = ${id}`)
}

export async function markUsed(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx.run(sql`
    update identification_codes set used_at = ${ctx.now} where store_id = ${ctx.storeId} and id = ${id}`)
}

const Mailable = row({
  id: text,
  memberId: nullable(int),
  email: nullable(text),
  expiresAt: instant,
  usedAt: nullable(instant)
})

/** Codes with the present address of whom they are for; in no order, and without those that there are not any more. */
export function listMailable(ctx: Ctx, ids: string[]) {
  return ctx.tx.many(
    Mailable,
    sql`
    select c.id, c.member_id, m.email, c.expires_at, c.used_at
      from identification_codes c
      left join members m on m.store_id = ${ctx.storeId} and m.id = c.member_id and m.erased_at is null
     where c.store_id = ${ctx.storeId} and c.id = any(${ids}::text[])`
  )
}

/** Removes up to so many codes that have expired before this time. */
export async function deleteExpired(ctx: Ctx, before: Temporal.Instant, limit: number): Promise<void> {
  await ctx.tx.run(sql`
    with old as (
      select id from identification_codes
       where store_id = ${ctx.storeId} and expires_at < ${before} order by expires_at limit ${limit} for update skip locked)
    delete from identification_codes c using old where c.store_id = ${ctx.storeId} and c.id = old.id`)
}

/** Whether a customer can still be shown what a token shows: not after an erasure, a merge or a deletion on the platform. */
export async function isPresent(ctx: Ctx, memberId: number): Promise<boolean> {
  const found = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`
    select id from members
     where store_id = ${ctx.storeId} and id = ${memberId} and erased_at is null and merged_into is null
       and platform_deleted_at is null`
  )
  return found !== null
}
