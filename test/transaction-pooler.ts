import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import pg from 'pg'
import { beforeDrop } from './database.ts'

/** The bytes of protocol messages, as they come in; `onMessage` gets the type and the first byte of the content of each. */
function messageReader(onMessage: (type: string, first: number) => void) {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length >= 1 + rest.readUInt32BE(1)) {
      const size = 1 + rest.readUInt32BE(1)
      onMessage(String.fromCharCode(rest[0]!), size > 5 ? rest[5]! : 0)
      rest = rest.subarray(size)
    }
  }
}

type PoolerOptions = { reuses?: 'latest' | 'oldest'; size?: number; isWarm?: boolean }

type Server = { stream: net.Socket; onData: (chunk: Buffer) => void }

/**
 * A pooler in front of PostgreSQL, as PgBouncer is: in `transaction` mode a client has a server connection from its first
 * statement to the end of the transaction, in `session` mode as long as it is connected. It knows no passwords and no settings.
 * `reuses`: which of its idle server connections it hands out. `size`: how many it opens; all before the first client with
 * `isWarm`.
 */
export async function aPooler(
  url: string,
  mode: 'transaction' | 'session',
  { reuses = 'latest', size = 100, isWarm = false }: PoolerOptions = {}
): Promise<string> {
  const waiting: (() => void)[] = []
  const idle: Server[] = []
  const all: net.Socket[] = []
  const connect = async (): Promise<Server> => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    // From here on its socket is ours.
    const { stream } = (client as unknown as { connection: { stream: net.Socket } }).connection
    stream.removeAllListeners('data')
    stream.on('error', () => {})
    all.push(stream)
    const server: Server = { stream, onData: () => {} }
    stream.on('data', (chunk: Buffer) => server.onData(chunk))
    return server
  }

  let opened = 0
  const take = async (): Promise<Server> => {
    for (;;) {
      const free = reuses === 'latest' ? idle.pop() : idle.shift()
      if (free) return free
      if (opened++ < size) return connect()
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }
  const giveBack = (server: Server) => {
    idle.push(server)
    waiting.shift()?.()
  }
  if (isWarm) for (; opened < size; opened++) idle.push(await connect())

  const pooler = net.createServer((socket) => {
    let server: Server | null = null
    let hasStarted = false
    let asked = 0
    let turn = Promise.resolve()
    all.push(socket)
    socket.on('error', () => {})
    const answered = messageReader((type, status) => {
      if (type !== 'Z') return
      asked--
      if (mode === 'transaction' && asked === 0 && String.fromCharCode(status) === 'I') {
        giveBack(server!)
        server = null
      }
    })
    const asking = messageReader((type) => {
      if (type === 'Q' || type === 'S') asked++
    })
    const forward = async (chunk: Buffer) => {
      if (chunk[0] === 'X'.charCodeAt(0)) return
      asking(chunk)
      server ??= await take()
      server.onData = (data) => {
        socket.write(data)
        answered(data)
      }
      server.stream.write(chunk)
    }
    socket.on('data', (chunk: Buffer) => {
      if (hasStarted) {
        turn = turn.then(() => forward(chunk))
        return
      }
      hasStarted = true
      // Whoever connects is let in: 'R' authentication is over, 'Z' ready, outside a transaction.
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]))
    })
    socket.on('close', () => {
      if (server) giveBack(server)
    })
  })
  pooler.listen(0, '127.0.0.1')
  await once(pooler, 'listening')
  beforeDrop(async () => {
    pooler.close()
    for (const socket of all) socket.destroy()
  })
  return `postgres://anybody@127.0.0.1:${(pooler.address() as AddressInfo).port}/any`
}
