import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRule } from '#kit/define-audit-rule'
import { int, row, type Statement, sql, text } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { deliveriesFinished, deliveriesQueued, eventsDelivered } from './audit-rules.ts'
import { aFact, aReceiver, aSendingStore } from './receiver.test-helper.ts'

const { db } = await testDatabase()

/** A store with an endpoint for all events, whose receiver fails if it is to; the queue is filled, and nothing is sent. */
async function aQueue(respond: 200 | 500 = 200) {
  const receiver = await aReceiver((_, response) => response.writeHead(respond).end())
  const schedule = { maxTries: 2, delaysSeconds: [3600] }
  const store = await aSendingStore(db, { schedule })
  const { id } = await store.anEndpoint({ url: receiver.url })
  const run = (query: Statement) => store.inStore(({ tx }) => tx.run(query))
  const endpoint = Number(id.slice('we_'.length))
  return {
    ...store,
    id,
    endpoint,
    run,
    async queue(...facts: Parameters<typeof store.record>) {
      await store.record(...facts)
      while ((await store.dispatch.runOnce(store.storeId)) > 0);
    },
    /** The facts of the store, the first one first. */
    facts: () =>
      store.inStore(({ tx }) =>
        tx.many(row({ id: int }), sql`select id from facts where store_id = ${store.storeId} order by id`)
      ),
    found: async (rule: Extract<AuditRule, { wrong: unknown }>) => {
      const found = await store.inStore(async (ctx) =>
        ctx.tx.many(row({ subject: text, message: text }), await rule.wrong(ctx))
      )
      return found.map(({ subject, message }) => `${subject} ${message}`)
    },
    counted: (rule: { counted: (ctx: Parameters<Parameters<typeof store.inStore>[0]>[0]) => Statement }) =>
      store.inStore(async (ctx) => (await ctx.tx.one(row({ count: int }), rule.counted(ctx))).count)
  }
}

test('an event that was queued for no endpoint that accepts it is found, and nothing else', async () => {
  const store = await aQueue()
  const other = await store.anEndpoint({ url: 'http://127.0.0.1:1/', events: ['billing.failed'] })
  const disabled = await store.anEndpoint({ url: 'http://127.0.0.1:1/' })
  await store.run(sql`
    update webhook_endpoints set status = 'disabled', disabled_at = created_at, disabled_reason = 'Test'
     where store_id = ${store.storeId} and id = ${Number(disabled.id.slice(3))}`)
  await store.queue(aFact(1), { ...aFact(2), name: 'internal.thing' }, { ...aFact(3), name: 'billing.failed' })
  const [paused, , failed] = await store.facts()
  assert.deepEqual(await store.found(eventsDelivered), [])
  assert.equal(await store.counted(eventsDelivered), 2)

  // What is not yet dispatched is not missing.
  await store.record(aFact(4))
  assert.deepEqual(await store.found(eventsDelivered), [])
  // Before the first delivery that is kept the history is not known.
  await store.run(sql`
    delete from webhook_deliveries where store_id = ${store.storeId} and fact_id = ${paused!.id}`)
  assert.deepEqual(await store.found(eventsDelivered), [])
  await store.run(sql`
    insert into webhook_deliveries (store_id, day, endpoint_id, fact_id, webhook_id, event_type, ordering_key, body, created_at)
    select store_id, day, ${store.endpoint}, ${paused!.id}, 'wh_' || repeat('0', 32), event_type, ordering_key, body, created_at
      from webhook_deliveries where store_id = ${store.storeId} limit 1`)
  await store.run(sql`
    delete from webhook_deliveries where store_id = ${store.storeId} and fact_id = ${failed!.id}`)
  const missing = [`fact_${failed!.id} billing.failed was not queued for ${store.id}`]
  assert.deepEqual((await store.found(eventsDelivered)).toSorted(), [
    ...missing,
    `fact_${failed!.id} billing.failed was not queued for ${other.id}`
  ])
  // Which events an endpoint accepted before it was changed is not known.
  await store.run(sql`
    update webhook_endpoints set updated_at = updated_at + interval '1 hour'
     where store_id = ${store.storeId} and id = ${Number(other.id.slice(3))}`)
  assert.deepEqual(await store.found(eventsDelivered), missing)
  // One whose dispatch is to be repeated will be queued.
  await store.run(sql`
    insert into fact_retries (store_id, consumer, fact_id, name, position, ordering_key, attempts, retry_at, last_error)
    select store_id, 'webhooks', id, name, position, ordering_key, 1, occurred_at, 'Test' from facts
     where store_id = ${store.storeId} and id = ${failed!.id}`)
  assert.deepEqual(await store.found(eventsDelivered), [])
  await store.run(sql`update fact_retries set consumer = 'other' where store_id = ${store.storeId}`)
  assert.deepEqual(await store.found(eventsDelivered), missing)
})

test('a row of the queue that differs from the history is found, and says how', async () => {
  const store = await aQueue()
  await store.queue(aFact(1, 'member:1'), aFact(2, 'member:1'), aFact(3, 'member:2'), aFact(4, 'member:3'))
  assert.deepEqual([await store.found(deliveriesQueued), await store.counted(deliveriesQueued)], [[], 4])
  const [first, second, third, fourth] = await store.inStore(({ tx }) =>
    tx.many(
      row({ id: int, webhookId: text }),
      sql`select id, webhook_id from webhook_deliveries where store_id = ${store.storeId} order by id`
    )
  )
  const spoilt = async (query: Statement, repair: Statement) => {
    await store.run(query)
    const found = await store.found(deliveriesQueued)
    await store.run(repair)
    assert.deepEqual(await store.found(deliveriesQueued), [])
    return found
  }
  const { storeId } = store
  assert.deepEqual(
    await spoilt(
      sql`update webhook_queue set tries = 2 where store_id = ${storeId} and delivery_id = ${third!.id}`,
      sql`update webhook_queue set tries = 0 where store_id = ${storeId} and delivery_id = ${third!.id}`
    ),
    [`${third!.webhookId} has 0 tries, and 2 in the queue`]
  )
  assert.deepEqual(
    await spoilt(
      sql`update webhook_deliveries set undelivered_status = 'failed', undelivered_at = created_at
           where store_id = ${storeId} and id = ${fourth!.id}`,
      sql`update webhook_deliveries set undelivered_status = null, undelivered_at = null
           where store_id = ${storeId} and id = ${fourth!.id}`
    ),
    [`${fourth!.webhookId} is in the queue although its tries are exhausted`]
  )
  assert.deepEqual(
    await spoilt(
      sql`update webhook_queue set first = false where store_id = ${storeId} and delivery_id = ${first!.id}`,
      sql`update webhook_queue set first = true where store_id = ${storeId} and delivery_id = ${first!.id}`
    ),
    [`${second!.webhookId} waits for no other delivery`]
  )
  // One of another customer, or a later one, is none to wait for.
  assert.deepEqual(
    await spoilt(
      sql`update webhook_queue set ready = false where store_id = ${storeId} and delivery_id = ${fourth!.id}`,
      sql`update webhook_queue set ready = true where store_id = ${storeId} and delivery_id = ${fourth!.id}`
    ),
    [`${fourth!.webhookId} waits for no other delivery`]
  )
  assert.deepEqual(
    await spoilt(
      sql`update webhook_queue set ready = false where store_id = ${storeId} and delivery_id = ${first!.id}`,
      sql`update webhook_queue set ready = true where store_id = ${storeId} and delivery_id = ${first!.id}`
    ),
    [`${first!.webhookId} waits for no other delivery`]
  )
  await store.run(sql`delete from webhook_deliveries where store_id = ${storeId} and id = ${fourth!.id}`)
  assert.deepEqual(await store.found(deliveriesQueued), [`delivery ${fourth!.id} is in the queue and in no history`])
})

test('a delivery that nobody will send is found; one that has ended or waits is none', async () => {
  const delivered = await aQueue()
  await delivered.queue(aFact(1))
  await delivered.settle()
  assert.deepEqual([await delivered.found(deliveriesFinished), await delivered.counted(deliveriesFinished)], [[], 1])

  const store = await aQueue(500)
  await store.queue(aFact(1), aFact(2))
  await store.settle()
  assert.deepEqual(await store.found(deliveriesFinished), [])
  const [first] = await store.inStore(({ tx }) =>
    tx.many(
      row({ id: int, webhookId: text }),
      sql`select id, webhook_id from webhook_deliveries where store_id = ${store.storeId} order by id`
    )
  )
  await store.run(sql`delete from webhook_queue where store_id = ${store.storeId} and delivery_id = ${first!.id}`)
  const found = [`${first!.webhookId} is not queued, not delivered, and its tries are not exhausted`]
  assert.deepEqual(await store.found(deliveriesFinished), found)
  await store.run(sql`
    update webhook_deliveries set undelivered_status = 'failed', undelivered_at = created_at
     where store_id = ${store.storeId} and id = ${first!.id}`)
  assert.deepEqual(await store.found(deliveriesFinished), [])
})
