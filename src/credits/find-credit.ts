import { type Ctx, instant, int, row, sql } from '#kit/postgres'
import type { Credit } from './credit.ts'
import { availableOf } from './plan-change.ts'

/** A customer's store credit; all zero for one who never had any. */
export async function findCredit(ctx: Ctx, memberId: number): Promise<Credit> {
  const account = await ctx.tx.maybeOne(
    row({ balanceMinor: int, updatedAt: instant, dueMinor: int }),
    sql`
    select a.balance_minor, a.updated_at,
           (select coalesce(sum(l.remaining_minor), 0)::bigint from credit_lots l
             where l.store_id = ${ctx.storeId} and l.member_id = a.member_id and l.expires_at <= ${ctx.now}) as due_minor
      from credit_accounts a where a.store_id = ${ctx.storeId} and a.member_id = ${memberId}`
  )
  if (!account) return { memberId, balanceMinor: 0, availableMinor: 0, updatedAt: null }
  const { balanceMinor, updatedAt } = account
  return { memberId, balanceMinor, availableMinor: availableOf(account), updatedAt }
}
