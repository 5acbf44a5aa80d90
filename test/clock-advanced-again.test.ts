// What one move of a test clock says, and the next one no more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setClock } from '#stores'
import { testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'

const { db, url } = await testDatabase()
const service = await startService(url)

/** A store whose receiver has refused its first deliveries, and since when. */
async function aFailingReceiver() {
  const store = await service.aStore()
  const { url: to } = await aReceiver(() => 500)
  const endpoint = await service.admin('POST', `${store.at}/webhooks`, { url: to, events: ['member.created'] })
  await store.member('ada@example.com')
  await store.advance({ by: 'PT1S' })
  const { failing_since: since } = await service.admin('GET', `${store.at}/webhooks/${endpoint.id}`)
  return { ...store, since: Temporal.Instant.from(since) }
}

const subjects = ({ alerts }: { alerts: { subject: string }[] }) => alerts.map(({ subject }) => subject)

test('an alert of the instant where a move ends is not shown by the next one', async () => {
  const { advance, since } = await aFailingReceiver()
  const until = since.add({ hours: 24 }).toString()
  const [alert, ...others] = subjects(await advance({ to: until }))
  assert.match(alert!, /has not taken a delivery for a day/)
  assert.deepEqual(others, [])
  assert.deepEqual(subjects(await advance({ by: 'PT0S' })), [])
  assert.deepEqual(subjects(await advance({ by: 'PT1H' })), [])
})

test('an alert of the instant where a move begins, raised by it, is shown', async () => {
  const { advance, since, storeId } = await aFailingReceiver()
  await db.inStore(storeId, (ctx) => setClock(ctx, since.add({ hours: 24 })))
  assert.match(subjects(await advance({ by: 'PT1S' })).join(), /has not taken a delivery for a day/)
})

test('a delivery whose last try fails where a move ends is not counted by the next one', async () => {
  const { advance, at } = await aFailingReceiver()
  const nextTry = async () => (await service.admin('GET', `${at}/webhook-deliveries`)).data[0].next_try_at
  let counted = 0
  for (let to = await nextTry(); to !== null; to = await nextTry()) counted = (await advance({ to })).undelivered
  assert.equal(counted, 1)
  assert.equal((await advance({ by: 'PT0S' })).undelivered, 0)
  assert.equal((await advance({ by: 'PT1H' })).undelivered, 0)
})
