import type { Ctx } from '#kit/postgres'
import type { Refusal } from '#kit/refusal'
import { append, takeFromLots } from './draft.ts'
import { openAccounts } from './open-accounts.ts'
import type { PointsCause, PointsEntry } from './points.ts'
import { listOperations } from './queries.ts'
import { notEnoughPoints } from './refusals.ts'
import { writePoints } from './write-points.ts'

/** Points that a customer gives for something. */
export type Spending = PointsCause & { points: number }

/** `isRepeated`: the operation had an entry already, and nothing happened now. */
export type SpendOutcome =
  | { refusal: Refusal; isRepeated?: undefined; entry?: undefined }
  | { refusal?: undefined; isRepeated: boolean; entry: PointsEntry | null }

/** Spends points, what expires first. Refused when the balance is too small. What is pending cannot be spent. */
export async function spendPoints(ctx: Ctx, { points, ...cause }: Spending): Promise<SpendOutcome> {
  const { drafts, entries, draftOf } = await openAccounts(ctx, [{ memberId: cause.memberId, takes: points }])
  const isRepeated = (await listOperations(ctx, [cause.operationId])).has(cause.operationId)
  const draft = draftOf(cause.memberId)
  const isRefused = !isRepeated && points > draft.balance
  if (!isRepeated && !isRefused) {
    append(draft, 'spent', cause, { points: -points }, { spent: takeFromLots(draft, points) })
  }
  const written = await writePoints(ctx, drafts, entries)
  if (isRefused) return { refusal: notEnoughPoints(draft, points) }
  return { isRepeated, entry: written.find(({ operationId }) => operationId === cause.operationId) ?? null }
}
