import { sql } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { resolveAttemptsNow } from '../billing/resolve-attempts.ts'
import type { Platform } from '../http.ts'
import { type Attempt, findAttemptByChallenge, findAttempts } from '../state/attempts.ts'
import { idFrom, shopOf } from './refusals.ts'

/** Confirms or refuses a 3-D Secure payment, as the customer would. By the attempt's id, or by the link sent to them. */
export async function settleChallenge(
  platform: Platform,
  input: { storeId: number; decision: 'confirmed' | 'refused' } & ({ attemptId: string } | { challenge: string })
): Promise<{ attemptId: string; status: Attempt['status'] }> {
  const shop = await shopOf(platform, input.storeId)
  const now = await platform.clock(shop.domain)
  return platform.db.inInstallation(async (q) => {
    const attempt =
      'challenge' in input
        ? await findAttemptByChallenge(q, shop.storeId, input.challenge)
        : ((await findAttempts(q, shop.storeId, [idFrom('attempt', input.attemptId)]))[0] ?? null)
    if (!attempt?.challenge) throw new Refusal('not_found', 'There is no such challenged payment')
    // Locked, so that concurrent requests decide only once.
    const open = await q.run(sql`
      select from sandbox.billing_attempts
       where store_id = ${shop.storeId} and id = ${attempt.id} and status = 'challenged' for update`)
    if (open === 0) throw new Refusal('conflict', 'This payment is not waiting for a decision')
    await resolveAttemptsNow(q, shop, [attempt.id], now, input.decision)
    const [settled] = await findAttempts(q, shop.storeId, [attempt.id])
    return { attemptId: attempt.id, status: settled!.status }
  })
}
