import { setTimeout } from 'node:timers/promises'
import { type Database, sql } from '../postgres/index.ts'
import type { SessionPart } from './node-session.ts'

const CHANNEL = 'perennial_work'
/** A payload may have 8,000 bytes; an id has at most 19 digits and its comma. */
const MAX_STORES = 400
/** NOTIFY serializes the commits of a database, so one node sends at most so often, whatever it writes. */
const PAUSE_MS = 25

/** Calls `found` with the stores in which another node made work, and `missed` when signals may have been lost. */
export function listenForWork(on: { found(storeIds: number[]): void; missed(): void }): SessionPart {
  return {
    async opened(session) {
      await session.query(`listen ${CHANNEL}`)
      on.missed()
    },
    notified(channel, payload) {
      if (channel === CHANNEL) on.found(payload.split(',').map(Number))
    }
  }
}

export type WorkSignals = {
  /** Tells the nodes that run engines of new work in this store; to be called after the commit that made it. */
  send(storeId: number): void
  /** Sends what waits. */
  stop(): Promise<void>
}

/**
 * Signals from a node that runs no engines itself. They are sent after the commit and in batches, each store once per
 * batch. One that is lost with its process costs nothing but time: the other nodes poll.
 */
export function createWorkSignals(db: Database): WorkSignals {
  const waiting = new Set<number>()
  let sending: Promise<void> | null = null

  const send = async () => {
    while (waiting.size > 0) {
      const stores = [...waiting].slice(0, MAX_STORES)
      for (const storeId of stores) waiting.delete(storeId)
      // A failure means that the database is away; work that was committed before is found by the poll.
      await db.direct.run(sql`select pg_notify(${CHANNEL}, ${stores.join()})`).catch(() => {})
      await setTimeout(PAUSE_MS)
    }
  }

  return {
    send(storeId) {
      waiting.add(storeId)
      sending ??= send().finally(() => {
        sending = null
      })
    },
    async stop() {
      await sending
    }
  }
}
