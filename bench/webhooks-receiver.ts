// The receiver of the webhook benches, in a separate process: https on as many ports as its first argument says. Returns 200 for
// every request, except that a path that begins with /hang never gets a response. Sends its ports to the parent, and a `Report`
// for each message from the parent.
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { loopbackTls } from './loopback-tls.ts'

/** The responses since the last report, and the number of POSTs without one. Times are real, in milliseconds. */
export type Report = { received: number; distinct: number; hung: number; arrivals: [path: string, atMs: number][] }

let seen = new Set<string>()
let arrivals: Report['arrivals'] = []
let hung = 0

const server = createServer({ ...loopbackTls, keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume()
  if (request.url!.startsWith('/hang')) return void hung++
  request.on('end', () => {
    arrivals.push([request.url!, performance.timeOrigin + performance.now()])
    seen.add(String(request.headers['webhook-id']))
    response.end()
  })
})

// One https server handles the connections of all ports, so that five hundred of them cost little.
const ports = await Promise.all(
  Array.from({ length: Number(process.argv[2] ?? 1) }, async () => {
    const listener = createTcpServer((socket) => server.emit('connection', socket))
    await new Promise<void>((listening) => listener.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, listening))
    return (listener.address() as AddressInfo).port
  })
)

process.on('message', () => {
  process.send!({ received: arrivals.length, distinct: seen.size, hung, arrivals } satisfies Report)
  seen = new Set()
  arrivals = []
  hung = 0
})
process.on('disconnect', () => process.exit())
process.send!(ports)
