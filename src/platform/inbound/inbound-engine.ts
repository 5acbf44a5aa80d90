import { realNow } from '#kit/clock'
import type { Engine } from '#kit/engines'
import { type Ctx, type Database, instant, nullable, row } from '#kit/postgres'
import { parseStorableJson } from '#kit/storable-json'
import { MalformedPayload } from '../wire/fields.ts'
import {
  claimDue,
  deleteOld,
  dueInbound,
  extendLease,
  type Inbound,
  LEASE_SECONDS,
  markEnded,
  markFailed,
  nextInboundAt
} from './inbound-queries.ts'

export type InboundMessage = { id: number; topic: string; payload: unknown; triggeredAt: Temporal.Instant }

/**
 * Handles messages of its topics, oldest first, perhaps twice. When it throws, none of them counts as handled. There is no
 * order between handlers, because the platform promises none: a message says that something changed, and the handler reads
 * the present state from the platform.
 */
export type InboundHandler = (storeId: number, messages: InboundMessage[]) => Promise<void>

export type InboundEngineOptions = { db: Database; leaseOwner: number; handlers: Record<string, InboundHandler> }

type Hold = (done: Inbound[]) => Promise<boolean>

const BATCH = 200
const PRUNE_BATCH = 200
const RETENTION_DAYS = 30
const RETRY_AFTER_MINUTES = [1, 5, 30, 120, 360] as const
const MAX_TRIES = 20
/** The used part of a lease after which it is extended; one call of a handler may use the rest. */
const EXTEND_AFTER_SECONDS = LEASE_SECONDS / 3

/**
 * Processes the stored messages of the platform. All messages of a batch with the same handler go to it in one call, in the
 * order of arrival, because statements are per batch and the messages of many renewals arrive interleaved. When a call fails,
 * its messages are tried one by one, so that a bad message blocks no other.
 */
export function createInboundEngine({ db, leaseOwner, handlers }: InboundEngineOptions): Engine {
  const handlerOf = new Map(Object.entries(handlers))

  /** Tries one message by itself; when it fails, schedules its next try. */
  async function handleAlone(storeId: number, handler: InboundHandler, message: Inbound): Promise<void> {
    try {
      await handler(storeId, [messageOf(message)])
    } catch (err) {
      return db.inStore(storeId, (ctx) => markFailed(ctx, message, String(err), retryAt(ctx, message, err)))
    }
    await db.inStore(storeId, (ctx) => markEnded(ctx, [message], 'done'))
  }

  /** Tries the messages of one handler together, and one by one when that fails. */
  async function handleGroup(storeId: number, group: Inbound[], hold: Hold): Promise<void> {
    const handler = handlerOf.get(group[0]!.topic)
    if (!handler) return db.inStore(storeId, (ctx) => markEnded(ctx, group, 'ignored'))
    if (group.length > 1 && (await succeeds(handler, storeId, group))) {
      return db.inStore(storeId, (ctx) => markEnded(ctx, group, 'done'))
    }
    for (const message of group) {
      await handleAlone(storeId, handler, message)
      if (!(await hold([message]))) return
    }
  }

  /** Extends the lease on unfinished messages; false when another process has taken over some of them. */
  function holdOf(storeId: number, claimed: Inbound[]): Hold {
    let leasedAt = realNow()
    const left = new Set(claimed)
    return async (done) => {
      for (const message of done) left.delete(message)
      if (left.size === 0 || realNow().since(leasedAt).total('seconds') < EXTEND_AFTER_SECONDS) return true
      leasedAt = realNow()
      return (await db.inStore(storeId, (ctx) => extendLease(ctx, [...left]))) === left.size
    }
  }

  return {
    name: 'inbound',
    needsPlatform: true,
    due: dueInbound,

    async nextDueAt(storeId) {
      const { at } = await db.direct.one(row({ at: nullable(instant) }), nextInboundAt(storeId))
      return at
    },

    async runOnce(storeId) {
      const claimed = await db.inStore(storeId, (ctx) => claimDue(ctx, leaseOwner, BATCH))
      if (claimed.length === 0) return 0
      const hold = holdOf(storeId, claimed)
      for (const group of Map.groupBy(claimed, ({ topic }) => handlerOf.get(topic)).values()) {
        if (!(await hold([]))) break
        await handleGroup(storeId, group, hold)
        await hold(group)
      }
      await db.inStore(storeId, (ctx) => deleteOld(ctx, ctx.now.subtract({ hours: RETENTION_DAYS * 24 }), PRUNE_BATCH))
      return claimed.length
    }
  }
}

async function succeeds(handler: InboundHandler, storeId: number, group: Inbound[]): Promise<boolean> {
  try {
    await handler(storeId, group.map(messageOf))
    return true
  } catch {
    // The error occurs again, and is stored, when the message that caused it is tried alone.
    return false
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
