import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'

/**
 * The one address of several nodes, as a load balancer has it: each request goes to the next node, and to another one when a node does
 * not accept it. `targets` may change at any time.
 */
export async function aLoadBalancer() {
  const balancer = { url: '', targets: [] as string[], close: () => {} }
  let turn = 0
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const { host: _, connection: __, ...headers } = req.headers
    const targets = [...balancer.targets]
    turn++
    for (let i = 0; i < targets.length; i++) {
      const target = targets[(turn + i) % targets.length]!
      try {
        const {
          statusCode,
          body,
          headers: given
        } = await request(`${target}${req.url}`, {
          method: req.method as 'POST',
          headers: headers as Record<string, string>,
          body: chunks.length > 0 ? Buffer.concat(chunks) : null
        })
        res.writeHead(statusCode, { 'content-type': String(given['content-type'] ?? 'application/json') })
        res.end(Buffer.from(await body.arrayBuffer()))
        return
      } catch (err) {
        // Only what certainly did not arrive may go to another node.
        if ((err as { code?: string }).code === 'ECONNREFUSED') continue
        break
      }
    }
    req.socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  balancer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  balancer.close = () => {
    server.closeAllConnections()
    server.close()
  }
  return balancer
}
