// When the app proxy last passed on a request, as the connection of a store shows it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { writeProxyUses } from '#stores'
import { aChurnShop } from './churn-shop.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const usedAt = async (storeId: number): Promise<string | null> =>
  (await service.admin('GET', `/stores/store_${storeId}/platform`)).proxy_used_at

test('a signed request is a use of the proxy of its shop, an unsigned one is none', async () => {
  const [shop, other] = [await aChurnShop(service), await aChurnShop(service)]
  const ada = await shop.person()
  const unsigned = await fetch(`${service.urls.public}/apps/svc-api/v1/loyalty/rules?shop=${other.domain}`)
  assert.equal(unsigned.status, 401)
  assert.equal(await usedAt(shop.storeId), null)
  const before = Temporal.Now.instant()
  await shop.ask('GET', '/account', { as: ada })
  assert.equal(await writeProxyUses(db), 1)
  assert.ok(Temporal.Instant.compare((await usedAt(shop.storeId))!, before.subtract({ milliseconds: 1 })) >= 0)
  assert.equal(await usedAt(other.storeId), null)
})

test('it is written once a minute and at the end, and never goes back', async () => {
  const shop = await aChurnShop(service)
  const ada = await shop.person()
  await shop.ask('GET', '/account', { as: ada })
  await writeProxyUses(db)
  const first = await usedAt(shop.storeId)
  await shop.ask('GET', '/account', { as: ada })
  assert.equal(await writeProxyUses(db), 0)
  assert.equal(await usedAt(shop.storeId), first)
  assert.equal(await writeProxyUses(db, { all: true }), 1)
  assert.notEqual(await usedAt(shop.storeId), first)
  await db.inInstallation((tx) =>
    tx.run(sql`update stores set proxy_used_at = '2100-01-01T00:00:00Z' where store_id = ${shop.storeId}`)
  )
  await shop.ask('GET', '/account', { as: ada })
  await writeProxyUses(db, { all: true })
  assert.equal(await usedAt(shop.storeId), '2100-01-01T00:00:00.000Z')
})
