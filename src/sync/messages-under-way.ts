import type { Inbound } from '#platform'

/** How much is under way at once; for tests, which reach the limits with less. */
export type InboundLimits = {
  /** How long a lease lasts in real time; it is extended after every third of that, from the claim until the message's end. */
  leaseMs: number
  /** So many messages are looked at together. */
  batch: number
  /** Of all bodies of such a batch, not counting its first. */
  batchBytes: number
  /** Nothing more is claimed in a store while the bodies under way there have as many bytes. */
  bytesUnderWay: number
  /** So many messages are remembered that wait for one under way; when there are more, nothing is claimed until some may begin. */
  waiting: number
}

export const INBOUND_LIMITS: InboundLimits = {
  leaseMs: 60_000,
  batch: 200,
  batchBytes: 16 * 1024 * 1024,
  bytesUnderWay: 32 * 1024 * 1024,
  waiting: 10_000
}

/** A message, and the key that it shares with those that are handled one after the other. */
export type Keyed = { message: Inbound; key: string }

/** What a claim looks for: not the messages `except`; it leases none with the keys `busy`. */
export type Look = { limit: number; maxBytes: number; except: number[]; busy: Set<string> }

type Entry = Keyed & { bytes: number; heldUntil: number; isOver: boolean }

/** The messages of one store that this process works on; times are of `performance.now()`. */
export type MessagesUnderWay = {
  /** Null when nothing more is to be claimed at present. */
  nextLook(): Look | null
  /** Takes what was found: those that may begin, which are returned, are leased from `from` on, and the others wait. */
  add(found: Keyed[], look: Look, from: number): Inbound[]
  all(): Inbound[]
  /** The leases on `asked` were extended at `from`, those on `extended` with success; the others are not ours any more. */
  hold(asked: Inbound[], extended: Set<number>, from: number): void
  /** Whether the call for a message may begin: its lease is surely ours. */
  isHeld(message: Inbound): boolean
  /** They were marked or given back. */
  forget(messages: Inbound[]): void
  /** Their call is over. What was not forgotten is to be given back, and counts as under way until then. */
  end(messages: Inbound[]): void
  /** What is to be given back. */
  over(): Inbound[]
}

/** Keeps account of what is under way in a store and of what waits for it, so that this hides no other message. */
export function createMessagesUnderWay(limits: InboundLimits): MessagesUnderWay {
  const entries = new Map<number, Entry>()
  /** Messages that wait for others with their key: the keys by the ids. */
  const waiting = new Map<number, string>()

  return {
    nextLook() {
      const underWay = [...entries.values()]
      const busy = new Set(underWay.map(({ key }) => key))
      // All of a key at once: an earlier message is not to be passed by for a later one.
      for (const [id, key] of waiting) if (!busy.has(key)) waiting.delete(id)
      const free = limits.bytesUnderWay - underWay.reduce((sum, { bytes }) => sum + bytes, 0)
      if (waiting.size >= limits.waiting) return null
      const except = [...entries.keys(), ...waiting.keys()]
      return { limit: limits.batch, maxBytes: Math.min(limits.batchBytes, free), except, busy }
    },

    add(found, { busy }, from) {
      for (const { message, key } of found) {
        if (busy.has(key)) {
          waiting.set(message.id, key)
          continue
        }
        const bytes = Buffer.byteLength(message.body)
        entries.set(message.id, { message, key, bytes, heldUntil: from + limits.leaseMs, isOver: false })
      }
      return found.flatMap(({ message, key }) => (busy.has(key) ? [] : [message]))
    },

    all: () => [...entries.values()].map(({ message }) => message),

    hold(asked, extended, from) {
      for (const { id } of asked) {
        const entry = entries.get(id)
        if (entry) entry.heldUntil = extended.has(id) ? from + limits.leaseMs : 0
      }
    },

    isHeld: ({ id }) => performance.now() < (entries.get(id)?.heldUntil ?? 0),

    forget(messages) {
      for (const { id } of messages) entries.delete(id)
    },

    end(messages) {
      for (const { id } of messages) {
        const entry = entries.get(id)
        if (entry) entry.isOver = true
      }
    },

    over: () => [...entries.values()].flatMap(({ message, isOver }) => (isOver ? [message] : []))
  }
}
