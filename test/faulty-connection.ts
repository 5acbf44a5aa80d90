import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { randomFrom } from '#kit/random'

const FAULTS = ['500', '503', 'reset', 'lost', 'hung', 'slow', 'throttled'] as const
/**
 * `reset`: closed before the call arrives. `lost`: carried out, but the response does not arrive. `hung`: the same, after a wait.
 * `slow`: it arrives after a wait, also if its caller is gone by then.
 */
export type Fault = (typeof FAULTS)[number]

const HUNG_MS = 2_000
const SLOW_MS = 2_000

/**
 * A proxy between the connector and the platform at `target` that makes calls fail, each fault for its share of them; the same
 * calls for the same seed. `faults` counts them.
 */
export async function aFaultyConnection(options: {
  target: string
  shares: Partial<Record<Fault, number>>
  seed: number
  /** How late a `slow` call arrives. */
  slowMs?: number
}) {
  const random = randomFrom(options.seed)
  const faults: Record<Fault | 'none', number> = {
    '500': 0,
    '503': 0,
    reset: 0,
    lost: 0,
    hung: 0,
    slow: 0,
    throttled: 0,
    none: 0
  }
  const nextFault = (): Fault | 'none' => {
    let left = random()
    return FAULTS.find((fault) => (left -= options.shares[fault] ?? 0) < 0) ?? 'none'
  }

  const pass = async (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const fault = nextFault()
    faults[fault]++
    if (fault === 'reset') return req.socket.destroy()
    if (fault === '500' || fault === '503') return res.writeHead(Number(fault)).end('<html>oops</html>')
    if (fault === 'throttled') return throttle(res)
    if (fault === 'slow') await sleep(options.slowMs ?? SLOW_MS)
    const { 'x-platform-access-token': token, 'content-type': type } = req.headers
    const response = await request(`${options.target}${req.url}`, {
      method: 'POST',
      headers: { 'x-platform-access-token': String(token), 'content-type': String(type) },
      body: Buffer.concat(chunks)
    })
    const body = await response.body.text()
    if (fault === 'hung') await sleep(HUNG_MS)
    if (fault === 'lost' || fault === 'hung') return req.socket.destroy()
    res.writeHead(response.statusCode, { 'content-type': 'application/json' }).end(body)
  }
  // The caller may be gone in the middle of its call, and the platform closed before a late one arrives.
  const server = createServer((req, res) => void pass(req, res).catch(() => req.socket.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    faults,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** Answers as the platform does where its cost budget is used up. */
export function throttle(res: ServerResponse): void {
  const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 1999, restoreRate: 1000 }
  const cost = { requestedQueryCost: 10, actualQueryCost: null, throttleStatus }
  const errors = [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }]
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ errors, extensions: { cost } }))
}
