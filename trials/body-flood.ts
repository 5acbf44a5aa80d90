// Hundreds of connections send the platform's endpoint its largest bodies at once: memory stays flat, and the API goes on.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#kit/postgres'
import { int, row, sql } from '#kit/postgres'
import { startProcess } from '../test/service-process.ts'
import { aStore } from '../test/store-builder.ts'
import { BESIDE_THE_PLATFORM } from './platform.ts'
import { memoryOf } from './service-memory.ts'

const MIB = 1024 * 1024
const LOOK_EVERY_MS = 100
/** Beside the bytes in flight (64 MiB), each of which is held as chunks, as one buffer, as text and as parameter for a while. */
const MAX_GROWTH_MIB = 512
/** Of the largest memory in a later round, relative to the first. */
const MAX_RATIO = 1.25

/** Sends `rounds` times as many bodies at once as there are `connections`; half of them are signed rightly. */
export async function floodWithBodies({
  databaseUrl,
  db,
  dataDir,
  connections,
  bodyBytes,
  rounds
}: {
  databaseUrl: string
  db: Database
  dataDir: string
  connections: number
  bodyBytes: number
  rounds: number
}): Promise<object> {
  const store = await aStore(db)
  const key = await store.aKey()
  const service = await startProcess({ databaseUrl, dataDir, env: BESIDE_THE_PLATFORM })
  const url = new URL(service.url)
  const body = Buffer.from(`{"text":"${'x'.repeat(bodyBytes - 11)}"}`)
  const signature = createHmac('sha256', store.credentials.appSecret).update(body).digest('base64')

  const rssMib = () => memoryOf(service.url)
  const statuses = new Map<number, number>()
  const post = async (isRight: boolean) => {
    const socket = connect(Number(url.port), url.hostname)
    const head = [
      'POST /platform/webhooks HTTP/1.1',
      'host: a',
      'content-type: application/json',
      `content-length: ${body.length}`,
      'x-platform-topic: orders/paid',
      `x-platform-shop-domain: ${store.domain}`,
      `x-platform-webhook-id: ${crypto.randomUUID()}`,
      `x-platform-hmac-sha256: ${isRight ? signature : Buffer.alloc(32).toString('base64')}`
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.write(body)
    let came = ''
    for await (const chunk of socket) {
      came += chunk
      if (came.includes('}')) break
    }
    socket.destroy()
    const status = Number(came.split(' ')[1])
    if (status === 503) assert.match(came, /\r\nretry-after: \d+/i)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }

  const before = await rssMib()
  const mostOfRounds: number[] = []
  let reads = 0
  let slowestReadMs = 0
  try {
    for (let round = 0; round < rounds; round++) {
      let most = 0
      let isOver = false
      const watch = async () => {
        while (!isOver) {
          most = Math.max(most, await rssMib())
          const began = performance.now()
          const { status } = await fetch(`${service.url}/v1/members?limit=1`, {
            headers: { authorization: `Bearer ${key}` }
          })
          assert.ok(status === 200 || status === 429, `A read was answered ${status}`)
          slowestReadMs = Math.max(slowestReadMs, performance.now() - began)
          reads++
          await sleep(LOOK_EVERY_MS)
        }
      }
      const watching = watch()
      await Promise.all(Array.from({ length: connections }, (_, i) => post(i % 2 === 0)))
      isOver = true
      await watching
      mostOfRounds.push(most)
    }
    const after = await rssMib()
    const { stored } = await store.inStore(({ tx, storeId }) =>
      tx.one(row({ stored: int }), sql`select count(*) as stored from inbound_webhooks where store_id = ${storeId}`)
    )
    const report = {
      connections,
      body_mib: Math.round(bodyBytes / MIB),
      rss_mib: { before, most: mostOfRounds, after },
      statuses: Object.fromEntries(statuses),
      stored,
      reads,
      slowest_read_ms: Math.round(slowestReadMs)
    }
    assert.equal(stored, statuses.get(200) ?? 0, 'what was answered 200 is stored')
    assert.deepEqual(
      [...statuses.keys()].filter((status) => ![200, 401, 503].includes(status)),
      [],
      JSON.stringify(report)
    )
    assert.ok(Math.max(...mostOfRounds) - before < MAX_GROWTH_MIB, JSON.stringify(report))
    assert.ok(Math.max(...mostOfRounds) < mostOfRounds[0]! * MAX_RATIO, JSON.stringify(report))
    const shown = (mib: number) => Math.round(mib)
    return { ...report, rss_mib: { before: shown(before), most: mostOfRounds.map(shown), after: shown(after) } }
  } finally {
    await service.stop()
  }
}
