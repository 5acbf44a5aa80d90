import {
  createLeasedFlights,
  type Engine,
  type LeasedFlights,
  nextDueBy,
  type Patience,
  throwFirst
} from '#kit/engines'
import { type Ctx, isTemporary, UnknownStore } from '#kit/postgres'
import { parseExactJson, parseStorableJson } from '#kit/storable-json'
import {
  deleteOldInbound,
  dueInbound,
  extendInboundLease,
  findDueInbound,
  giveBackInbound,
  type Inbound,
  type InboundMessage,
  leaseInbound,
  MalformedPayload,
  markInboundEnded,
  markInboundFailed,
  nextInboundAt,
  releaseInbound
} from '#platform'
import {
  createMessagesUnderWay,
  INBOUND_LIMITS,
  type InboundLimits,
  type Keyed,
  type MessagesUnderWay
} from './messages-under-way.ts'
import { subjectOf, TOPICS, type TopicDeps, type TopicHandler } from './topics.ts'

/** What is under way in a store. */
type StoreWork = { storeId: number; messages: MessagesUnderWay }

const PRUNE_BATCH = 200
const RETENTION_DAYS = 30
const RETRY_AFTER_MINUTES = [1, 5, 30, 120, 360] as const
const MAX_TRIES = 20
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
  deps: TopicDeps & { leaseOwner: number; patience?: Patience; limits?: Partial<InboundLimits> },
  topics: Record<string, TopicHandler> = TOPICS
): Engine {
  const { db, leaseOwner } = deps
  const limits = { ...INBOUND_LIMITS, ...deps.limits }
  const { leaseMs } = limits
  const handlerOf = new Map(Object.entries(topics))
  const handlers = [...new Set(handlerOf.values())]
  const works = new Map<number, StoreWork>()
  const calls: LeasedFlights<Inbound, void> = createLeasedFlights({
    leaseMs,
    patience: deps.patience,
    extend: (storeId, messages) => db.inStore(storeId, (ctx) => extendInboundLease(ctx, messages, leaseMs)),
    record: (storeId, ended) => Promise.allSettled(ended.map(({ things }) => giveBack(workOf(storeId), things)))
  })

  /** The same for messages that are handled one after the other: those of one handler about one thing. */
  const keyOf = ({ topic, body }: Pick<Inbound, 'topic' | 'body'>): string =>
    `${handlers.indexOf(handlerOf.get(topic)!)} ${subjectOf(topic, body)}`

  const workOf = (storeId: number): StoreWork => {
    const work = works.get(storeId) ?? { storeId, messages: createMessagesUnderWay(limits) }
    works.set(storeId, work)
    return work
  }

  const forget = ({ storeId, messages }: StoreWork, ended: Inbound[]) => {
    calls.letGoOf(storeId, ended)
    messages.forget(ended)
  }

  const forgetIdle = ({ storeId, messages }: StoreWork) => {
    if (calls.load(storeId).underWay === 0 && messages.isEmpty()) works.delete(storeId)
  }

  /** Claims messages that may begin; what waits for one under way is passed by, and not leased. */
  async function claim({ storeId, messages }: StoreWork): Promise<Inbound[]> {
    for (let look = messages.nextLook(); look; look = messages.nextLook()) {
      const { split, ...wanted } = look
      const { free, waiting } = await db.inStore(storeId, async (ctx) => {
        const found = await findDueInbound(ctx, { leaseOwner, ...wanted })
        const parts = split(found.map((message) => ({ message, key: keyOf(message) })))
        await leaseInbound(ctx, messagesOf(parts.free), { leaseOwner, leaseMs })
        return parts
      })
      messages.add({ free, waiting })
      if (free.length > 0 || waiting.length === 0) return messagesOf(free)
    }
    return []
  }

  /** Gives back what a call did not come to. Until then it counts as under way, also while the database is away or a lock is held. */
  async function giveBack(work: StoreWork, group: Inbound[]): Promise<void> {
    const left = work.messages.among(group)
    if (left.length === 0) return
    const [given] = await Promise.allSettled([db.inStore(work.storeId, (ctx) => giveBackInbound(ctx, left))])
    if (given.status === 'rejected' && isTemporary(given.reason)) throw given.reason
    forget(work, left)
    // They may be gone with their store.
    if (given.status === 'rejected' && !(given.reason instanceof UnknownStore)) throw given.reason
  }

  async function markEnded(work: StoreWork, ended: Inbound[], status: 'done' | 'ignored') {
    await db.inStore(work.storeId, (ctx) => markInboundEnded(ctx, ended, status))
    forget(work, ended)
  }

  /** Tries one message by itself; when it fails, schedules its next try. */
  async function handleAlone(work: StoreWork, handler: TopicHandler, message: Inbound): Promise<void> {
    const { storeId } = work
    try {
      await handler(deps, storeId, [messageOf(message)])
    } catch (err) {
      await db.inStore(storeId, (ctx) => markInboundFailed(ctx, message, String(err), retryAt(ctx, message, err)))
      return forget(work, [message])
    }
    await markEnded(work, [message], 'done')
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

  /** Tries messages one by one, those about one thing in order. */
  async function handleOneByOne(work: StoreWork, handler: TopicHandler, group: Inbound[]): Promise<void> {
    const left = [...Map.groupBy(group, keyOf).values()]
    const handleNext = async (): Promise<void> => {
      for (let some = left.shift(); some; some = left.shift()) {
        for (const message of some) {
          if (calls.isEnding(work.storeId) || !calls.isHeld(work.storeId, message)) break
          await handleAlone(work, handler, message)
        }
      }
    }
    const ended = await Promise.allSettled(Array.from({ length: MAX_ALONE }, handleNext))
    throwFirst(ended)
  }

  /** Tries the messages of one handler together, and one by one when that fails. What it does not come to is given back. */
  async function handleGroup(work: StoreWork, handler: TopicHandler | undefined, group: Inbound[]): Promise<void> {
    if (!handler) await markEnded(work, group, 'ignored')
    else if (group.length > 1 && (await succeeds(handler, work.storeId, group))) await markEnded(work, group, 'done')
    else await handleOneByOne(work, handler, group)
  }

  /** Claims messages and begins the calls of their handlers. */
  async function begin(work: StoreWork): Promise<number> {
    if (calls.free(work.storeId, MAX_CALLS) === 0) return 0
    // What to leave out is known by the messages under way and those that wait for them.
    return calls.claim(work.storeId, async () => {
      const groups = Map.groupBy(await claim(work), ({ topic }) => handlerOf.get(topic))
      return [...groups].map(([handler, group]) => ({ things: group, work: () => handleGroup(work, handler, group) }))
    })
  }

  return {
    name: 'inbound',
    stage: 'receive',
    releaseLeases: releaseInbound,
    needsPlatform: true,
    restsAfterRestore: true,
    due: dueInbound,

    ...nextDueBy(db, nextInboundAt),

    async runOnce(storeId) {
      const work = workOf(storeId)
      const claimed = await begin(work)
      const ended = await calls.record(storeId)
      if (ended > 0) {
        await db.inStore(storeId, (ctx) =>
          deleteOldInbound(ctx, ctx.now.subtract({ hours: RETENTION_DAYS * 24 }), PRUNE_BATCH)
        )
      }
      forgetIdle(work)
      return claimed || calls.load(storeId).underWay || ended
    },

    async endUnderWay(storeId) {
      try {
        await calls.endUnderWay(storeId)
      } finally {
        forgetIdle(workOf(storeId))
      }
    },
    letGo: calls.letGo,
    keptLong: calls.keptLong
  }
}

/** Topics whose messages name their order by a plain number only, which must stay exact; that is slow to read. */
const PLAIN_NUMBERS = /^(refunds|order_transactions|disputes)\//

/** A stored message as its handler gets it. */
export function messageOf({ id, topic, body, triggeredAt, receivedAt }: Inbound): InboundMessage {
  const payload = PLAIN_NUMBERS.test(topic) ? parseExactJson(body) : parseStorableJson(body)
  return { id, topic, payload, triggeredAt: triggeredAt ?? receivedAt }
}

/** When to try again, by the store's clock. Null for a message that cannot be read: it would fail every time. */
function retryAt(ctx: Ctx, { attempts }: Inbound, err: unknown): Temporal.Instant | null {
  if (err instanceof MalformedPayload || attempts + 1 >= MAX_TRIES) return null
  return ctx.now.add({ minutes: RETRY_AFTER_MINUTES[Math.min(attempts, RETRY_AFTER_MINUTES.length - 1)]! })
}

const messagesOf = (keyed: Keyed[]): Inbound[] => keyed.map(({ message }) => message)
