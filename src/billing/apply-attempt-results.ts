import type { Ctx } from '#kit/postgres'
import { lockSubscriptions } from '#subscriptions'
import { listSubscriptionsOfKeys } from './attempt.ts'
import { type RequiredAction, recordActionRequired } from './record-action-required.ts'
import { type AttemptResult, settleAttempts } from './settle-attempts.ts'

/**
 * Takes what the platform tells of attempts, ends and challenges alike; returns how many ended. All subscriptions that it is
 * about are held first, in order: two who are told of the same ones never wait for each other.
 */
export async function applyAttemptResults(
  ctx: Ctx,
  results: AttemptResult[],
  requiredActions: RequiredAction[]
): Promise<number> {
  const keys = [...results, ...requiredActions].map(({ idempotencyKey }) => idempotencyKey)
  const paid = results.filter(({ state }) => state === 'success').map(({ idempotencyKey }) => idempotencyKey)
  if (requiredActions.length > 0) await lockSubscriptions(ctx, await listSubscriptionsOfKeys(ctx, keys, paid))
  const ended = await settleAttempts(ctx, results)
  await recordActionRequired(ctx, requiredActions)
  return ended
}
