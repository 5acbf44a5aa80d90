import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Database, json, row, sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { SCOPES } from '../scopes.ts'
import { authenticateKey, writeKeyUses } from './authenticate-key.ts'
import { listKeys } from './key-queries.ts'
import { createKey, revokeKey, rollKey } from './keys.ts'

const { db, url } = await testDatabase()

test('a key is shown once, stored as a hash, and gives access to its own store with its scopes', async () => {
  const store = await aStore(db, { plan: 'growth' })
  const { key, ...shown } = await createKey(db, { storeId: store.storeId, name: 'CRM', scopes: ['read:members'] })

  assert.match(key, new RegExp(`^svc_test_${store.storeId.toString(36)}_[0-9A-Za-z]{32}$`))
  assert.equal(shown.keyHint, key.slice(-4))
  const stored = await store.inStore(({ tx }) =>
    tx.many(
      row({ all: json<object>() }),
      sql`select to_jsonb(k) as all from api_keys k where store_id = ${store.storeId}`
    )
  )
  assert.equal(stored.length, 1)
  assert.ok(!JSON.stringify(stored).includes(key.slice(-32)))
  assert.deepEqual(await authenticateKey(db, key), {
    storeId: store.storeId,
    keyId: shown.id,
    scopes: new Set(['read:members']),
    timezone: 'America/New_York',
    currency: 'USD',
    ratePlan: 'growth',
    profile: 'platform',
    sandbox: true
  })
})

test('without scopes a key has all; an empty list and an unknown scope are refused', async () => {
  const store = await aStore(db)
  const { scopes } = await createKey(db, { storeId: store.storeId, name: 'All' })
  assert.deepEqual(scopes, SCOPES)
  assert.equal(scopes.length, 18)
  await assert.rejects(createKey(db, { storeId: store.storeId, name: 'No', scopes: ['read:all'] }), {
    code: 'invalid_request',
    message: /read:members, write:members, .*"read:all" is not one of them/
  })
  await assert.rejects(createKey(db, { storeId: store.storeId, name: 'None', scopes: [] }), {
    code: 'invalid_request',
    message: 'scopes must name a scope; leave it out for a key with all of them'
  })
})

test('a key of a live store is a live key', async () => {
  const live = await aStore(db, { sandbox: false, accessToken: 'token-123', appSecret: 'secret-123' })
  assert.match(await live.aKey(), /^svc_live_/)
})

test('a revoked key is refused immediately and stays in the list', async () => {
  const store = await aStore(db)
  const { key, id } = await createKey(db, { storeId: store.storeId, name: 'Gone' })
  assert.ok(await authenticateKey(db, key))

  await revokeKey(db, store.storeId, id)
  assert.equal(await authenticateKey(db, key), null)
  const [listed] = await store.inStore(listKeys)
  assert.ok(listed?.revokedAt)
  const again = await revokeKey(db, store.storeId, id)
  assert.equal(String(again.revokedAt), String(listed.revokedAt))
})

test('a rolled key works until its overlap is over; the new one has its name and scopes', async () => {
  const store = await aStore(db)
  const { storeId } = store
  const old = await createKey(db, { storeId, name: 'CRM', scopes: ['read:members'] })
  const rolled = await rollKey(db, { storeId, keyId: old.id, overlapHours: 2 })
  assert.deepEqual([rolled.name, rolled.scopes, rolled.expiresAt], ['CRM', ['read:members'], null])
  assert.notEqual(rolled.key, old.key)
  const ids = async () =>
    (await Promise.all([old.key, rolled.key].map((key) => authenticateKey(db, key)))).map((one) => one?.keyId)
  assert.deepEqual(await ids(), [old.id, rolled.id])
  const listed = async () => (await store.inStore(listKeys)).find(({ id }) => id === old.id)!
  const { expiresAt } = await listed()
  const hours = expiresAt!.since(old.createdAt).total('hours')
  assert.ok(hours >= 2 && hours < 2.1, String(hours))

  await store.inStore(({ tx }) =>
    tx.run(
      sql`update api_keys set expires_at = now() - interval '1 second' where store_id = ${storeId} and id = ${old.id}`
    )
  )
  const elsewhere = new Database({ url })
  assert.equal(await authenticateKey(elsewhere, old.key), null)
  await elsewhere.close()
  await assert.rejects(rollKey(db, { storeId, keyId: old.id }), { code: 'conflict', message: /no longer works/ })
})

test('without an overlap a rolled key is refused at once; what cannot be rolled is refused and makes no key', async () => {
  const [{ storeId, inStore }, other] = [await aStore(db), await aStore(db)]
  const { id: keyId, key } = await createKey(db, { storeId, name: 'CRM' })
  assert.ok(await authenticateKey(db, key))
  const rolled = await rollKey(db, { storeId, keyId, overlapHours: 0 })
  assert.equal(await authenticateKey(db, key), null)
  assert.ok(await authenticateKey(db, rolled.key))

  for (const overlapHours of [-1, 1.5, 169]) {
    await assert.rejects(rollKey(db, { storeId, keyId: rolled.id, overlapHours }), {
      message: /overlap must be a whole number/
    })
  }
  await assert.rejects(rollKey(db, { storeId: other.storeId, keyId: rolled.id }), { code: 'not_found' })
  await revokeKey(db, storeId, rolled.id)
  await assert.rejects(rollKey(db, { storeId, keyId: rolled.id }), { code: 'conflict' })
  assert.equal((await inStore(listKeys)).length, 2)
})

test("another store's key id is an unknown one", async () => {
  const [mine, theirs] = [await aStore(db), await aStore(db)]
  const { id, key } = await createKey(db, { storeId: theirs.storeId, name: 'Theirs' })
  await assert.rejects(revokeKey(db, mine.storeId, id), { code: 'not_found' })
  assert.ok(await authenticateKey(db, key))
})

test('a text that is no key, or a key whose store was changed, is refused', async () => {
  const store = await aStore(db)
  const key = await store.aKey()
  const other = await aStore(db)
  const moved = key.replace(/_[0-9a-z]+_(?=[0-9A-Za-z]{32}$)/, `_${other.storeId.toString(36)}_`)
  for (const wrong of [
    '',
    'svc_test_',
    `${key}x`,
    key.slice(0, -1),
    moved,
    key.replace('test', 'live'),
    `svc_test_zzzzzzzzzzz_${'a'.repeat(32)}`
  ]) {
    assert.equal(await authenticateKey(db, wrong), null, wrong)
  }
})

test('authentication is cached: not every request reads the database', async () => {
  const store = await aStore(db)
  const key = await store.aKey()
  const before = db.stats.statements
  for (let i = 0; i < 20; i++) await authenticateKey(db, key)
  assert.equal(db.stats.statements - before, 1)
})

test('the last use is written later, for each key at most once a minute', async () => {
  const fresh = new Database({ url })
  const store = await aStore(fresh)
  await authenticateKey(fresh, await store.aKey())
  const used = async () => (await store.inStore(listKeys))[0]?.lastUsedAt
  assert.equal(await used(), null)
  assert.equal(await writeKeyUses(fresh), 1)
  assert.ok(await used())
  assert.equal(await writeKeyUses(fresh), 0)
  await fresh.close()
})
