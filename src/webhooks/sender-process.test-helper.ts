// A process of its own that dispatches and delivers until nothing is due, for tests that kill it.
import { setTimeout } from 'node:timers/promises'
import { startNode } from '#kit/engines'
import { createFactEngines } from '#kit/outbox'
import { Database } from '#kit/postgres'
import { enginesInTurn } from '../../test/engines-in-turn.ts'
import { webhooksConsumer } from './queue/queue-deliveries.ts'
import { testSettings } from './receiver.test-helper.ts'
import { createDeliveryEngine } from './sending/delivery-engine.ts'

const [url, store] = process.argv.slice(2)
const storeId = Number(store)
const db = new Database({ url: url! })
const node = await startNode(db)
const dispatch = enginesInTurn(createFactEngines({ db, consumers: [webhooksConsumer] }))
const sender = createDeliveryEngine({ db, leaseOwner: node.id, ...testSettings })

// A killed process's connection may take the server a moment to notice; a lease would take a minute to run out.
for (let waits = 0; waits < 50; waits++) {
  await node.releaseDeadLeases([sender.releaseLeases!])
  while ((await dispatch.runOnce(storeId)) + (await sender.runOnce(storeId)) > 0);
  const now = await db.inStore(storeId, async (ctx) => ctx.now)
  const dues = await Promise.all([dispatch.nextDueAt(storeId), sender.nextDueAt(storeId)])
  if (dues.every((due) => due === null || Temporal.Instant.compare(due, now) > 0)) break
  await setTimeout(100)
}
await sender.stop()
await node.stop()
await db.close()
