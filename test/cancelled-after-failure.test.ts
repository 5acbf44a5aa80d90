// A contract that failed is cancelled later: receivers hear of its end once, and what is shown of it follows all the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { keysOf } from '../src/mirror/metafields/all-metafields.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents, type RecordedEvent } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

for (const where of ['here', 'on the platform'] as const) {
  test(`a failed contract that is cancelled ${where}: no second event, and its metafield and its change time follow`, async () => {
    const store = await aStoreWithEvents(service)
    const { customer, contract_id } = await store.member('ada@example.com', 'VIP')
    await store.settle()
    const { metafields } = await service.deps.connectorOf(store.storeId)
    const shown = async () => {
      const found = await metafields.findMany('customer', [customer.id], keysOf('customer'))
      assert.ok(found.ok)
      return JSON.parse(found.value.get(customer.id)!.get('customer_subscription1')!.value).status
    }
    const changes = () =>
      service.db.inStore(store.storeId, ({ tx, storeId }) =>
        tx.run(sql`select from export_changes where store_id = ${storeId} and kind = 'subscription'`)
      )
    const ended = await store.recorded(async () => {
      await store.contract(contract_id).move('Fail')
      await store.settle()
    })
    assert.deepEqual(
      ended.map(({ type }: RecordedEvent) => type).filter((type: string) => type.startsWith('subscription.')),
      ['subscription.cancelled']
    )
    assert.equal(await shown(), 'FAILED')
    await service.db.inStore(store.storeId, ({ tx, storeId }) =>
      tx.run(sql`delete from export_changes where store_id = ${storeId}`)
    )

    const again = await store.recorded(async () => {
      if (where === 'on the platform') await store.contract(contract_id).move('Cancel')
      else {
        const [{ id }] = await store.client.subscriptions.list({}).toArray({ atMost: 5 })
        await service.admin('POST', `${store.at}/subscriptions/${id}/cancel`)
      }
      await store.settle()
    })
    assert.deepEqual(again, [])
    assert.equal(await shown(), 'CANCELLED')
    assert.equal(await changes(), 1)
  })
}
