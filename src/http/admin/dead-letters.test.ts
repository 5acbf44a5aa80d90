import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consumer, createFactEngines, defineFact, RETRY_AFTER_MINUTES, record } from '#kit/outbox'
import { setClock } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { enginesInTurn } from '../../../test/engines-in-turn.ts'
import { aStore } from '../../../test/store-builder.ts'
import { testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const { admin } = testServer(db)
const memberWelcomed = defineFact('member.welcomed', (n: number) => ({ orderingKey: `member:${n}`, data: { n } }))

/** A store whose only consumer failed on each of two facts until they were dead. */
async function aStoreWithDeadLetters() {
  const clockAt = Temporal.Instant.from('2026-01-31T12:00:00Z')
  const store = await aStore(db, { clockAt })
  let isBroken = true
  const letters = consumer(
    'letters',
    ['member.welcomed'],
    async () => {
      if (isBroken) throw new Error('The paper is out')
    },
    { from: 'now' }
  )
  const engine = enginesInTurn(createFactEngines({ db, consumers: [letters] }))
  const settle = async () => {
    while ((await engine.runOnce(store.storeId)) > 0);
  }
  await store.inStore((ctx) => record(ctx, memberWelcomed(1), memberWelcomed(2)))
  let now = clockAt
  await settle()
  for (const minutes of RETRY_AFTER_MINUTES) {
    now = now.add({ minutes })
    await store.inStore((ctx) => setClock(ctx, now))
    await settle()
  }
  return {
    settle,
    now: now.toString({ smallestUnit: 'millisecond' }),
    repair: () => {
      isBroken = false
    },
    call: async (method: 'GET' | 'POST', path: string) => {
      const response = await admin(method, `/stores/store_${store.storeId}/dead-letters${path}`, {})
      return { status: response.statusCode, body: response.json() }
    }
  }
}

test('dead letters are listed with their reason, page by page', async () => {
  const { call, now } = await aStoreWithDeadLetters()
  const { status, body } = await call('GET', '?limit=1')
  assert.equal(status, 200)
  const [{ id, ...letter }] = body.data
  assert.match(id, /^letters:\d+$/)
  assert.deepEqual(letter, {
    consumer: 'letters',
    fact: 'member.welcomed',
    ordering_key: 'member:2',
    attempts: 6,
    error: 'The paper is out',
    occurred_at: '2026-01-31T12:00:00.000Z',
    dead_at: now
  })
  assert.equal(body.next, id)
  const { body: rest } = await call('GET', `?before=${id}`)
  assert.deepEqual([rest.data.length, rest.data[0].ordering_key, rest.next], [1, 'member:1', null])
})

test('one that is tried again and succeeds is gone; one that fails again stays', async () => {
  const { call, settle, repair } = await aStoreWithDeadLetters()
  const [first, second] = (await call('GET', '')).body.data
  assert.deepEqual(await call('POST', `/${first.id}/retry`), { status: 202, body: { id: first.id } })
  await settle()
  assert.equal((await call('GET', '')).body.data[0].attempts, 7)
  repair()
  await call('POST', `/${first.id}/retry`)
  await settle()
  assert.deepEqual(
    (await call('GET', '')).body.data.map(({ id }: { id: string }) => id),
    [second.id]
  )
})

for (const id of ['letters:999999999', 'letters', 'letters:0', '7', 'x'.repeat(200)]) {
  test(`there is no dead letter ${id.slice(0, 20)}`, async () => {
    const { call } = await aStoreWithDeadLetters()
    const { status, body } = await call('POST', `/${id}/retry`)
    assert.deepEqual([status, body.error.code], [404, 'not_found'])
  })
}

test('the dead letters of another store are not there', async () => {
  const [mine, other] = [await aStoreWithDeadLetters(), await aStoreWithDeadLetters()]
  const [{ id }] = (await mine.call('GET', '')).body.data
  assert.equal((await other.call('POST', `/${id}/retry`)).status, 404)
  assert.equal((await mine.call('GET', '')).body.data.length, 2)
})
