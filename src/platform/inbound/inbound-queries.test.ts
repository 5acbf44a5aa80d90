import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { atOnce } from '../../../test/at-once.ts'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { extendInboundLease, findDueInbound, leaseInbound } from './inbound-queries.ts'
import { receiveWebhook } from './receive-webhook.ts'
import { readWebhookHeaders } from './webhook-headers.ts'

const { db } = await testDatabase()

test('an extension does not wait for a message that somebody has locked', async () => {
  const store = await aStore(db)
  const { storeId, inStore } = store
  const { appSecret } = store.credentials
  for (const body of ['{"n":1}', '{"n":2}']) {
    const headers = readWebhookHeaders({
      'x-platform-topic': 'orders/paid',
      'x-platform-hmac-sha256': createHmac('sha256', appSecret).update(body).digest('base64'),
      'x-platform-shop-domain': 'Store.Example',
      'x-platform-webhook-id': randomUUID()
    })
    await receiveWebhook(db, { storeId, appSecret, profile: 'platform' }, headers!, Buffer.from(body))
  }
  const leased = await inStore(async (ctx) => {
    const found = await findDueInbound(ctx, { leaseOwner: 1, limit: 10, maxBytes: 1_000, except: [] })
    await leaseInbound(ctx, found, { leaseOwner: 1, leaseMs: 60_000 })
    return found
  })
  const [locked, free] = leased.map(({ id }) => id)
  const extended = await atOnce(
    store,
    ({ tx }) => tx.run(sql`update inbound_webhooks set attempts = 1 where store_id = ${storeId} and id = ${locked!}`),
    (ctx) => extendInboundLease(ctx, leased, 60_000),
    () => assert.fail('it waits')
  )
  assert.deepEqual(extended.status === 'fulfilled' && extended.value.map(({ id }) => id), [free])
})
