import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Database, sql, TIME_LIMITS } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { testServer } from '../server.test-helper.ts'
import { at, joined, START } from './subscription.test-helper.ts'

const { db, url } = await testDatabase()

test('a request that waits too long for a row gets 503 with Retry-After, and succeeds when it is repeated', async (t) => {
  const limits = { ...TIME_LIMITS, background: { ...TIME_LIMITS.background, lockMs: 300 } }
  const impatient = new Database({ url, limits })
  t.after(() => impatient.close())
  const { app, logged } = testServer(impatient)
  const store = await aStore(db, { clockAt: at(START) })
  const { memberId } = await joined(store)
  const authorization = `Bearer ${await store.aKey()}`
  const patch = () =>
    app.inject({
      method: 'PATCH',
      url: `/v1/members/mem_${memberId}`,
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': 'one' },
      payload: { loyalty_points: 120 }
    })

  const refused = await store.inStore(async ({ tx, storeId }) => {
    await tx.run(sql`select 1 from members where store_id = ${storeId} and id = ${memberId} for update`)
    return patch()
  })
  assert.equal(refused.statusCode, 503)
  assert.equal(refused.headers['retry-after'], '2')
  assert.deepEqual(refused.json(), {
    error: {
      code: 'internal_error',
      message: 'The service is busy, and nothing was changed; repeat the request after the seconds in Retry-After'
    }
  })
  assert.match(logged(), /PATCH refused: canceling statement due to lock timeout/)
  assert.doesNotMatch(logged(), /"level":50/)

  const repeated = await patch()
  assert.equal(repeated.statusCode, 200)
  assert.equal(repeated.headers['idempotent-replayed'], undefined)
  assert.equal(repeated.json().data.loyalty_points, 120)
})

test('a read whose request cannot be counted gets 503 with Retry-After, although what it read is there', async (t) => {
  const impatient = new Database({ url, limits: { ...TIME_LIMITS, direct: { ...TIME_LIMITS.direct, lockMs: 300 } } })
  t.after(() => impatient.close())
  const { rest, logged } = testServer(impatient)
  const store = await aStore(db, { clockAt: at(START) })
  const key = await store.aKey()
  assert.equal((await rest('/members', key)).statusCode, 200)

  const [read, unknown] = await db.inInstallation(async (tx) => {
    await tx.run(sql`lock rate_windows in exclusive mode`)
    return [await rest('/members', key), await rest('/members/mem_1', key)]
  })
  for (const refused of [read!, unknown!]) {
    assert.equal(refused.statusCode, 503)
    assert.equal(refused.headers['retry-after'], '2')
    assert.equal(refused.json().error.code, 'internal_error')
    assert.match(refused.json().error.message, /^The service is busy, and nothing was changed/)
  }
  assert.doesNotMatch(logged(), /"level":50/)
})
