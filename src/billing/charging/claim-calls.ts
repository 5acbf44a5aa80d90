import type { Database } from '#kit/postgres'
import type { Connector } from '#platform'
import { askPlatform, type Call, type Claim } from './ask-platform.ts'
import { type ClaimedAttempt, claimAttempts } from './claims.ts'
import { endOfCall, renewClaim } from './keep-claims.ts'

/**
 * Claims up to `limit` attempts that wait to be sent or checked, and returns what to ask the platform for them. Every call uses
 * the attempt's stored key. After a crash or a lost response the platform is searched for the attempt before its key is sent
 * again, because keys are forgotten there after a time. A new key is sent only after the platform has said that no earlier
 * attempt of the cycle was paid. Each attempt that may charge is asked for by itself, so that one whose call hangs holds up no
 * other; those that are only read are read together. Nothing is written. `maxCallMs`: no call of the connector takes longer.
 * `except`: what this process works on. `isEnding`: no charge is to be sent any more, and nothing more is to be read.
 */
export async function claimCalls(
  db: Database,
  storeId: number,
  connector: Connector,
  options: {
    leaseOwner: number
    maxCallMs: number
    limit: number
    except: ClaimedAttempt[]
    isEnding: () => boolean
  }
): Promise<Call[]> {
  const { leaseOwner, maxCallMs, limit, except, isEnding } = options
  const from = performance.now()
  const { attempts, now } = await db.inStore(storeId, async (ctx) => ({
    now: ctx.now,
    attempts: await claimAttempts(ctx, limit, leaseOwner, maxCallMs, except)
  }))
  // A search before a charge may have taken long.
  const endBy: Claim['endBy'] = async (attempt) => {
    const renew = async () => !isEnding() && (await db.inStore(storeId, (ctx) => renewClaim(ctx, attempt, maxCallMs)))
    const end = await endOfCall(from, maxCallMs, renew)
    return isEnding() ? null : end
  }
  const known = attempts.filter((a) => a.platformAttemptId !== null)
  const parts = attempts.filter((a) => a.platformAttemptId === null).map((attempt) => [attempt])
  if (known.length > 0) parts.push(known)
  return parts.map((part) => ({
    attempts: part,
    ask: () => askPlatform(connector, { attempts: part, now, endBy, isEnding })
  }))
}
