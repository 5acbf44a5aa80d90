import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { startNode } from '#kit/engines'
import { createFactEngines, type Fact, record } from '#kit/outbox'
import { type Database, sql } from '#kit/postgres'
import { enginesInTurn } from '../../test/engines-in-turn.ts'
import { aStore, testVault } from '../../test/store-builder.ts'
import { createEndpoint, type NewEndpoint } from './endpoints/create-endpoint.ts'
import { webhooksConsumer } from './queue/queue-deliveries.ts'
import { createDeliveryEngine, type DeliveryEngineOptions } from './sending/delivery-engine.ts'

export type Received = { path: string; headers: IncomingHttpHeaders; body: string }

/** A real receiver on loopback that keeps what it got; closed when the test file is done. */
export async function aReceiver(
  respond: (received: Received, response: ServerResponse) => void = (_, r) => r.end('ok')
) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const got = { path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() }
      received.push(got)
      respond(got, response)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, received, server }
}

export const testSettings = { vault: testVault, addresses: { loopback: true, allow: [] } }

export const aFact = (n: number, object: Fact['orderingKey'] = `subscription:${n}`): Fact => ({
  name: 'subscription.paused',
  orderingKey: object,
  data: { subscription_id: `sub_${n}`, note: `Ünïcode ✓ "${n}"`, price: 29.5 }
})

/** A sandbox store with everything that sends; `clock` freezes it at that instant. */
export async function aSendingStore(
  db: Database,
  { clock, ...options }: Partial<DeliveryEngineOptions> & { clock?: string } = {}
) {
  const store = await aStore(db)
  const setClock = (at: Temporal.Instant) =>
    store.inStore(({ tx }) => tx.run(sql`update stores set clock_at = ${at} where store_id = ${store.storeId}`))
  if (clock) await setClock(Temporal.Instant.from(clock))
  const node = await startNode(db)
  const dispatch = enginesInTurn(createFactEngines({ db, consumers: [webhooksConsumer] }))
  const sender = createDeliveryEngine({ db, leaseOwner: node.id, ...testSettings, ...options })
  after(async () => {
    await sender.stop(0)
    await node.stop()
  })
  return {
    ...store,
    sender,
    dispatch,
    setClock,
    anEndpoint: (given: NewEndpoint) => createEndpoint(db, store.storeId, given, testSettings),
    record: (...facts: Fact[]) => store.inStore((ctx) => record(ctx, ...facts)),
    /** Runs fan-out and sender until nothing is due. */
    async settle() {
      while ((await dispatch.runOnce(store.storeId)) + (await sender.runOnce(store.storeId)) > 0);
    }
  }
}
