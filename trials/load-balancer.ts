import { createServer } from 'node:http'
import { request } from 'undici'
import { listenHere } from './listen-here.ts'

/**
 * The one address of several nodes, as a load balancer has it: each request goes to the next node, and to another one when a node
 * does not accept it. `targets` may change at any time.
 */
export async function aLoadBalancer() {
  const balancer = { targets: [] as string[] }
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
  return Object.assign(balancer, await listenHere(server))
}
