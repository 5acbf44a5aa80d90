import type { Database } from '#kit/postgres'
import { type Connector, MAX_CALL_MS } from '#platform'
import { askPlatform, type Claim, type Submitted } from './ask-platform.ts'
import { claimAttempts, claimTimes, renewClaim } from './claims.ts'
import { writeSubmitted } from './write-submitted.ts'

/**
 * Sends waiting attempts to the platform and checks those sent before, up to `limit`, and writes the outcomes. Every call uses the
 * attempt's stored key. After a crash or a lost response the platform is searched for the attempt before its key is sent again,
 * because keys are forgotten there after a time. A new key is sent only after the platform has said that no earlier attempt of the
 * cycle was paid.
 */
export async function submitAttempts(
  db: Database,
  storeId: number,
  connector: Connector,
  leaseOwner: number,
  limit: number,
  maxCallMs = MAX_CALL_MS
): Promise<number> {
  const { calls, claimed } = await claimCalls(db, storeId, connector, { leaseOwner, maxCallMs, limit })
  await writeSubmitted(db, storeId, await Promise.all(calls.map((call) => call())))
  return claimed
}

/**
 * Claims up to `limit` attempts, and returns what to ask the platform for them. Each attempt that may charge is asked for by
 * itself, so that one whose call hangs holds up no other; those that are only read are read together. Nothing is written.
 * `maxCallMs`: no call of the connector takes longer.
 */
export async function claimCalls(
  db: Database,
  storeId: number,
  connector: Connector,
  { leaseOwner, maxCallMs, limit }: { leaseOwner: number; maxCallMs: number; limit: number }
): Promise<{ calls: (() => Promise<Submitted>)[]; claimed: number }> {
  const sendUntil = performance.now() + claimTimes(maxCallMs).sendWithinMs
  // A search before a charge may have taken long.
  const outlastsCall: Claim['outlastsCall'] = async (attempt) =>
    performance.now() <= sendUntil || db.inStore(storeId, (ctx) => renewClaim(ctx, attempt, maxCallMs))
  const claim: Claim = await db.inStore(storeId, async (ctx) => ({
    now: ctx.now,
    attempts: await claimAttempts(ctx, limit, leaseOwner, maxCallMs),
    outlastsCall
  }))
  const known = claim.attempts.filter((a) => a.platformAttemptId !== null)
  const parts = claim.attempts.filter((a) => a.platformAttemptId === null).map((attempt) => [attempt])
  if (known.length > 0) parts.push(known)
  const calls = parts.map((attempts) => () => askPlatform(connector, { ...claim, attempts }))
  return { calls, claimed: claim.attempts.length }
}
