import { type Connection, type Database, sql } from '../postgres/index.ts'
import { Busy, Refusal } from '../refusal.ts'
import { LOCKS } from './advisory-locks.ts'
import type { NodeSession, SessionPart } from './node-session.ts'

const CHANNEL = 'perennial_hold'
/** As long as background work of a store may need to end: a batch whose every call to the platform hangs. */
const HOLD_TIMEOUT_MS = 180_000
const ASK_AGAIN_MS = 250
const ASSERT_EVERY_MS = 1_000
const ANSWER_TIMEOUT_MS = 5_000
const SPARE_MS = 10_000
const LOCK_NOT_AVAILABLE = '55P03'

/** A store that this node has to itself. */
export type Hold = {
  /** Refuses when the connection that holds the store was lost: another node may have it now. Asks once a second at most. */
  assertHeld(): Promise<void>
}

/**
 * Keeps background work and a moving test clock apart, over all nodes. Background work shares a store, under one lock per
 * node and store; whoever moves its clock holds the store alone.
 */
export type StoreHolds = {
  /** Shares the store; null when somebody holds it or waits to. `end` gives the share back. */
  share(storeId: number): Promise<Share | null>
  /** Holds the store alone while `work` runs. Refuses when others keep it for three minutes. */
  holdAlone<T>(storeId: number, work: (hold: Hold) => Promise<T>): Promise<T>
  part: SessionPart
  close(): Promise<void>
}

export type Share = {
  /** Somebody waits for the store, or the lock is lost: finish the present batch and end. */
  isOver(): boolean
  end(): Promise<void>
}

/** The second number of a lock has 31 bits. Stores with the same number would only wait for each other. */
const lockOf = (storeId: number) => [LOCKS.store, storeId % 2 ** 31]

type Entry = { users: number; isOver: boolean; isLost: boolean; locked: Promise<boolean> }

export function createStoreHolds(db: Database, query: NodeSession['query']): StoreHolds {
  const shared = new Map<number, Entry>()
  const sessions = holdSessions(db)

  const tryShared = async (storeId: number) => {
    const { rows } = await query('select pg_try_advisory_lock_shared($1, $2) as mine', lockOf(storeId))
    return Boolean(rows[0].mine)
  }

  const leave = async (storeId: number, entry: Entry, wasLocked: boolean) => {
    entry.users--
    if (entry.users > 0) return
    if (shared.get(storeId) === entry) shared.delete(storeId)
    // A lost connection has given the lock back already; the new one may have it for others.
    if (wasLocked && !entry.isLost)
      await query('select pg_advisory_unlock_shared($1, $2)', lockOf(storeId)).catch(() => {})
  }

  const lockAlone = async (session: Connection, storeId: number) => {
    const { rows } = await session.within(ANSWER_TIMEOUT_MS, () =>
      session.query('select pg_try_advisory_lock($1, $2) as mine', lockOf(storeId))
    )
    if (rows[0].mine) return
    // Asked again and again, since a node may begin to share the store just before this one is in the queue.
    const ask = () => void db.direct.run(sql`select pg_notify(${CHANNEL}, ${String(storeId)})`).catch(() => {})
    const asking = setInterval(ask, ASK_AGAIN_MS)
    try {
      const locked = session.within(HOLD_TIMEOUT_MS + ANSWER_TIMEOUT_MS, () =>
        session.query('select pg_advisory_lock($1, $2)', lockOf(storeId))
      )
      ask()
      await locked
    } catch (err) {
      if ((err as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw err
      throw new Refusal('unavailable', 'Another process keeps working on the store; try again later')
    } finally {
      clearInterval(asking)
    }
  }

  return {
    async share(storeId) {
      const entry = shared.get(storeId) ?? { users: 0, isOver: false, isLost: false, locked: tryShared(storeId) }
      if (entry.isOver) return null
      shared.set(storeId, entry)
      entry.users++
      const isLocked = await entry.locked.catch(() => false)
      if (isLocked) return { isOver: () => entry.isOver, end: () => leave(storeId, entry, true) }
      await leave(storeId, entry, false)
      return null
    },

    async holdAlone(storeId, work) {
      const session = await sessions.take()
      try {
        await lockAlone(session, storeId)
        let heardAt = performance.now()
        return await work({
          async assertHeld() {
            if (performance.now() - heardAt < ASSERT_EVERY_MS) return
            if (!(await responds(session))) throw new Busy('The connection to the database was lost; ask again')
            heardAt = performance.now()
          }
        })
      } finally {
        await sessions.giveBack(session)
      }
    },

    part: {
      opened: (session) => session.query(`listen ${CHANNEL}`),
      notified(channel, payload) {
        const entry = channel === CHANNEL ? shared.get(Number(payload)) : undefined
        if (entry) entry.isOver = true
      },
      lost() {
        for (const entry of shared.values()) entry.isOver = entry.isLost = true
        shared.clear()
      }
    },

    close: () => sessions.close()
  }
}

/** Sessions for holds. One that is given back waits a while for the next: a clock is often moved many times in a row. */
function holdSessions(db: Database) {
  let spare: { session: Connection; ending: NodeJS.Timeout } | null = null
  const takeSpare = () => {
    const taken = spare
    spare = null
    clearTimeout(taken?.ending)
    return taken?.session
  }
  return {
    async take(): Promise<Connection> {
      const session = takeSpare()
      if (session && (await responds(session))) return session
      const opened = await db.session()
      await opened.within(ANSWER_TIMEOUT_MS, () => opened.query(`set lock_timeout = ${HOLD_TIMEOUT_MS}`))
      return opened
    },
    async giveBack(session: Connection): Promise<void> {
      const unlock = () => session.query('select pg_advisory_unlock_all()')
      const isFree = await session.within(ANSWER_TIMEOUT_MS, unlock).then(
        () => true,
        () => false
      )
      if (!isFree || spare) return void (await session.end().catch(() => {}))
      spare = { session, ending: setTimeout(() => void takeSpare()?.end(), SPARE_MS).unref() }
    },
    async close(): Promise<void> {
      await takeSpare()?.end()
    }
  }
}

/** Whether the connection still works; one that does not is closed. */
async function responds(session: Connection): Promise<boolean> {
  try {
    await session.within(ANSWER_TIMEOUT_MS, () => session.query('select'))
    return true
  } catch {
    await session.end().catch(() => {})
    return false
  }
}
