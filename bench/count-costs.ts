import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'

/** A proxy to the platform that sums up what its calls cost by the platform's own account. */
export async function countCosts(target: string) {
  const sums = { calls: 0, cost: 0, throttled: 0 }
  const server = createServer(async (req, res) => {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const { 'x-platform-access-token': token = '', 'content-type': type = 'application/json' } = req.headers
      const response = await request(`${target}${req.url}`, {
        method: req.method as 'GET' | 'POST',
        headers: { 'x-platform-access-token': String(token), 'content-type': type },
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) })
      })
      const body = await response.body.text()
      sums.calls++
      const cost = /"actualQueryCost":(\d+)/.exec(body)
      if (cost) sums.cost += Number(cost[1])
      if (body.includes('"THROTTLED"')) sums.throttled++
      res.writeHead(response.statusCode, { 'content-type': 'application/json' }).end(body)
    } catch {
      // The service was killed in the middle of its call, or the platform is gone.
      req.socket.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => sums.calls,
    cost: () => sums.cost,
    throttled: () => sums.throttled,
    close() {
      server.closeAllConnections()
      server.close()
    }
  }
}
