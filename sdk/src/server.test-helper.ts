import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { type Client, type ClientOptions, createClient, type Timing } from './index.ts'

export type ReceivedRequest = { method: string; url: string; headers: IncomingHttpHeaders; body: string }
export type Reply = (response: ServerResponse, request: ReceivedRequest) => unknown

/** A response in the format of the service. */
export const answering =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-1', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

export const saying = (status: number, code: string, headers?: Record<string, string>) =>
  answering(status, { error: { code, message: `It says ${code}` } }, headers)

/** A single object. */
export const giving = (data: unknown) =>
  answering(200, { data, meta: { total: 1, limit: 1, offset: 0, has_more: false } })

/** The connection breaks before a response. */
export const resetting: Reply = (response) => response.socket?.destroy()

/** The connection breaks during the response. */
export const breakingOff: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"data":', () => response.socket?.destroy())
}

/** A real HTTP server that goes through the replies, one per request, and repeats the last one. */
export async function aServer(...replies: Reply[]) {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    const one = await read(request)
    const reply = replies[Math.min(requests.length, replies.length - 1)]!
    requests.push(one)
    reply(response, one)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function read(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return {
    method: request.method!,
    url: request.url!,
    headers: request.headers,
    body: Buffer.concat(chunks).toString()
  }
}

/** Time passes only in waits and in `expire`, which ends the running attempt. Random numbers are always 0.5. */
function testTiming(startsAt = Date.parse('2026-03-01T12:00:00Z')) {
  let now = startsAt
  const waits: number[] = []
  const timers = new Map<object, { ms: number; act: () => void }>()
  const timing: Timing = {
    now: () => now,
    random: () => 0.5,
    async sleep(ms, signal) {
      waits.push(ms)
      now += ms
      signal?.throwIfAborted()
    },
    after(ms, act) {
      const timer = {}
      timers.set(timer, { ms, act })
      return () => timers.delete(timer)
    }
  }
  const expire = () => {
    for (const { ms, act } of timers.values()) {
      now += ms
      act()
    }
  }
  return { timing, waits, expire, limits: () => [...timers.values()].map(({ ms }) => ms) }
}

/** A client of a server with these replies, with simulated time. */
export async function aClient(replies: Reply[], options: Partial<ClientOptions> = {}) {
  const server = await aServer(...replies)
  const clock = testTiming()
  const client: Client = createClient({
    baseUrl: `${server.url}/v1`,
    apiKey: 'svc_test_1_key',
    timing: clock.timing,
    ...options
  })
  return { client, ...server, ...clock }
}
