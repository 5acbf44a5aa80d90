import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import type { Connection, Database } from '../postgres/index.ts'

const RECONNECT_AFTER_MS = [100, 500, 2_000, 5_000] as const
/** How often the connection is tried, and how long it may take to answer. */
const HEARTBEAT_MS = 5_000
/** How long the parts may take with a session that was opened. One of them waits up to 40 seconds for a lock. */
const OPENED_WITHIN_MS = 45_000

/** What a part of the node does with the session: whenever it is opened, with each heartbeat, and when it is lost. */
export type SessionPart = {
  opened?(session: pg.Client): Promise<unknown>
  heartbeat?(): Promise<unknown>
  lost?(): void
  notified?(channel: string, payload: string): void
}

/**
 * The one connection of this process for what belongs to a session: advisory locks and LISTEN. PostgreSQL frees its locks
 * the moment the process or the connection ends, which is how other nodes know that this one is gone.
 */
export type NodeSession = {
  /** Throws while the connection is lost. */
  query(text: string, values: unknown[]): Promise<pg.QueryResult>
  close(): Promise<void>
}

/**
 * Opens the session, and opens it again whenever it is lost. A heartbeat finds a connection that is dead without having
 * ended. Throws when the session cannot be opened the first time.
 */
export async function openNodeSession(
  db: Database,
  parts: SessionPart[],
  heartbeatMs = HEARTBEAT_MS
): Promise<NodeSession> {
  const closing = new AbortController()
  let session: { client: Connection; ask: NodeSession['query'] } | null = null

  const open = async () => {
    const opened = await db.session()
    try {
      opened.on('notification', ({ channel, payload }) => {
        for (const part of parts) part.notified?.(channel, payload ?? '')
      })
      await opened.within(OPENED_WITHIN_MS, async () => {
        for (const part of parts) await part.opened?.(opened)
      })
    } catch (err) {
      await opened.end()
      throw err
    }
    if (closing.signal.aborted) return opened.end()
    session = { client: opened, ask: oneAtATime(opened, heartbeatMs) }
    opened.once('end', () => {
      session = null
      for (const part of parts) part.lost?.()
      void openAgain()
    })
  }

  const openAgain = async () => {
    for (let attempt = 0; !closing.signal.aborted; attempt++) {
      try {
        const ms = RECONNECT_AFTER_MS[attempt] ?? RECONNECT_AFTER_MS.at(-1)!
        await setTimeout(ms, undefined, { signal: closing.signal })
        return await open()
      } catch {
        // The node is closing, or the server is still away: the loop asks until it is back.
      }
    }
  }

  await open()
  const beat = async () => {
    await session?.ask('select', [])
    for (const part of parts) await part.heartbeat?.()
  }
  const heartbeat = setInterval(() => void beat().catch(() => {}), heartbeatMs).unref()
  return {
    async query(text, values) {
      if (!session) throw new Error('The connection of this node is lost; it is being opened again')
      return session.ask(text, values)
    },
    async close() {
      clearInterval(heartbeat)
      closing.abort()
      await session?.client.end()
    }
  }
}

/** Statements one after the other, since the driver sends the next only then. One without an answer ends the connection. */
function oneAtATime(client: Connection, answerMs: number): NodeSession['query'] {
  let before: Promise<unknown> = Promise.resolve()
  const ask = (text: string, values: unknown[]) => client.within(answerMs, () => client.query(text, values))
  return (text, values) => {
    const result = before.then(() => ask(text, values))
    before = result.catch(() => {})
    return result
  }
}
