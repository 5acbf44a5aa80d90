import { createFlights, type Engine, type Patience } from '#kit/engines'
import { type Ctx, instant, nullable, row } from '#kit/postgres'
import { parseStorableJson } from '#kit/storable-json'
import {
  claimInbound,
  deleteOldInbound,
  dueInbound,
  extendInboundLease,
  giveBackInbound,
  INBOUND_LEASE_SECONDS,
  type Inbound,
  type InboundMessage,
  MalformedPayload,
  markInboundEnded,
  markInboundFailed,
  nextInboundAt,
  releaseInbound
} from '#platform'
import { subjectOf, TOPICS, type TopicDeps, type TopicHandler } from './topics.ts'

type Hold = (done: Inbound[]) => Promise<boolean>
/** Messages of one handler. */
type Group = { handler: TopicHandler | undefined; messages: Inbound[] }
/** What the calls under way are about, in one store. */
type Busy = Map<TopicHandler | undefined, Set<string>>

const BATCH = 200
const PRUNE_BATCH = 200
const RETENTION_DAYS = 30
const RETRY_AFTER_MINUTES = [1, 5, 30, 120, 360] as const
const MAX_TRIES = 20
/** The used part of a lease after which it is extended; one call of a handler may use the rest. */
const EXTEND_AFTER_SECONDS = INBOUND_LEASE_SECONDS / 3
/** Calls of handlers that are under way in a store, without those that are slow. */
const MAX_CALLS = 16
/** Messages about different things that are tried by themselves at once, where their group failed. */
const MAX_ALONE = 4

/**
 * Processes the stored messages of the platform. All messages of a batch with the same handler go to it in one call, in the
 * order of arrival, because statements are per batch and the messages of many renewals arrive interleaved. When a call fails,
 * its messages are tried one by one, so that a bad message blocks no other. A call that hangs holds up no other either: it is left
 * under way, and only what comes in about the same things (`subjectOf`) waits for it.
 */
export function createInboundEngine(
  deps: TopicDeps & { leaseOwner: number; patience?: Patience },
  topics: Record<string, TopicHandler> = TOPICS
): Engine {
  const { db, leaseOwner } = deps
  const handlerOf = new Map(Object.entries(topics))
  const calls = createFlights<void>(deps.patience)
  const busyOf = new Map<number, Busy>()
  const claiming = new Set<number>()

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

  /** Tries the messages of one handler together, and one by one when that fails, those about one thing in order. */
  async function handleGroup(storeId: number, { handler, messages }: Group): Promise<void> {
    if (!handler) return db.inStore(storeId, (ctx) => markInboundEnded(ctx, messages, 'ignored'))
    if (messages.length > 1 && (await succeeds(handler, storeId, messages))) {
      return db.inStore(storeId, (ctx) => markInboundEnded(ctx, messages, 'done'))
    }
    const hold = holdOf(storeId, messages)
    const left = [...Map.groupBy(messages, subjectOfMessage).values()]
    const handleNext = async (): Promise<void> => {
      for (let some = left.shift(); some; some = left.shift()) {
        for (const message of some) {
          await handleAlone(storeId, handler, message)
          if (!(await hold([message]))) return
        }
      }
    }
    await Promise.all(Array.from({ length: MAX_ALONE }, handleNext))
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

  /** Claims messages and begins the calls of their handlers. Those about what is under way are given back. */
  async function begin(storeId: number): Promise<number> {
    if (claiming.has(storeId) || calls.free(storeId, MAX_CALLS) === 0) return 0
    claiming.add(storeId)
    try {
      const claimed = await db.inStore(storeId, (ctx) => claimInbound(ctx, leaseOwner, BATCH))
      const busy: Busy = busyOf.get(storeId) ?? new Map()
      const isBusy = (message: Inbound) =>
        busy.get(handlerOf.get(message.topic))?.has(subjectOfMessage(message)) === true
      const [waiting, free] = [claimed.filter(isBusy), claimed.filter((message) => !isBusy(message))]
      const groups = [...Map.groupBy(free, ({ topic }) => handlerOf.get(topic))].map(([handler, messages]) => ({
        handler,
        messages
      }))
      if (groups.length > 0) busyOf.set(storeId, busy)
      calls.start(
        storeId,
        groups.map((group) => () => whileBusy(busy, group, () => handleGroup(storeId, group)))
      )
      if (waiting.length > 0) await db.inStore(storeId, (ctx) => giveBackInbound(ctx, waiting))
      return claimed.length
    } finally {
      claiming.delete(storeId)
    }
  }

  /** Waits for what ended; an error of the database ends the run. */
  async function takeEnded(storeId: number): Promise<number> {
    const ended = await calls.take(storeId)
    if (calls.load(storeId).underWay === 0 && !claiming.has(storeId)) busyOf.delete(storeId)
    const failed = ended.find((end) => end.status === 'rejected')
    if (failed) throw failed.reason
    return ended.length
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
      const claimed = await begin(storeId)
      const ended = await takeEnded(storeId)
      if (ended > 0) {
        await db.inStore(storeId, (ctx) =>
          deleteOldInbound(ctx, ctx.now.subtract({ hours: RETENTION_DAYS * 24 }), PRUNE_BATCH)
        )
      }
      return claimed || calls.load(storeId).underWay || ended
    },

    async endUnderWay(storeId) {
      while (calls.load(storeId).underWay > 0) await takeEnded(storeId)
    }
  }
}

/** Marks what a group is about as under way, until its call has ended. */
async function whileBusy(busy: Busy, { handler, messages }: Group, work: () => Promise<void>): Promise<void> {
  const subjects = new Set(messages.map(subjectOfMessage))
  const ofHandler = busy.get(handler) ?? new Set()
  busy.set(handler, ofHandler)
  for (const subject of subjects) ofHandler.add(subject)
  try {
    await work()
  } finally {
    for (const subject of subjects) ofHandler.delete(subject)
  }
}

const subjectOfMessage = ({ topic, body }: Inbound): string => subjectOf(topic, body)

function messageOf({ id, topic, body, triggeredAt, receivedAt }: Inbound): InboundMessage {
  return { id, topic, payload: parseStorableJson(body), triggeredAt: triggeredAt ?? receivedAt }
}

/** When to try again, by the store's clock. Null for a message that cannot be read: it would fail every time. */
function retryAt(ctx: Ctx, { attempts }: Inbound, err: unknown): Temporal.Instant | null {
  if (err instanceof MalformedPayload || attempts + 1 >= MAX_TRIES) return null
  return ctx.now.add({ minutes: RETRY_AFTER_MINUTES[Math.min(attempts, RETRY_AFTER_MINUTES.length - 1)]! })
}
