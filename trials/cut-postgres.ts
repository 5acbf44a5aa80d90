import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import pg from 'pg'

/** Simple queries and executions of prepared ones, as the frontend announces them (PostgreSQL's protocol, version 3). */
const QUERY = 'Q'.charCodeAt(0)
const EXECUTE = 'E'.charCodeAt(0)
const HEADER = 5

/**
 * Stands before PostgreSQL and counts the statements of all connections together. At the n-th since `cutAt` every connection
 * breaks, as for a process that dies there: `before` it is sent on, or `after` it was, so that nobody hears how it ended.
 */
export async function aCuttingProxy(databaseUrl: string) {
  // The embedded one listens on a socket file, and the URL may leave out what the environment gives: pg knows both.
  const { host, port } = new pg.Client({ connectionString: databaseUrl })
  const sockets = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY
  let when: 'before' | 'after' = 'before'
  let wasCut = false

  const cut = () => {
    wasCut = true
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((client) => {
    if (wasCut) return client.destroy()
    const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      // Messages go on one by one; none must wait for the acknowledgement of the one before.
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.end()
      })
    }
    // A server that was never reached is no death of a process, and must not pass for one.
    upstream.on('error', (err) => {
      if (upstream.bytesRead === 0 && !wasCut) throw err
    })
    upstream.on('data', (chunk) => void client.write(chunk))

    // The first message has no type; then each has one byte of type and four of length.
    let waiting: Buffer = Buffer.alloc(0)
    let isStarted = false
    client.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk])
      for (;;) {
        const header = isStarted ? HEADER : HEADER - 1
        if (waiting.length < header) return
        const length = waiting.readUInt32BE(header - 4) + (isStarted ? 1 : 0)
        if (waiting.length < length) return
        const message = waiting.subarray(0, length)
        waiting = waiting.subarray(length)
        const isStatement = isStarted && (message[0] === QUERY || message[0] === EXECUTE)
        isStarted = true
        const isTheOne = isStatement && --left === 0
        if (isTheOne && when === 'before') return cut()
        upstream.write(message)
        // With the rest of what was sent along with it, or an execution would wait for its sync.
        if (isTheOne) return void upstream.write(waiting, cut)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as { port: number }).port)
  return {
    url: url.href,
    /** From now on connections live up to their n-th statement. */
    cutAt(nth: number, side: 'before' | 'after') {
      left = nth
      when = side
      wasCut = false
    },
    wasCut: () => wasCut,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}
