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

/**
 * What a claim looks for: not the messages `except`. `split` tells which of those that it found may begin: none about what was
 * under way when the look began, since an earlier one about that may wait.
 */
export type Look = {
  limit: number
  maxBytes: number
  except: number[]
  split(found: Keyed[]): { free: Keyed[]; waiting: Keyed[] }
}

type Entry = Keyed & { bytes: number }

/** The messages of one store that this process works on. */
export type MessagesUnderWay = {
  /** Null when nothing more is to be claimed at present. */
  nextLook(): Look | null
  /** Takes what a look found: those that may begin, which are leased, and those that wait. */
  add(split: { free: Keyed[]; waiting: Keyed[] }): void
  /** They were marked or given back. */
  forget(messages: Inbound[]): void
  /** Which of these were not forgotten. */
  among(messages: Inbound[]): Inbound[]
  isEmpty(): boolean
}

/** Keeps account of what is under way in a store and of what waits for it, so that this hides no other message. */
export function createMessagesUnderWay(limits: InboundLimits): MessagesUnderWay {
  const entries = new Map<number, Entry>()
  /** Messages that wait for others with their key: the keys by the ids. */
  const waitingKeys = new Map<number, string>()

  return {
    nextLook() {
      const underWay = [...entries.values()]
      const busy = new Set(underWay.map(({ key }) => key))
      // All of a key at once: an earlier message is not to be passed by for a later one.
      for (const [id, key] of waitingKeys) if (!busy.has(key)) waitingKeys.delete(id)
      if (waitingKeys.size >= limits.waiting) return null
      const freeBytes = limits.bytesUnderWay - underWay.reduce((sum, { bytes }) => sum + bytes, 0)
      return {
        limit: limits.batch,
        maxBytes: Math.min(limits.batchBytes, freeBytes),
        except: [...entries.keys(), ...waitingKeys.keys()],
        split: (found) => ({
          free: found.filter(({ key }) => !busy.has(key)),
          waiting: found.filter(({ key }) => busy.has(key))
        })
      }
    },

    add({ free, waiting }) {
      for (const { message, key } of waiting) waitingKeys.set(message.id, key)
      for (const { message, key } of free) {
        entries.set(message.id, { message, key, bytes: Buffer.byteLength(message.body) })
      }
    },

    forget(messages) {
      for (const { id } of messages) entries.delete(id)
    },

    among: (messages) => messages.filter(({ id }) => entries.has(id)),

    isEmpty: () => entries.size === 0
  }
}
