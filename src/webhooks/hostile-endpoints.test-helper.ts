import { createServer, type Server, type Socket } from 'node:net'
import { after } from 'node:test'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import type { AddressRules } from '#kit/addresses'
import { startNode } from '#kit/engines'
import { internalId, publicId } from '#kit/ids'
import { createFactEngines, record } from '#kit/outbox'
import { type Database, int, row, sql } from '#kit/postgres'
import { enginesInTurn } from '../../test/engines-in-turn.ts'
import { aStore, testVault } from '../../test/store-builder.ts'
import { createEndpoint } from './endpoints/create-endpoint.ts'
import { findDelivery, listDeliveries } from './history/list-deliveries.ts'
import { hasIPv6 } from './hostile-urls.test-helper.ts'
import { webhooksConsumer } from './queue/queue-deliveries.ts'
import { aFact } from './receiver.test-helper.ts'
import { createDeliveryEngine, type DeliveryEngineOptions } from './sending/delivery-engine.ts'
import { newSigningSecret, secretPurpose } from './signing/sign-delivery.ts'

/** Listens at this host and port and is closed, with all its connections, when the test file is done. */
async function listening(server: Server, host: string, port = 0): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await new Promise<void>((done, fail) => server.on('error', fail).listen(port, host, done))
  return (server.address() as { port: number }).port
}

/**
 * Counts who connects to this machine by any of its addresses, those inside the network included, and answers like a
 * receiver that is content.
 */
export async function aCanary(given: { host?: string; port?: number } = {}) {
  const canary = { connections: 0, port: 0 }
  const server = createServer((socket) => {
    canary.connections++
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\ncanary'))
  })
  canary.port = await listening(server, given.host ?? (hasIPv6 ? '::' : '0.0.0.0'), given.port)
  return canary
}

export type Request = { head: string; body: string }

/** A receiver that writes to the socket what it likes; `act` gets each whole request, `onConnect` each connection. */
export async function aRawReceiver(
  act: (socket: Socket, request: Request) => void,
  { tls, onConnect, host = '127.0.0.1' }: { tls?: TlsOptions; onConnect?: (socket: Socket) => void; host?: string } = {}
) {
  const requests: Request[] = []
  let connections = 0
  const serve = (socket: Socket) => {
    connections++
    onConnect?.(socket)
    let read = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      read = Buffer.concat([read, chunk])
      const end = read.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = read.toString('latin1', 0, end)
      const length = Number(/content-length: (\d+)/i.exec(head)![1])
      if (read.length < end + 4 + length) return
      const request = { head, body: read.toString('utf8', end + 4, end + 4 + length) }
      read = read.subarray(end + 4 + length)
      requests.push(request)
      act(socket, request)
    })
  }
  const server = tls ? createTlsServer(tls, serve).on('tlsClientError', () => {}) : createServer(serve)
  const port = await listening(server, host)
  return { port, url: `http://127.0.0.1:${port}/hooks`, requests, connections: () => connections }
}

/** A whole response as bytes of the wire. */
export function rawResponse(status: string, headers: string[] = [], body: string | Buffer = ''): Buffer {
  const content = Buffer.from(body)
  const head = [`HTTP/1.1 ${status}`, `content-length: ${content.length}`, ...headers, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), content])
}

/** What a receiver writes, whatever it receives. */
export const says = (bytes: string | Buffer) => (socket: Socket) => void socket.write(bytes)

/** A DNS of our own: names to addresses. What it answers may change between two questions; a null never comes. */
export function names(table: Record<string, string[] | null | (() => string[])>): NonNullable<AddressRules['lookup']> {
  const lookup = (host: string, _options: unknown, callback: (err: Error | null, addresses: unknown) => void) => {
    const entry = table[host]
    if (entry === null) return
    if (!entry) return callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), [])
    const addresses = typeof entry === 'function' ? entry() : entry
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    )
  }
  return lookup as unknown as NonNullable<AddressRules['lookup']>
}

export type Outcome = {
  responseCode: number | null
  failure: string | null
  responseText: string
  durationMs: number | null
}

/** A store with everything that sends, under rules of its own; a live one or, as else in tests, of the sandbox. */
export async function aStage(
  db: Database,
  { live = false, addresses, ...options }: { live?: boolean; addresses: AddressRules } & Partial<DeliveryEngineOptions>
) {
  const remote = {
    platformUrl: 'https://platform.example',
    accessToken: 'token-of-20-chars-xx',
    appSecret: 'x'.repeat(20)
  }
  const store = await aStore(db, live ? { sandbox: false, ...remote } : {})
  const { storeId } = store
  const settings = { vault: testVault, addresses }
  const node = await startNode(db)
  const dispatch = enginesInTurn(createFactEngines({ db, consumers: [webhooksConsumer] }))
  const sender = createDeliveryEngine({ db, leaseOwner: node.id, ...settings, ...options })
  after(async () => {
    await sender.stop(0)
    await node.stop()
  })
  const turn = async () => (await dispatch.runOnce(storeId)) + (await sender.runOnce(storeId))
  const settle = async () => {
    while ((await turn()) > 0);
  }
  /** That many events, each about an object of its own. */
  const recordEvents = (events = 1) =>
    store.inStore((ctx) => record(ctx, ...Array.from({ length: events }, (_, n) => aFact(n + 1))))

  return {
    ...store,
    settings,
    turn,
    record: recordEvents,
    create: (url: string) => createEndpoint(db, storeId, { url }, settings),
    /** Past every check of ours, as a row that someone wrote into the table. Returns the public ids. */
    plant: async (urls: string[]) => {
      const secrets = urls.map(() => testVault.seal(secretPurpose(storeId), newSigningSecret()))
      const created = await store.inStore(({ tx, now }) =>
        tx.many(
          row({ id: int }),
          sql`
          insert into webhook_endpoints (store_id, url, description, secret, created_at, updated_at)
          select ${storeId}, p.url, '', p.secret, ${now}, ${now}
            from unnest(${urls}::text[], ${secrets}::bytea[]) with ordinality as p(url, secret, position)
           order by p.position
          returning id`
        )
      )
      return created.map(({ id }) => publicId('we', id)).sort((a, b) => internalId('we', a)! - internalId('we', b)!)
    },
    send: async (events?: number) => {
      await recordEvents(events)
      await settle()
    },
    /** How the last try of each delivery to this endpoint went, the first delivery first. */
    outcomes: async (endpoint: string): Promise<Outcome[]> => {
      const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx, { endpoint, limit: 100 }))
      const details = await Promise.all(
        deliveries.map(({ webhookId }) => store.inStore((ctx) => findDelivery(ctx, webhookId)))
      )
      return details.map((detail) => detail!.history.at(-1)!).reverse()
    }
  }
}
