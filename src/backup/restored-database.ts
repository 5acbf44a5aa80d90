import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, openConnection } from '#kit/postgres'
import { type DatabaseSeen, findRestore, listStores, type Restore, tickEpoch, writePlace } from '#stores'
import { holdRestoredStores } from '#sync'
import { listSequences, quoted, SERVICE_SCHEMA, SILENCE_MS } from './tables.ts'

/** What this node has seen of its database, in DATA_DIR. */
const SEEN_FILE = 'database-seen.json'
/** How often a node looks whether its database is still the one that it knows. */
const TICK_MS = 60_000

/**
 * Ids that were given after the backup are not given again: receivers of webhooks and other systems know them as something else. So
 * every sequence continues this far ahead.
 */
const IDS_AHEAD = 10_000_000
/** Numbers of running processes, which nobody keeps. */
const OF_PROCESSES = 'worker_ids'

type Place = { db: Database; url: string; dataDir: string }

/**
 * Makes a database that comes from a backup the present one: holds its stores until their platforms were read, and continues ids
 * far ahead. Safe to repeat after a crash: the last step says that it was done. Returns the number of stores.
 */
export async function takeIn({ db, url, dataDir }: Place): Promise<number> {
  const stores = await holdRestoredStores(db)
  await advanceIds(url)
  await writePlace(db, readSeen(dataDir))
  return stores
}

async function advanceIds(url: string): Promise<void> {
  const client = await openConnection({ connectionString: url, silenceMs: SILENCE_MS })
  try {
    for (const { schema, name, value } of await listSequences(client, [SERVICE_SCHEMA])) {
      if (name === OF_PROCESSES) continue
      await client.query('select setval($1::regclass, $2::bigint + $3)', [quoted(schema, name), value, IDS_AHEAD])
    }
  } finally {
    await client.end()
  }
}

const WHY: Record<Restore, string> = {
  copied: 'it was used in another place before',
  older: 'it is older than what this node has seen of it'
}

export type RestoreWatch = { stop(): Promise<void> }

/**
 * Notices at the start of a node, and while it runs, that the database was restored from a backup by whatever tool, and takes it
 * in. A copy of the whole DATA_DIR cannot be noticed here: it sets back what the node remembers, too.
 */
export async function watchForRestores(
  place: Place & { warn: (message: string) => void; fail: (err: Error) => void; everyMs?: number }
): Promise<RestoreWatch> {
  const { db, dataDir, warn, fail, everyMs = TICK_MS } = place
  const restore = await findRestore(db, readSeen(dataDir))
  if (restore) {
    const stores = await takeIn(place)
    warn(
      `The database was restored from a backup (${WHY[restore]}): ${stores} stores are on hold until their platforms were read`
    )
  } else {
    await writePlace(db, null)
    const held = await heldStores(db)
    if (held.length > 0) warn(`On hold since a restore, until their platforms were read: ${listOf(held)}`)
  }
  let held = await heldStores(db)
  let seen = await tickEpoch(db)
  remember(dataDir, seen)
  let isOther = false
  const tick = async () => {
    const next = await tickEpoch(db)
    // Until it is taken in, whatever the epoch is then.
    isOther ||= next.id !== seen.id || next.epoch <= seen.epoch
    if (isOther) {
      const stores = await takeIn(place)
      warn(
        `The database was set back or replaced while this node was running: ${stores} stores are on hold until their platforms were read`
      )
      seen = await tickEpoch(db)
      isOther = false
    } else seen = next
    remember(dataDir, seen)
    const still = await heldStores(db)
    const released = held.filter((domain) => !still.includes(domain))
    if (released.length > 0) warn(`In operation again after the restore: ${listOf(released)}`)
    held = still
  }
  let running: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    running = running.then(tick).catch(fail)
  }, everyMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    }
  }
}

async function heldStores(db: Database): Promise<string[]> {
  return (await listStores(db))
    .filter(({ restoredAt, status }) => restoredAt !== null && status !== 'deleting')
    .map(({ domain }) => domain)
}

function listOf(domains: string[]): string {
  const names = domains.slice(0, 5).join(', ')
  return domains.length > 5 ? `${names} and ${domains.length - 5} more` : names
}

function readSeen(dataDir: string): DatabaseSeen | null {
  try {
    const { id, epoch } = JSON.parse(readFileSync(join(dataDir, SEEN_FILE), 'utf8')) as Record<string, unknown>
    return typeof id === 'string' && Number.isSafeInteger(epoch) ? { id, epoch: epoch as number } : null
  } catch {
    // There is none yet, or a crash has cut it off: it is written again in a moment.
    return null
  }
}

const remember = (dataDir: string, seen: DatabaseSeen) =>
  writeFileSync(join(dataDir, SEEN_FILE), `${JSON.stringify(seen)}\n`, { mode: 0o600 })
