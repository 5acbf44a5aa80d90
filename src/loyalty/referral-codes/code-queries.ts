import { type Ctx, int, row, sql, text } from '#kit/postgres'

/** 50 random bits: nobody guesses whose a code is, and friends can type it. */
export const CODE_LENGTH = 10

/** The code of a customer; null where there is none yet. After a merge, the one that was their own. */
export async function findCode(ctx: Ctx, memberId: number): Promise<string | null> {
  const found = await ctx.tx.maybeOne(
    row({ code: text }),
    sql`
    select code from loyalty_referral_codes
     where store_id = ${ctx.storeId} and member_id = ${memberId} order by (made_for = ${memberId}) desc, id limit 1`
  )
  return found?.code ?? null
}

/** Gives a customer a code, unless they have one by now, or are nobody any more. Returns whether it was given. */
export async function insertCode(ctx: Ctx, memberId: number, code: string): Promise<boolean> {
  const inserted = await ctx.tx.run(sql`
    insert into loyalty_referral_codes (store_id, member_id, made_for, code, created_at)
    select ${ctx.storeId}, m.id, m.id, ${code}, ${ctx.now}
      from (select id from members
             where store_id = ${ctx.storeId} and id = ${memberId} and merged_into is null and platform_deleted_at is null
               and erased_at is null offset 0) m
    on conflict do nothing`)
  return inserted === 1
}

/** A code that the discount on the platform does not have yet. */
export type CodeToAdd = { id: number; code: string }

export function listCodesToAdd(ctx: Ctx, limit: number): Promise<CodeToAdd[]> {
  return ctx.tx.many(
    row({ id: int, code: text }),
    sql`
    select id, code from loyalty_referral_codes
     where store_id = ${ctx.storeId} and added_at is null order by id limit ${limit}`
  )
}

export async function markCodesAdded(ctx: Ctx, ids: number[]): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_referral_codes set added_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[]) and added_at is null`)
}

/** Gives other codes to customers whose codes the shop has for something else. Nobody has ordered with these. */
export async function replaceCodes(ctx: Ctx, codes: CodeToAdd[]): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_referral_codes c set code = n.code
      from unnest(${codes.map(({ id }) => id)}::bigint[], ${codes.map(({ code }) => code)}::text[]) as n(id, code)
     where c.store_id = ${ctx.storeId} and c.id = n.id and c.added_at is null`)
}

/** Gives the codes of a customer whom the platform has merged to the one that was kept. */
export async function reassignReferralCodes(ctx: Ctx, from: number, to: number): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_referral_codes set member_id = ${to} where store_id = ${ctx.storeId} and member_id = ${from}`)
}
