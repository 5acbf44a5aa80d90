import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import pg from 'pg'

/** The message types of simple queries and of executions of prepared statements (PostgreSQL protocol, version 3). */
const QUERY = 'Q'.charCodeAt(0)
const EXECUTE = 'E'.charCodeAt(0)
const HEADER = 5

/**
 * A proxy in front of PostgreSQL that counts the statements of all connections. At the n-th statement since `cutAt` it breaks every
 * connection, as if the process had died: `before` the statement is forwarded, or `after`, so that its result is lost.
 */
export async function aCuttingProxy(databaseUrl: string) {
  // Parsed by pg, since an embedded server listens on a socket file and the environment may provide parts of the URL.
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
      // Each message is forwarded separately, without waiting for acknowledgements.
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.end()
      })
    }
    // A server that was never reached must not count as the death of a process.
    upstream.on('error', (err) => {
      if (upstream.bytesRead === 0 && !wasCut) throw err
    })
    upstream.on('data', (chunk) => void client.write(chunk))

    // The first message has no type; each later one has one byte of type and four of length.
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
        // Forwarded with the messages that follow it, or an execution would wait for its sync.
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
    /** Breaks all connections at the n-th statement from now on. */
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
