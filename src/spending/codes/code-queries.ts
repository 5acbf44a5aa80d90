import { type Ctx, int, row, sql } from '#kit/postgres'
import { type CreditCode, CreditCodeRow } from './code.ts'
import { codeKey } from './code-form.ts'

/** Records that a code is wanted for a reservation. */
export async function insertCode(
  ctx: Ctx,
  wanted: Pick<CreditCode, 'memberId' | 'reservationId' | 'code' | 'amountMinor' | 'endsAt'>
): Promise<number> {
  const { memberId, reservationId, code, amountMinor, endsAt } = wanted
  const { id } = await ctx.tx.one(
    row({ id: int }),
    sql`
    insert into credit_codes (store_id, member_id, reservation_id, code, amount_minor, ends_at, due_at, created_at)
    values (${ctx.storeId}, ${memberId}, ${reservationId}, ${code}, ${amountMinor}, ${endsAt}, ${ctx.now}, ${ctx.now})
    returning id`
  )
  return id
}

/** A code of a customer; null if they have none with this id. */
export async function findCode(ctx: Ctx, memberId: number, id: number): Promise<CreditCode | null> {
  const [code] = await readCodes(ctx, memberId, { id, limit: 1, offset: 0 })
  return code ?? null
}

/** The number of a code of a customer, by the code itself, in any case; null if they have no such code. */
export async function findCodeId(ctx: Ctx, memberId: number, code: string): Promise<number | null> {
  const found = await ctx.tx.maybeOne(
    LockedCode,
    sql`
    select id from credit_codes
     where store_id = ${ctx.storeId} and member_id = ${memberId} and code = ${codeKey(code)}`
  )
  return found?.id ?? null
}

/** A page of the codes of a customer, newest first, and how many there are. */
export async function listCodes(
  ctx: Ctx,
  memberId: number,
  { limit, offset }: { limit: number; offset: number }
): Promise<{ rows: CreditCode[]; total: number }> {
  const rows = await readCodes(ctx, memberId, { id: null, limit, offset })
  const { total } = await ctx.tx.one(
    row({ total: int }),
    sql`select count(*) as total from credit_codes where store_id = ${ctx.storeId} and member_id = ${memberId}`
  )
  return { rows, total }
}

function readCodes(
  ctx: Ctx,
  memberId: number,
  { id, limit, offset }: { id: number | null; limit: number; offset: number }
): Promise<CreditCode[]> {
  return ctx.tx.many(
    CreditCodeRow,
    sql`
    select c.id, c.member_id, c.reservation_id, c.code, c.amount_minor, c.status, c.ended_by, c.ends_at, c.problem, c.created_at,
           c.ended_at, c.sent_at, u.amount_minor as used_minor, u.order_id, u.entry_id
      from credit_codes c
      left join lateral (
        select amount_minor, order_id, entry_id from discount_redemptions
         where store_id = ${ctx.storeId} and code_id = c.id order by created_at, order_id limit 1) u on true
     where c.store_id = ${ctx.storeId} and c.member_id = ${memberId} and (${id}::bigint is null or c.id = ${id})
     order by c.id desc limit ${limit} offset ${offset}`
  )
}

/** How many codes of a customer hold credit. */
export async function countOpenCodes(ctx: Ctx, memberId: number): Promise<number> {
  const { count } = await ctx.tx.one(
    row({ count: int }),
    sql`
    select count(*) as count from credit_codes
     where store_id = ${ctx.storeId} and member_id = ${memberId} and status in ('pending', 'active', 'ending')`
  )
  return count
}

const LockedCode = row({ id: int })

/** Locks a code of a customer. False if there is none with this id. */
export async function lockCode(ctx: Ctx, memberId: number, id: number): Promise<boolean> {
  const locked = await ctx.tx.maybeOne(
    LockedCode,
    sql`select id from credit_codes where store_id = ${ctx.storeId} and member_id = ${memberId} and id = ${id} for update`
  )
  return locked !== null
}

/** Has a code taken off the platform; its credit is released when nobody can have used it. */
export async function endCode(ctx: Ctx, id: number, endedBy: NonNullable<CreditCode['endedBy']>): Promise<void> {
  await ctx.tx.run(sql`
    update credit_codes set status = 'ending', ended_by = ${endedBy}, due_at = ${ctx.now}, rests_until = null, attempts = 0
     where store_id = ${ctx.storeId} and id = ${id} and status in ('pending', 'active')`)
}

/** Ends a code that is not on the platform. */
export async function closeCode(
  ctx: Ctx,
  id: number,
  to: { status: 'ended' | 'failed'; problem: string | null; endedBy?: CreditCode['endedBy'] }
): Promise<void> {
  await ctx.tx.run(sql`
    update credit_codes
       set status = ${to.status}, problem = ${to.problem}, ended_by = coalesce(${to.endedBy ?? null}, ended_by),
           closed_at = coalesce(closed_at, ${ctx.now}), ended_at = ${ctx.now}, due_at = null, rests_until = null,
           attempts = 0, last_error = null
     where store_id = ${ctx.storeId} and id = ${id}`)
}

/** Whether a reservation is that of a code: only the code may end it. */
export async function isOfCode(ctx: Ctx, reservationId: number): Promise<boolean> {
  const found = await ctx.tx.maybeOne(
    LockedCode,
    sql`select id from credit_codes where store_id = ${ctx.storeId} and reservation_id = ${reservationId}`
  )
  return found !== null
}

/** The codes of a merged customer become those of the kept one and end: their credit goes over, and the codes stay the other's. */
export async function reassignCodes(ctx: Ctx, fromMember: number, toMember: number): Promise<void> {
  await ctx.tx.run(sql`
    update credit_codes set status = 'ending', ended_by = 'merged', due_at = ${ctx.now}, rests_until = null, attempts = 0
     where store_id = ${ctx.storeId} and member_id = ${fromMember} and status in ('pending', 'active')`)
  await ctx.tx.run(sql`
    update credit_codes set member_id = ${toMember} where store_id = ${ctx.storeId} and member_id = ${fromMember}`)
  await ctx.tx.run(sql`
    update discount_redemptions set member_id = ${toMember} where store_id = ${ctx.storeId} and member_id = ${fromMember}`)
}

/**
 * After a restore from a backup the codes may be on the platform already, may be used, or be gone: each is looked for there before it
 * is made.
 */
export async function recheckCodes(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    update credit_codes
       set sent_at = coalesce(sent_at, created_at), due_at = coalesce(due_at, ${ctx.now}::timestamptz), rests_until = null, attempts = 0
     where store_id = ${ctx.storeId} and (status in ('pending', 'active', 'ending') or closed_at is null)`)
}
