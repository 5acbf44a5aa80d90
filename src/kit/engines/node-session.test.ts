import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'node:test'
import pg from 'pg'
import { Database } from '#kit/postgres'
import { beforeDrop, testDatabase } from '../../../test/database.ts'
import { until } from '../../../test/until.ts'
import { openNodeSession } from './node-session.ts'

const { url } = await testDatabase()

/** A line to the database over which, once it is `silenced`, nothing comes or goes any more on connections opened before. */
async function aLine() {
  // The embedded server listens on a socket file: pg reads that from the URL.
  const { host, port } = new pg.Client({ connectionString: url })
  let silences = 0
  const server = createServer((near) => {
    const openedAt = silences
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    near.on('data', (chunk) => void (openedAt === silences && far.write(chunk)))
    far.on('data', (chunk) => void (openedAt === silences && near.write(chunk)))
    for (const [one, other] of [
      [near, far],
      [far, near]
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => void (openedAt === silences && other.destroy()))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  beforeDrop(async () => void server.close())
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String((server.address() as AddressInfo).port)
  through.searchParams.delete('host')
  return { url: through.href, silence: () => silences++ }
}

test('a connection that died without an end is found by the heartbeat, and opened again', async () => {
  const line = await aLine()
  const db = new Database({ url: line.url })
  let opened = 0
  let lost = 0
  const part = {
    opened: async () => void opened++,
    lost: () => void lost++
  }
  const session = await openNodeSession(db, [part], 100)
  beforeDrop(async () => {
    await session.close()
    await db.close()
  })
  await session.query('select 1', [])
  line.silence()
  await until('the session is open again', () => opened === 2)
  assert.equal(lost, 1)
  await session.query('select 1', [])
})
