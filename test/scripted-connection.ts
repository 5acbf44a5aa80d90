import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import { throttle } from './faulty-connection.ts'

/** A call of the connector: the name of its document, its variables, and, once it was passed on, what the platform has answered. */
export type ScriptedCall = { operation: string; variables: any; answer: any; status: number | null }
/**
 * `cut`: carried out, but the connection ends in the middle of the answer. `half`: the same, and the answer ends there as if it were whole.
 * `throttled`: refused with an error of the cost budget; `busy`: with the status 429.
 */
export type Fate = 'passes' | 'cut' | 'half' | 'throttled' | 'busy'

/** A proxy between the connector and the platform at `target`: `fateOf` says what becomes of each call, one at a time. */
export async function aScriptedConnection(target: string, fateOf: (call: ScriptedCall) => Fate | Promise<Fate>) {
  const calls: ScriptedCall[] = []
  const pass = async (req: IncomingMessage, res: ServerResponse, sent: Buffer) => {
    const { query, variables } = JSON.parse(sent.toString())
    const operation = /^(?:query|mutation) (\w+)/.exec(query)![1]!
    const call: ScriptedCall = { operation, variables, answer: null, status: null }
    calls.push(call)
    const fate = await fateOf(call)
    if (fate === 'throttled') return throttle(res)
    if (fate === 'busy') return res.writeHead(429, { 'retry-after': '2' }).end()
    const { 'x-platform-access-token': token, 'content-type': type } = req.headers
    const response = await request(`${target}${req.url}`, {
      method: 'POST',
      headers: { 'x-platform-access-token': String(token), 'content-type': String(type) },
      body: sent
    })
    const body = Buffer.from(await response.body.arrayBuffer())
    call.status = response.statusCode
    if (response.statusCode === 200) call.answer = JSON.parse(body.toString())
    const half = body.subarray(0, body.length / 2)
    if (fate === 'half') return res.writeHead(200, { 'content-type': 'application/json' }).end(half)
    res.writeHead(response.statusCode, { 'content-type': 'application/json', 'content-length': body.length })
    if (fate === 'passes') return res.end(body)
    res.write(half, () => res.destroy())
  }
  let last = Promise.resolve<unknown>(null)
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    // A caller may be gone in the middle of its call.
    last = last.then(() => pass(req, res, Buffer.concat(chunks))).catch(() => req.socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    calls,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    }
  }
}
