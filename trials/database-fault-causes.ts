import assert from 'node:assert/strict'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { startProcess } from '../test/service-process.ts'
import type { aStallingProxy } from '../test/stalling-proxy.ts'
import { pause } from './fault-load.ts'
import type { SmallDisk } from './small-disk.ts'

/** Kubernetes kills a process that has not ended after so long. */
const STOPS_WITHIN_MS = 30_000

export const FAULTS = [
  'half-open',
  'stall-in-message',
  'reset',
  'pool-exhausted',
  'disk-full',
  'read-only',
  'postmaster-killed',
  'postmaster-stopped',
  'terminated',
  'sigterm',
  'sigterm-half-open'
] as const
export type Fault = (typeof FAULTS)[number]

/** What a fault is caused in. */
export type FaultPlace = {
  line: Awaited<ReturnType<typeof aStallingProxy>>
  /** Of the database, past the line. */
  url: string
  /** The server's folder. */
  cluster: string
  disk: SmallDisk | null
  service: () => Awaited<ReturnType<typeof startProcess>>
  restart: () => Promise<void>
  /** How long each fault lasts. */
  holdMs: number
}

/** Cause a fault for as long as it lasts; what they return ends it. */
export const CAUSES: Record<Fault, (place: FaultPlace) => Promise<() => Promise<void>>> = {
  async 'half-open'({ line, holdMs }) {
    line.stall()
    await pause(holdMs)
    return async () => line.pass()
  },
  async 'stall-in-message'({ line, holdMs }) {
    line.stallAfter(777)
    await pause(holdMs)
    return async () => line.pass()
  },
  async reset({ line, holdMs }) {
    line.reset()
    await pause(holdMs)
    return async () => line.pass()
  },
  // Somebody else keeps a table that every request needs, so that the connections of the pool wait, all of them.
  async 'pool-exhausted'({ url, holdMs }) {
    const client = await connected(url)
    await client.query('begin; lock table idempotent_responses, members in access exclusive mode')
    await pause(Math.max(holdMs, 6_000))
    return async () => {
      await client.query('commit')
      await client.end()
    }
  },
  async 'disk-full'({ disk, holdMs }) {
    await disk!.fill()
    const filling = setInterval(() => void disk!.fill().catch(() => {}), 500)
    await pause(Math.max(holdMs, 8_000))
    clearInterval(filling)
    return () => disk!.free()
  },
  async 'read-only'({ url, holdMs }) {
    const set = async (value: string) => {
      const client = await connected(url)
      await client.query(`alter database perennial set default_transaction_read_only = ${value}`)
      await client.query(TERMINATE)
      await client.end()
    }
    await set('on')
    await pause(holdMs)
    return async () => {
      const client = await connected(url)
      await client.query('set default_transaction_read_only = off')
      await client.query('alter database perennial set default_transaction_read_only = off')
      await client.query(TERMINATE)
      await client.end()
    }
  },
  async 'postmaster-killed'({ cluster, holdMs }) {
    process.kill(await postmasterOf(cluster), 'SIGKILL')
    // Without this file no new one starts.
    const needed = join(cluster, 'global/pg_control')
    await rename(needed, `${needed}.away`)
    await pause(holdMs)
    return () => rename(`${needed}.away`, needed)
  },
  // All processes of the server stand still, as on a machine that swaps.
  async 'postmaster-stopped'({ cluster, holdMs, url }) {
    const client = await connected(url)
    const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity')
    await client.end()
    const pids = [await postmasterOf(cluster), ...rows.map(({ pid }) => pid)]
    const signal = (name: NodeJS.Signals) => {
      for (const pid of pids) {
        try {
          process.kill(pid, name)
        } catch {
          // It has ended.
        }
      }
    }
    signal('SIGSTOP')
    await pause(Math.max(holdMs, 8_000))
    return async () => signal('SIGCONT')
  },
  async terminated({ url, holdMs }) {
    const client = await connected(url)
    for (const endAt = performance.now() + holdMs; performance.now() < endAt; ) {
      await client.query(`${TERMINATE} and random() < 0.5`)
      await pause(50)
    }
    await client.end()
    return async () => {}
  },
  async sigterm({ service, restart }) {
    await stopped(service(), [0])
    return restart
  },
  async 'sigterm-half-open'({ line, service, restart }) {
    line.stall()
    await pause(1_000)
    await stopped(service(), [0, 75])
    return async () => {
      line.pass()
      await restart()
    }
  }
}

const TERMINATE = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'perennial'"

async function stopped(service: Awaited<ReturnType<typeof startProcess>>, codes: number[]): Promise<void> {
  const from = performance.now()
  service.signal('SIGTERM')
  const code = await Promise.race([service.ended, pause(STOPS_WITHIN_MS).then(() => 'not stopped in time' as const)])
  const ms = Math.round(performance.now() - from)
  assert.ok(typeof code === 'number' && codes.includes(code), `The exit code is ${code}`)
  assert.ok(ms < STOPS_WITHIN_MS, `The stop took ${ms} ms`)
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'trial' })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function postmasterOf(cluster: string): Promise<number> {
  return Number.parseInt(await readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10)
}
