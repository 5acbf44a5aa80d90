import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const MEMBERS = 300

const { url } = await testDatabase()
const service = await startService(url)

test('a billing run costs a fixed number of statements per batch, not per renewal', async () => {
  const store = await service.aStore()
  for (let i = 0; i < MEMBERS; i++) {
    const person = {
      email: `person-${i}@example.com`,
      firstName: null,
      lastName: null,
      countryCode: null,
      provinceCode: null
    }
    const customer = await service.deps.sandbox.createCustomer(store.storeId, person)
    await service.deps.sandbox.join(store.storeId, { customerId: customer.id, planName: 'VIP' })
  }
  await service.deps.settle(store.storeId)

  const before = { ...service.db.stats }
  await store.advance({ by: 'P1M' })
  const after = { ...service.db.stats }
  const per = (name: keyof typeof before) => (after[name] - before[name]) / MEMBERS
  const { body } = await service.get('/billing-attempts?status=success', store.key)
  assert.equal(body.meta.total, MEMBERS)
  assert.deepEqual((await service.admin('POST', '/doctor', {})).findings, [])

  // Six of them are the platform's messages, which arrive one by one: three about the order, its payment, the result, the new date. The
  // third comes of the order's tags, which are written order by order.
  assert.ok(per('statements') < 17, `${per('statements')} statements per renewal`)
  assert.ok(per('roundTrips') < 20, `${per('roundTrips')} round trips per renewal`)
})
