// Hundreds of connections send the platform's endpoint its largest bodies at once: memory stays flat, and others are heard.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#kit/postgres'
import { int, row, sql } from '#kit/postgres'
import { startProcess } from '../test/service-process.ts'
import { aStore, type BuiltStore } from '../test/store-builder.ts'
import { BESIDE_THE_PLATFORM } from './platform.ts'
import { memoryOf } from './service-memory.ts'

const MIB = 1024 * 1024
const PAUSE_MS = 100
/** Beside the bytes in flight (64 MiB), each of which is held as chunks, as one buffer, as text and as parameter for a while. */
const MAX_GROWTH_MIB = 512
/** Of the largest memory in the last round of a flood, relative to its first. */
const MAX_RATIO = 1.25
/** Larger than what the rest of the endpoint's flood leaves free by chance, and no more than the API reads. */
const WRITE_BYTES = 60_000
/** Of what is announced and does not come. */
const SILENT_BYTES = 1_000
/** So that the service has read what was sent before the next body is begun. */
const SETTLE_MS = 50

/** Who floods, and whom it must not keep from being heard. */
const FLOODS = {
  /** Connections that announce a whole body and send its beginning only; the neighbour has their shop and their address. */
  silent: { shops: 1, addresses: 1, neighbour: { shop: 0, address: '127.0.1.0' } },
  'one address': { shops: 1, addresses: 1, neighbour: { shop: 0, address: '127.0.2.0' } },
  'one shop': { shops: 1, addresses: 50, neighbour: { shop: 1, address: '127.0.2.0' } },
  /** They may fill all that the endpoint has; the neighbour calls the API. */
  'all shops': { shops: 5, addresses: 50, neighbour: null },
  /** The same, but nobody ends a body: what is full stays full. */
  unended: { shops: 5, addresses: 50, neighbour: null }
} as const
type Flood = keyof typeof FLOODS
const SHOPS = 5
const WRONG = Buffer.alloc(32).toString('base64')

export type BodyFloodTrial = {
  databaseUrl: string
  db: Database
  dataDir: string
  connections: number
  bodyBytes: number
  /** How often each flood comes. */
  rounds: number
}

/** Each flood sends as many bodies at once as there are `connections`; half of them are signed rightly. */
export async function floodWithBodies(trial: BodyFloodTrial): Promise<object> {
  const { databaseUrl, db, dataDir, connections, bodyBytes, rounds } = trial
  const stores = await Promise.all(Array.from({ length: SHOPS }, () => aStore(db)))
  const authorization = `Bearer ${await stores[0]!.aKey()}`
  const service = await startProcess({ databaseUrl, dataDir, env: BESIDE_THE_PLATFORM })
  try {
    const { port } = new URL(service.url)
    const body = Buffer.from(`{"text":"${'x'.repeat(bodyBytes - 11)}"}`)
    const statuses = new Map<number, number>()
    /** The messages that were answered 200. */
    const received: string[] = []
    const signatures = new Map(
      stores.map((store) => [store, createHmac('sha256', store.credentials.appSecret).update(body).digest('base64')])
    )
    const open = (store: BuiltStore, from: string, isRight = true) =>
      aMessage(port, store, from, body.length, isRight ? signatures.get(store)! : WRONG)
    const post = async (...sender: Parameters<typeof open>) => {
      const message = open(...sender)
      message.socket.write(body)
      const answer = await message.answer()
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status === 200) received.push(message.id)
      return answer
    }
    let [heard, late, reads, slowestReadMs] = [0, 0, 0, 0]
    /** Only time may be short for somebody else, not room. */
    const isLate = ({ status, text }: { status: number; text: string }) =>
      status === 503 && !text.includes('receiving too much') && ++late > 0

    /** One message or write that has nothing to do with the flood. */
    const speak = async (flood: Flood) => {
      const { neighbour } = FLOODS[flood]
      if (neighbour) {
        const answer = await post(stores[neighbour.shop]!, neighbour.address)
        assert.ok(isLate(answer) || answer.status === 200, `${flood}: the neighbour's message: ${answer.text}`)
      } else {
        const path = `${service.url}/v1/store-credits/1/add`
        const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }
        const written = JSON.stringify({ amount: 1, reason: 'x'.repeat(WRITE_BYTES) })
        const response = await fetch(path, { method: 'POST', headers, body: written })
        const answer = { status: response.status, text: await response.text() }
        assert.ok(isLate(answer) || [400, 429].includes(answer.status), `${flood}: a write of the API: ${answer.text}`)
      }
      heard++
    }
    const read = async () => {
      const began = performance.now()
      const response = await fetch(`${service.url}/v1/members?limit=1`, { headers: { authorization } })
      const answer = { status: response.status, text: await response.text() }
      assert.ok(isLate(answer) || [200, 429].includes(answer.status), `A read: ${answer.text}`)
      slowestReadMs = Math.max(slowestReadMs, performance.now() - began)
      reads++
    }

    /** Bodies that lack their last byte, large ones first, until not even one half as large as the neighbour's write is taken. */
    const fill = async (senders: (readonly [BuiltStore, string, boolean])[]) => {
      const unended: ReturnType<typeof open>[] = []
      for (let bytes = body.length; bytes > WRITE_BYTES / 2; bytes = Math.floor(bytes / 2)) {
        for (let isRefused = false; !isRefused && unended.length < connections; ) {
          const [store, from] = senders[unended.length]!
          const message = aMessage(port, store, from, bytes, WRONG)
          unended.push(message)
          message.socket.once('readable', () => (isRefused = true))
          const isSent = new Promise((resolve) => message.socket.write(body.subarray(0, bytes - 1), resolve))
          await Promise.race([isSent, once(message.socket, 'readable')])
          await sleep(SETTLE_MS)
        }
      }
      return unended
    }

    /** Returns the most memory that the service had meanwhile. */
    const round = async (flood: Flood): Promise<number> => {
      let most = 0
      const isOver = new AbortController()
      const again = async (work: () => Promise<void>) => {
        do {
          await work()
          await sleep(PAUSE_MS)
        } while (!isOver.signal.aborted)
      }
      const look = async () => {
        most = Math.max(most, await memoryOf(service.url))
        await read()
      }
      const { shops, addresses } = FLOODS[flood]
      const senders = Array.from(
        { length: connections },
        (_, i) => [stores[i % shops]!, `127.0.1.${i % addresses}`, i % 2 === 0] as const
      )
      if (flood === 'silent') {
        const silent = senders.map((sender) => open(...sender))
        await Promise.all(silent.map(({ socket }) => once(socket, 'connect')))
        for (const { socket } of silent) socket.write(body.subarray(0, SILENT_BYTES))
        await Promise.all([look(), speak(flood)])
        for (const { socket } of silent) socket.destroy()
        return most
      }
      if (flood === 'unended') {
        const unended = await fill(senders)
        await Promise.all([look(), speak(flood)])
        for (const { socket } of unended) socket.destroy()
        return most
      }
      const watching = Promise.all([again(look), again(() => speak(flood))])
      const sending = Promise.all(senders.map((sender) => post(...sender)))
      await Promise.race([sending, watching])
      isOver.abort()
      await Promise.all([sending, watching])
      return most
    }

    const before = await memoryOf(service.url)
    const maxOf = {} as Record<Flood, number[]>
    for (const flood of Object.keys(FLOODS) as Flood[]) {
      maxOf[flood] = []
      for (let i = 0; i < rounds; i++) maxOf[flood].push(Math.round(await round(flood)))
    }
    const { missing } = await db.inInstallation((tx) =>
      tx.one(
        row({ missing: int }),
        sql`select count(*) as missing from unnest(${received}::text[]) as r (id)
             where not exists (select from inbound_webhooks w where w.webhook_id = r.id)`
      )
    )
    const report = {
      connections,
      body_mib: Math.round(bodyBytes / MIB),
      rss_mib: { before: Math.round(before), ...maxOf, after: Math.round(await memoryOf(service.url)) },
      statuses: Object.fromEntries(statuses),
      heard,
      late,
      reads,
      slowest_read_ms: Math.round(slowestReadMs)
    }
    const shown = JSON.stringify(report)
    assert.equal(missing, 0, 'what was answered 200 is stored')
    const odd = [...statuses.keys()].filter((status) => ![200, 401, 503].includes(status))
    assert.deepEqual(odd, [], shown)
    for (const [flood, most] of Object.entries(maxOf)) {
      assert.ok(Math.max(...most) - before < MAX_GROWTH_MIB, shown)
      // Those who send nothing fill nothing: it has not grown yet.
      if (flood !== 'silent') assert.ok(most.at(-1)! < most[0]! * MAX_RATIO, shown)
    }
    return report
  } finally {
    await service.stop()
  }
}

/** A message to the platform's endpoint from an address of this machine, of which the head is sent. */
function aMessage(port: string, store: BuiltStore, from: string, bytes: number, signature: string) {
  const socket: Socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: from })
  // Who is refused may be cut off while it sends.
  socket.on('error', () => {})
  const id = crypto.randomUUID()
  const head = [
    'POST /platform/webhooks HTTP/1.1',
    'host: a',
    'content-type: application/json',
    `content-length: ${bytes}`,
    'x-platform-topic: orders/paid',
    `x-platform-shop-domain: ${store.domain}`,
    `x-platform-webhook-id: ${id}`,
    `x-platform-hmac-sha256: ${signature}`
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return {
    id,
    socket,
    async answer(): Promise<{ status: number; text: string }> {
      let text = ''
      for await (const chunk of socket) {
        text += chunk
        if (text.includes('}')) break
      }
      socket.destroy()
      const status = Number(text.split(' ')[1])
      if (status === 503) assert.match(text, /\r\nretry-after: \d+/i)
      return { status, text }
    }
  }
}
