import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { int, row, sql } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { RETRY_SCHEDULE } from './retry-schedule.ts'
import { aFact, aReceiver, aSendingStore } from './test-receiver.ts'

const EVENTS = 600
const KILLS = 5

const { db, url } = await testDatabase()
const program = fileURLToPath(new URL('test-sender.ts', import.meta.url))

test('kill -9 of the sender loses nothing: each event ends delivered, under one webhook_id', async () => {
  let killAt = Number.POSITIVE_INFINITY
  let reached = Promise.withResolvers<void>()
  const receiver = await aReceiver((_, response) => {
    if (receiver.received.length >= killAt) reached.resolve()
    setTimeout(() => response.end(), 2)
  })
  const store = await aSendingStore(db)
  await store.anEndpoint({ url: receiver.url })
  await store.record(...Array.from({ length: EVENTS }, (_, i) => aFact(i)))
  const run = () => spawn(process.execPath, [program, url, String(store.storeId)], { stdio: 'inherit' })

  for (let kill = 1; kill <= KILLS; kill++) {
    reached = Promise.withResolvers()
    killAt = receiver.received.length + Math.ceil(Math.random() * (EVENTS / KILLS))
    const sender = run()
    const exited = once(sender, 'exit')
    await Promise.race([reached.promise, exited])
    sender.kill('SIGKILL')
    await exited
  }
  killAt = Number.POSITIVE_INFINITY
  const [code] = await once(run(), 'exit')
  assert.equal(code, 0)

  const counts = await store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ deliveries: int, delivered: int, successes: int, open: int, mostTries: int }),
      sql`
      select (select count(*) from webhook_deliveries where store_id = ${storeId}) as deliveries,
             count(distinct delivery_id) filter (where failure is null) as delivered, max(try_number) as most_tries,
             count(*) filter (where failure is null) as successes,
             (select count(*) from webhook_queue where store_id = ${storeId}) as open
        from webhook_tries where store_id = ${storeId}`
    )
  )
  const { mostTries, ...totals } = counts
  assert.deepEqual(totals, { deliveries: EVENTS, delivered: EVENTS, successes: EVENTS, open: 0 })
  assert.ok(mostTries <= RETRY_SCHEDULE.maxTries)
  const posts = new Map<string, number>()
  for (const { headers } of receiver.received) {
    const id = String(headers['webhook-id'])
    posts.set(id, (posts.get(id) ?? 0) + 1)
  }
  assert.ok(Math.max(...posts.values()) <= mostTries, 'a receiver never gets more tries than the history shows')
  const idOf = new Map<string, string>()
  for (const { body } of receiver.received) {
    const { webhook_id, data } = JSON.parse(body)
    assert.equal(idOf.get(data.subscription_id) ?? webhook_id, webhook_id)
    idOf.set(data.subscription_id, webhook_id)
  }
  assert.equal(idOf.size, EVENTS)
})
