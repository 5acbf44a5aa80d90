import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'

/** The simple query with which a transaction is committed, as it is on the wire. */
const COMMIT = Buffer.from('commit\0')

/**
 * A line to PostgreSQL that breaks as networks do. Connections that stalled once stay so: neither bytes nor an end come through,
 * in either direction. New ones are accepted; they stall too until `pass` is called.
 */
export async function aStallingProxy(databaseUrl: string) {
  // Parsed by pg, since an embedded server listens on a socket file and the environment may provide parts of the URL.
  const { host, port } = new pg.Client({ connectionString: databaseUrl })
  const lines = new Set<{ near: Socket; far: Socket | null; isDead: boolean }>()
  let state: 'passes' | 'stalls' | 'resets' = 'passes'
  let bytesLeft = Number.POSITIVE_INFINITY
  let stallsAtCommit = false

  const stall = () => {
    state = 'stalls'
    for (const line of lines) line.isDead = true
  }
  const server = createServer((near) => {
    if (state === 'resets') return void near.resetAndDestroy()
    const line = { near, far: null as Socket | null, isDead: state === 'stalls' }
    lines.add(line)
    near.setNoDelay(true)
    near.on('error', () => {})
    near.on('close', () => {
      // A server learns of an end behind a line that stalls only when the line is back.
      if (line.isDead && state === 'stalls') return
      line.far?.destroy()
      lines.delete(line)
    })
    // What is sent is read, so that the sender does not notice either.
    near.on('data', (chunk: Buffer) => {
      if (line.isDead) return
      if (chunk.length >= bytesLeft) {
        line.far?.write(chunk.subarray(0, bytesLeft))
        return stall()
      }
      bytesLeft -= chunk.length
      line.far?.write(chunk)
      if (stallsAtCommit && chunk.includes(COMMIT)) stall()
    })
    if (line.isDead) return
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    line.far = far
    far.setNoDelay(true)
    far.on('error', () => {})
    far.on('data', (chunk) => void (line.isDead || near.write(chunk)))
    far.on('close', () => void (line.isDead || near.destroy()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    /** From now on no byte comes through. */
    stall,
    /** The same after this many bytes to the server, in the middle of a message if need be. */
    stallAfter(bytes: number) {
      bytesLeft = bytes
    },
    /** The same right after the next commit was passed on: it is carried out, and its answer is lost. */
    stallAtCommit() {
      stallsAtCommit = true
    },
    /** Every connection breaks off, also each new one. */
    reset() {
      state = 'resets'
      for (const { near, far } of lines) {
        near.resetAndDestroy()
        far?.destroy()
      }
      lines.clear()
    },
    /** New connections work again. */
    pass() {
      state = 'passes'
      bytesLeft = Number.POSITIVE_INFINITY
      stallsAtCommit = false
      for (const line of lines) {
        if (!line.isDead || !line.near.destroyed) continue
        line.far?.destroy()
        lines.delete(line)
      }
    },
    close() {
      for (const { near, far } of lines) {
        near.destroy()
        far?.destroy()
      }
      server.close()
    }
  }
}
