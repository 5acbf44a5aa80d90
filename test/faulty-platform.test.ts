// The platform loses questions and answers, says 500 and 503, throttles and closes connections: no renewal is lost or doubled.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movePlatform } from '#stores'
import { aBadLine } from './bad-line.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const MEMBERS = 40
/** A third of all calls go wrong. */
const SHARES = { '500': 0.066, '503': 0.066, reset: 0.066, lost: 0.066, throttled: 0.066 }

const { url } = await testDatabase()
const service = await startService(url)

test('over a bad line, three months of renewals are each charged once, on their days', async () => {
  const store = await service.aStore()
  for (let i = 0; i < MEMBERS; i++) await store.member(`person-${i}@example.com`)
  const line = await aBadLine({ target: service.urls.sandbox, shares: SHARES, seed: 20_261_121 })
  beforeDrop(async () => line.close())
  await movePlatform(service.db, store.storeId, `${line.url}/${store.domain}`)

  // A day more, for what had to be asked after.
  await store.advance({ to: '2026-05-01T15:00:00Z' })
  const { body } = await service.get('/billing-attempts?status=success&limit=1', store.key)
  assert.equal(body.meta.total, MEMBERS * 3)
  assert.equal((await service.get('/billing-attempts?status=failed', store.key)).body.meta.total, 0)
  const { findings, checked } = await service.admin('POST', '/doctor', {})
  assert.deepEqual(findings, [])
  assert.equal(checked.platform_charges_agree, MEMBERS * 3)
  for (const fault of ['500', '503', 'reset', 'lost', 'throttled'] as const) assert.ok(line.faults[fault] > 3, fault)
})
