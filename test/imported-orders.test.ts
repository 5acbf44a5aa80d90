// Orders of contracts that others have billed until now: their numbers, and whether their customers were active. With the sandbox over its
// socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordReports } from '#orders'
import { anOrder } from './contract-builder.ts'
import { testDatabase } from './database.ts'
import { aStoreForImports, csv } from './import-builder.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

async function aShop() {
  const imports = await aStoreForImports(service)
  const { store, settle } = imports
  const kind = async (id: string) => {
    const { classification: c } = await service.admin('GET', `${store.at}/orders/${id}`)
    return [c.checkout_type, c.order_tag, c.tags.toSorted().join()]
  }
  return {
    ...imports,
    kind,
    /** The kinds of all orders of a customer, oldest first. */
    kinds: async (customerId: string) => {
      const { data } = await service.admin('GET', `${store.at}/orders?customer=${customerId}`)
      return Promise.all((data as { id: string }[]).toReversed().map(({ id }) => kind(id)))
    },
    /** Imports a contract of a new customer, which the plan VIP sells. */
    aContract: async (firstId: number, row: { status?: string; cycles_paid?: number } = {}) => {
      const [id] = await imports.contracts(firstId, 1, () => ({ nextBillingAt: '2026-02-04T15:00:00Z' }))
      const file = csv(['contract_id', 'plan', ...Object.keys(row)], [[id!, 'VIP', ...Object.values(row)]])
      const done = await imports.import({ source: 'csv' }, file)
      await settle()
      assert.equal((await imports.show(done)).created, 1)
      return { id: id!, customerId: String(firstId * 10) }
    },
    act: async (customerId: string, action: string) => {
      const [{ id }] = (await service.get(`/subscriptions?customer_id=${customerId}`, store.key)).body.data
      const done = await service.post(`/subscriptions/${id}/${action}`, store.key, {})
      assert.equal(done.status, 200, JSON.stringify(done.body))
      await settle()
    },
    report: async (...orders: ReturnType<typeof anOrder>[]) => {
      await service.db.inStore(store.storeId, (ctx) =>
        recordReports(ctx, { orders, refunds: [], transactions: [], disputes: [] }, 'platform')
      )
      await settle()
    },
    isRight: store.soundBooks
  }
}

test('charge-<number>: skipped cycles leave no gap; imports continue after cycles_paid', async () => {
  const { store, aContract, act, kinds, settle, isRight } = await aShop()
  const { customerId } = await aContract(910_001, { cycles_paid: 4 })
  const { customer } = await store.member('ada@example.com')
  await settle()
  await act(customer.id, 'skip')
  await store.advance({ to: '2026-02-05T15:00:00Z' })
  await act(customerId, 'skip')
  await store.advance({ to: '2026-04-05T15:00:00Z' })
  assert.deepEqual(await kinds(customerId), [
    ['VIP', 'recharge', 'VIP-Recharge,charge-5'],
    ['VIP', 'recharge', 'VIP-Recharge,charge-6']
  ])
  assert.deepEqual(await kinds(customer.id), [
    ['VIP', 'New-vip', 'charge-1,new-VIP'],
    ['VIP', 'recharge', 'VIP-Recharge,charge-2']
  ])
  await isRight()
})

test('from the import on the customer of an active contract is active, that of a paused one when it is resumed', async () => {
  const { store, aContract, act, report, kind, isRight } = await aShop()
  const [active, paused] = [await aContract(920_001), await aContract(930_001, { status: 'paused' })]
  await store.advance({ by: 'PT4H' })
  await act(paused.customerId, 'resume')
  await store.advance({ by: 'PT4H' })
  const placed = [active, paused].flatMap(({ customerId }) =>
    ['2026-01-31T17:00:00Z', '2026-01-31T21:00:00Z'].map((at) => anOrder(Temporal.Instant.from(at), { customerId }))
  )
  await report(...placed)
  assert.deepEqual(await Promise.all(placed.map(async ({ id }) => (await kind(id))[0])), ['VIP', 'VIP', 'PAYG', 'VIP'])
  await isRight()
})
