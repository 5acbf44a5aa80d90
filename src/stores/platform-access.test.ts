import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Database } from '#kit/postgres'
import { movePlatform, platformAccess } from '#stores'
import { testDatabase } from '../../test/database.ts'
import { aStore, testVault } from '../../test/store-builder.ts'

const { db, url } = await testDatabase()

test('those who ask at once share one look-up, and the next ones need none', async () => {
  const { storeId } = await aStore(db)
  const own = new Database({ url })
  const ask = () => platformAccess(own, testVault, storeId)
  await Promise.all(Array.from({ length: 50 }, ask))
  await ask()
  assert.equal(own.stats.statements, 1)
  await own.close()
})

test('a change is seen at once', async () => {
  const { storeId } = await aStore(db)
  await platformAccess(db, testVault, storeId)
  await movePlatform(db, storeId, 'http://127.0.0.1:9/moved')
  assert.equal((await platformAccess(db, testVault, storeId)).url, 'http://127.0.0.1:9/moved')
})

test('that a store is unknown is not remembered', async () => {
  const next = (await aStore(db)).storeId + 1
  for (let i = 0; i < 2; i++) await assert.rejects(platformAccess(db, testVault, next), { code: 'not_found' })
  const { storeId, domain } = await aStore(db)
  assert.equal(storeId, next)
  assert.equal((await platformAccess(db, testVault, storeId)).domain, domain)
})
