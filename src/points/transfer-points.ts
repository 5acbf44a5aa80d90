import type { Ctx } from '#kit/postgres'
import { adjustPoints } from './adjust-points.ts'
import { lockAccounts } from './queries.ts'

/** Transfers all points of a customer to another, after the platform merged the two. `cause` identifies the merge: it happens once. */
export async function transferPoints(ctx: Ctx, fromMember: number, toMember: number, cause: string): Promise<void> {
  const balances = new Map((await lockAccounts(ctx, [fromMember, toMember])).map((a) => [a.memberId, a.balance]))
  const transferred = balances.get(fromMember) ?? 0
  if (transferred === 0) return
  const reason = 'Customers were merged on the platform'
  await adjustPoints(ctx, [
    { memberId: fromMember, balance: 0, reason, operationId: `${cause}:out` },
    { memberId: toMember, balance: (balances.get(toMember) ?? 0) + transferred, reason, operationId: `${cause}:in` }
  ])
}
