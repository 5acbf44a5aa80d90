// Delivers waiting webhooks to one loopback receiver, and posts the same bodies in a bare undici loop; prints the ratio.
// Usage: node bench/webhooks.ts [deliveries]
import { fork } from 'node:child_process'
import { createHmac, createSecretKey } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'undici'
import { createDispatchEngine } from '#kit/dispatch'
import { record } from '#kit/outbox'
import { Database, int, row, sql, text } from '#kit/postgres'
import { startWorker } from '#kit/worker'
import { createDeliveryEngine, createEndpoint, queueDeliveries } from '#webhooks'
import { aStore, testVault } from '../test/store-builder.ts'
import { benchDatabase } from './database.ts'

const COUNT = Number(process.argv[2] ?? 5_000)
const ROUNDS = 3
const PER_ENDPOINT = 8

const database = await benchDatabase()
const db = new Database({ url: database.url })
const settings = { vault: testVault, addresses: { loopback: true, allow: [] } }
const receiver = fork(new URL('webhooks-receiver.ts', import.meta.url))
const [port] = (await once(receiver, 'message')) as [number]
const url = `http://127.0.0.1:${port}/hooks`

const worker = await startWorker(db)
const dispatch = createDispatchEngine({ db, consumers: [queueDeliveries] })

async function waitingDeliveries() {
  const store = await aStore(db)
  const { secret } = await createEndpoint(db, store.storeId, { url }, settings)
  const facts = Array.from({ length: COUNT }, (_, i) => ({
    type: 'billing.success' as const,
    objectKey: `subscription:${i}` as const,
    data: {
      billing_attempt_id: `ba_${i}`,
      subscription_id: `sub_${i}`,
      customer: { id: `cust_${i}`, email: `c${i}@example.com` },
      amount: 29,
      currency: 'USD',
      next_billing_date: '2026-02-28T05:00:00.000Z'
    }
  }))
  for (let i = 0; i < COUNT; i += 1000) await store.inStore((ctx) => record(ctx, ...facts.slice(i, i + 1000)))
  const began = performance.now()
  while ((await dispatch.runOnce(store.storeId)) > 0);
  return { store, secret, fanOutPerSecond: COUNT / ((performance.now() - began) / 1000) }
}

async function deliver(storeId: number) {
  const sender = createDeliveryEngine({ db, leaseOwner: worker.id, ...settings, perEndpoint: PER_ENDPOINT })
  const before = { ...db.stats }
  const began = performance.now()
  while ((await sender.runOnce(storeId)) > 0);
  const seconds = (performance.now() - began) / 1000
  await sender.stop()
  return { rate: COUNT / seconds, statements: (db.stats.statements - before.statements) / COUNT }
}

/** The least that a sender must do: sign both ways and post, so many at a time. */
async function postBare(bodies: { webhookId: string; body: string }[], secret: string) {
  const agent = new Agent({ connections: PER_ENDPOINT })
  const keys = [createSecretKey(secret, 'utf8'), createSecretKey(secret.slice('whsec_'.length), 'base64')] as const
  const post = async ({ webhookId, body }: { webhookId: string; body: string }) => {
    const seconds = Math.floor(Date.now() / 1000)
    const standard = createHmac('sha256', keys[1]).update(`${webhookId}.${seconds}.${body}`).digest('base64')
    const headers = {
      'content-type': 'application/json',
      'x-svc-signature': `sha256=${createHmac('sha256', keys[0]).update(body).digest('hex')}`,
      'webhook-id': webhookId,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${standard}`
    }
    const answer = await request(url, { dispatcher: agent, method: 'POST', body, headers })
    await answer.body.dump()
  }
  let next = 0
  const began = performance.now()
  await Promise.all(
    Array.from({ length: PER_ENDPOINT }, async () => {
      while (next < bodies.length) await post(bodies[next++]!)
    })
  )
  const seconds = (performance.now() - began) / 1000
  await agent.close()
  return bodies.length / seconds
}

const ratios: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const { store, secret, fanOutPerSecond } = await waitingDeliveries()
  const bodies = await store.inStore(({ tx, storeId }) =>
    tx.many(
      row({ webhookId: text, body: text }),
      sql`select webhook_id, body from webhook_deliveries where store_id = ${storeId}`
    )
  )
  const bare = await postBare(bodies, secret)
  const { rate, statements } = await deliver(store.storeId)
  const { tries } = await store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ tries: int }),
      sql`select count(*) as tries from webhook_tries where store_id = ${storeId} and failure is null`
    )
  )
  if (tries !== COUNT) throw new Error(`${tries} of ${COUNT} were delivered`)
  ratios.push(rate / bare)
  console.log(
    `fan-out ${fanOutPerSecond.toFixed(0)}/s · bare loop ${bare.toFixed(0)}/s · delivered ${rate.toFixed(0)}/s · ` +
      `ratio ${(rate / bare).toFixed(2)} · ${statements.toFixed(3)} statements per delivery`
  )
}
console.log(
  `median ratio ${ratios.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!.toFixed(2)}, ${COUNT} deliveries, ${PER_ENDPOINT} at a time`
)

receiver.disconnect()
await worker.stop()
await db.close()
await database.close()
