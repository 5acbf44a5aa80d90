import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { endpointIdOf } from '../endpoints/endpoint.ts'
import { findEndpoint } from '../endpoints/list-endpoints.ts'
import { rollSecret } from '../endpoints/roll-secret.ts'
import { findDelivery, listDeliveries } from '../history/list-deliveries.ts'
import { fetchDeliveries } from '../listeners/fetch-deliveries.ts'
import { openListener } from '../listeners/open-listener.ts'
import { resendDelivery } from '../queue/resend-deliveries.ts'
import { aFact, aReceiver, aSendingStore, testSettings } from '../receiver.test-helper.ts'

const { db } = await testDatabase()

type Sending = Awaited<ReturnType<typeof aSendingStore>>

const damageSecret = (store: Sending, id: string) =>
  store.inStore(({ tx, storeId }) =>
    tx.run(sql`
      update webhook_endpoints set secret = set_byte(secret, 20, get_byte(secret, 20) # 1)
       where store_id = ${storeId} and id = ${endpointIdOf(id)}`)
  )

/** One of two receivers has an endpoint whose secret nobody can read; both are sent one fact. */
async function aDamagedEndpoint(schedule = { maxTries: 2, delaysSeconds: [60] }) {
  const [whole, damaged] = [await aReceiver(), await aReceiver()]
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z', schedule })
  const { secret } = await store.anEndpoint({ url: whole.url })
  const { id } = await store.anEndpoint({ url: damaged.url })
  await damageSecret(store, id)
  await store.record(aFact(1))
  await store.settle()
  const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx, { endpoint: id }))
  const [{ webhookId } = assert.fail()] = deliveries
  const delivery = () => store.inStore(async (ctx) => (await findDelivery(ctx, webhookId))!)
  return { whole, damaged, store, secret, id, webhookId, delivery }
}

const headersOf = ({ headers }: { headers: unknown }) => headers as Record<string, string>

test('what nothing can sign fails as a try and says so; the others in its store are sent', async () => {
  const { whole, damaged, store, secret, id, delivery } = await aDamagedEndpoint()
  const [got] = whole.received
  assert.ok(new Webhook(secret).verify(got!.body, headersOf(got!)))
  const { status, nextTryAt, history } = await delivery()
  assert.deepEqual([status, String(nextTryAt)], ['retrying', '2026-01-01T00:01:00Z'])
  assert.deepEqual(
    history.map((t) => [t.tryNumber, String(t.startedAt), t.failure, t.responseCode, t.responseText]),
    [[1, '2026-01-01T00:00:00Z', 'other', null, 'Not sent: the signing secret of this endpoint cannot be read']]
  )
  const endpoint = await store.inStore((ctx) => findEndpoint(ctx, id))
  assert.equal(String(endpoint!.failingSince), '2026-01-01T00:00:00Z')

  await store.setClock(Temporal.Instant.from('2026-01-01T00:01:00Z'))
  await store.settle()
  assert.deepEqual([(await delivery()).status, whole.received.length, damaged.received.length], ['failed', 1, 0])
})

for (const overlapHours of [0, 24]) {
  test(`a new secret fixes it at once, with an overlap of ${overlapHours} hours`, async () => {
    const { damaged, store, id, webhookId, delivery } = await aDamagedEndpoint({ maxTries: 1, delaysSeconds: [] })
    assert.equal((await delivery()).status, 'failed')
    const { secret } = await store.inStore((ctx) => rollSecret(ctx, id, testSettings, overlapHours))
    await store.inStore((ctx) => resendDelivery(ctx, webhookId))
    await store.settle()
    const [got] = damaged.received
    assert.ok(new Webhook(secret).verify(got!.body, headersOf(got!)))
    assert.equal(got!.headers['x-svc-signature-next'], undefined)
    const { status, tries, history } = await delivery()
    assert.deepEqual([status, tries, history.map((t) => t.failure)], ['delivered', 2, ['other', null]])
    // What is sent again by hand does not count; the next event does.
    await store.record(aFact(2))
    await store.settle()
    assert.equal((await store.inStore((ctx) => findEndpoint(ctx, id)))!.failingSince, null)
  })
}

test('a listener gets nothing that cannot be signed', async () => {
  const store = await aSendingStore(db)
  const { id } = await store.inStore((ctx) => openListener(ctx, {}, testSettings))
  await damageSecret(store, id)
  await store.record(aFact(1))
  await store.settle()
  const never = new AbortController().signal
  const options = { ...testSettings, max: 10, waitMs: 0, ending: never, gone: never }
  assert.deepEqual(await fetchDeliveries(db, store.storeId, id, options), [])
  const [delivery] = (await store.inStore((ctx) => listDeliveries(ctx, { endpoint: id }))).deliveries
  assert.deepEqual([delivery!.status, delivery!.tries], ['failed', 1])
})
