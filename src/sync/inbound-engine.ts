import type { Engine } from '#kit/engines'
import { type Ctx, instant, nullable, row } from '#kit/postgres'
import { parseStorableJson } from '#kit/storable-json'
import {
  claimInbound,
  deleteOldInbound,
  dueInbound,
  extendInboundLease,
  INBOUND_LEASE_SECONDS,
  type Inbound,
  type InboundMessage,
  MalformedPayload,
  markInboundEnded,
  markInboundFailed,
  nextInboundAt,
  releaseInbound
} from '#platform'
import { TOPICS, type TopicDeps, type TopicHandler } from './topics.ts'

type Hold = (done: Inbound[]) => Promise<boolean>

const BATCH = 200
const PRUNE_BATCH = 200
const RETENTION_DAYS = 30
const RETRY_AFTER_MINUTES = [1, 5, 30, 120, 360] as const
const MAX_TRIES = 20
/** The used part of a lease after which it is extended; one call of a handler may use the rest. */
const EXTEND_AFTER_SECONDS = INBOUND_LEASE_SECONDS / 3

/**
 * Processes the stored messages of the platform. All messages of a batch with the same handler go to it in one call, in the
 * order of arrival, because statements are per batch and the messages of many renewals arrive interleaved. When a call fails,
 * its messages are tried one by one, so that a bad message blocks no other.
 */
export function createInboundEngine(
  deps: TopicDeps & { leaseOwner: number },
  topics: Record<string, TopicHandler> = TOPICS
): Engine {
  const { db, leaseOwner } = deps
  const handlerOf = new Map(Object.entries(topics))

  /** Tries one message by itself; when it fails, schedules its next try. */
  async function handleAlone(storeId: number, handler: TopicHandler, message: Inbound): Promise<void> {
    try {
      await handler(deps, storeId, [messageOf(message)])
    } catch (err) {
      return db.inStore(storeId, (ctx) => markInboundFailed(ctx, message, String(err), retryAt(ctx, message, err)))
    }
    await db.inStore(storeId, (ctx) => markInboundEnded(ctx, [message], 'done'))
  }

  async function succeeds(handler: TopicHandler, storeId: number, group: Inbound[]): Promise<boolean> {
    try {
      await handler(deps, storeId, group.map(messageOf))
      return true
    } catch {
      // The error occurs again, and is stored, when the message that caused it is tried alone.
      return false
    }
  }

  /** Tries the messages of one handler together, and one by one when that fails. */
  async function handleGroup(storeId: number, group: Inbound[], hold: Hold): Promise<void> {
    const handler = handlerOf.get(group[0]!.topic)
    if (!handler) return db.inStore(storeId, (ctx) => markInboundEnded(ctx, group, 'ignored'))
    if (group.length > 1 && (await succeeds(handler, storeId, group))) {
      return db.inStore(storeId, (ctx) => markInboundEnded(ctx, group, 'done'))
    }
    for (const message of group) {
      await handleAlone(storeId, handler, message)
      if (!(await hold([message]))) return
    }
  }

  /** Extends the lease on unfinished messages; false when another process has taken over some of them. */
  function holdOf(storeId: number, claimed: Inbound[]): Hold {
    let leasedAt = performance.now()
    const left = new Set(claimed)
    return async (done) => {
      for (const message of done) left.delete(message)
      if (left.size === 0 || performance.now() - leasedAt < EXTEND_AFTER_SECONDS * 1_000) return true
      leasedAt = performance.now()
      return (await db.inStore(storeId, (ctx) => extendInboundLease(ctx, [...left]))) === left.size
    }
  }

  return {
    name: 'inbound',
    stage: 'receive',
    releaseLeases: releaseInbound,
    needsPlatform: true,
    restsAfterRestore: true,
    due: dueInbound,

    async nextDueAt(storeId) {
      const { at } = await db.direct.one(row({ at: nullable(instant) }), nextInboundAt(storeId))
      return at
    },

    async runOnce(storeId) {
      const claimed = await db.inStore(storeId, (ctx) => claimInbound(ctx, leaseOwner, BATCH))
      if (claimed.length === 0) return 0
      const hold = holdOf(storeId, claimed)
      for (const group of Map.groupBy(claimed, ({ topic }) => handlerOf.get(topic)).values()) {
        if (!(await hold([]))) break
        await handleGroup(storeId, group, hold)
        await hold(group)
      }
      await db.inStore(storeId, (ctx) =>
        deleteOldInbound(ctx, ctx.now.subtract({ hours: RETENTION_DAYS * 24 }), PRUNE_BATCH)
      )
      return claimed.length
    }
  }
}

function messageOf({ id, topic, body, triggeredAt, receivedAt }: Inbound): InboundMessage {
  return { id, topic, payload: parseStorableJson(body), triggeredAt: triggeredAt ?? receivedAt }
}

/** When to try again, by the store's clock. Null for a message that cannot be read: it would fail every time. */
function retryAt(ctx: Ctx, { attempts }: Inbound, err: unknown): Temporal.Instant | null {
  if (err instanceof MalformedPayload || attempts + 1 >= MAX_TRIES) return null
  return ctx.now.add({ minutes: RETRY_AFTER_MINUTES[Math.min(attempts, RETRY_AFTER_MINUTES.length - 1)]! })
}
