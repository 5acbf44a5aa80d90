// The platform loses requests and responses, returns 500 and 503, throttles and closes connections: each renewal is charged once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movePlatform } from '#stores'
import { beforeDrop, testDatabase } from './database.ts'
import { aFaultyConnection } from './faulty-connection.ts'
import { startService } from './service-builder.ts'

const MEMBERS = 24
/** A third of all calls fail. */
const SHARES = { '500': 0.066, '503': 0.066, reset: 0.066, lost: 0.066, throttled: 0.066 }

const { url } = await testDatabase()
const service = await startService(url)

test('over a faulty connection, three months of renewals are each charged once, on their days', async () => {
  const store = await service.aStore()
  for (let i = 0; i < MEMBERS; i++) await store.member(`person-${i}@example.com`)
  const line = await aFaultyConnection({ target: service.urls.sandbox, shares: SHARES, seed: 20_261_121 })
  beforeDrop(async () => line.close())
  await movePlatform(service.db, store.storeId, `${line.url}/${store.domain}`)

  // Days more, for attempts whose result had to be read from the platform: a call is repeated only after it was searched for.
  await store.advance({ to: '2026-05-04T15:00:00Z' })
  const { body } = await service.get('/billing-attempts?status=success&limit=1', store.key)
  assert.equal(body.meta.total, MEMBERS * 3)
  assert.equal((await service.get('/billing-attempts?status=failed', store.key)).body.meta.total, 0)
  const { findings, checked } = await service.admin('POST', '/doctor', {})
  assert.deepEqual(findings, [])
  assert.equal(checked.platform_charges_agree, MEMBERS * 3)
  for (const fault of ['500', '503', 'reset', 'lost', 'throttled'] as const) assert.ok(line.faults[fault] > 3, fault)
})

test('over a faulty connection, changed terms apply once from the next cycle, and cancellations end or are reverted as requested', async () => {
  const store = await service.aStore()
  await store.grace(24)
  const members = 12
  for (let i = 0; i < members; i++) await store.member(`changed-${i}@example.com`)
  const line = await aFaultyConnection({ target: service.urls.sandbox, shares: SHARES, seed: 20_261_122 })
  beforeDrop(async () => line.close())
  await movePlatform(service.db, store.storeId, `${line.url}/${store.domain}`)
  const { body } = await service.get('/subscriptions?limit=100', store.key)
  const ids = body.data.map(({ id }: { id: string }) => id) as string[]
  for (const [i, id] of ids.entries()) {
    const { status } = await service.patch(`/subscriptions/${id}`, store.key, { price: 40 + i })
    assert.equal(status, 200)
    if (i % 3 === 0) await service.post(`/subscriptions/${id}/cancel`, store.key)
  }
  await store.advance({ by: 'PT12H' })
  for (const id of ids.filter((_, i) => i % 6 === 0)) await service.post(`/subscriptions/${id}/reactivate`, store.key)

  await store.advance({ to: '2026-03-02T15:00:00Z' })
  const connector = await service.deps.connectorOf(store.storeId)
  const shown = (await service.get('/subscriptions?limit=100', store.key)).body.data as any[]
  const numberOf = (gid: string) => gid.split('/').at(-1)!
  const readContracts = async () => {
    for (;;) {
      const read = await connector.contracts.findMany(shown.map((s) => numberOf(s.shopify_subscription_id)))
      if (read.ok) return read.value
    }
  }
  const contracts = await readContracts()
  for (const [i, id] of ids.entries()) {
    const subscription = shown.find((s) => s.id === id)
    const contract = contracts.get(numberOf(subscription.shopify_subscription_id))!
    const isOver = i % 3 === 0 && i % 6 !== 0
    assert.deepEqual(
      [subscription.status, contract.status, subscription.pending_change],
      isOver ? ['cancelled', 'cancelled', null] : ['active', 'active', null],
      id
    )
    const { data: attempts } = (await service.get(`/billing-attempts?subscription_id=${id}`, store.key)).body
    assert.deepEqual(
      attempts.map(({ status, amount }: { status: string; amount: number }) => [status, amount]),
      isOver ? [] : [['success', 40 + i]],
      id
    )
    const { data: history } = (await service.get(`/subscriptions/${id}/activity`, store.key)).body
    const priced = history.filter(({ kind }: { kind: string }) => kind === 'price_changed')
    assert.ok(priced.length === 1 || (isOver && priced.length === 0), id)
  }
  assert.deepEqual((await service.admin('POST', '/doctor', {})).findings, [])
})
