// Rules that count paid renewals, by the clock of the store.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { testDatabase } from '../database.ts'
import { startService } from '../service-builder.ts'
import { aStory } from './story.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('membership_recharge_punch_card: store credit after two renewals, taken back when one of them is refunded', async () => {
  const { store, rule, member, refund, has, progress, credit, lastOrder } = await aStory(service)
  const type = 'membership_recharge_punch_card'
  const id = await rule(type, { required_recharges: 2 }, { reward_type: 'store_credit', amount: 7.5 })
  const ada = await member('ada@example.com')
  assert.deepEqual(await progress(id, type, ada), [0, 2, 0])
  await store.advance({ to: '2026-03-02T00:00:00Z' })
  assert.deepEqual([await progress(id, type, ada), await credit(ada)], [[1, 2, 50], 0])
  await store.advance({ to: '2026-04-02T00:00:00Z' })
  assert.deepEqual([await progress(id, type, ada), await credit(ada)], [[2, 2, 100], 7.5])
  assert.deepEqual(await has(ada), [0, 0, 0, 1, 0])
  const renewal = await lastOrder(ada, 29)
  await refund(renewal, '1.00')
  assert.deepEqual([await progress(id, type, ada), await credit(ada)], [[2, 2, 100], 7.5])
  await refund(renewal)
  assert.deepEqual([await progress(id, type, ada), await credit(ada)], [[1, 2, 50], 0])
  assert.deepEqual(await has(ada), [0, 0, 0, 0, 0])
  await store.advance({ to: '2026-05-02T00:00:00Z' })
  assert.deepEqual([await progress(id, type, ada), await credit(ada)], [[2, 2, 100], 7.5])
  await store.soundBooks()
})

test('product_recharge_punch_card: a free product after a renewal of that subscription, taken off the shop with a lost dispute', async () => {
  const { store, storeId, rule, customer, dispute, progress, coupons, usesInShop, lastOrder, settle } =
    await aStory(service)
  const created = await store.shop(
    `mutation($product: ProductCreateInput!) { productCreate(product: $product) { product { id } userErrors { message } } }`,
    { product: { title: 'Beans', handle: 'beans', status: 'ACTIVE' } }
  )
  const beans = created.product.id.split('/').at(-1) as string
  await store.plan({ name: 'Coffee', type: 'product', price: '15.00', product_ids: [beans] })
  const { id: mug } = await service.db.inStore(storeId, ({ tx }) =>
    tx.one(
      row({ id: text }),
      sql`select id::text as id from sandbox.products where store_id = ${storeId} and handle = 'stoneware-mug'`
    )
  )
  const type = 'product_recharge_punch_card'
  const id = await rule(type, { required_recharges: 1 }, { reward_type: 'free_product', product_id: mug })
  const ada = await customer('ada@example.com')
  for (const plan of ['VIP', 'Coffee']) {
    await service.admin('POST', `${store.at}/sandbox/joins`, { customer: ada, plan })
  }
  await settle()
  assert.deepEqual([await progress(id, type, ada), await coupons(ada)], [[0, 1, 0], []])
  await store.advance({ to: '2026-03-02T00:00:00Z' })
  const free = { type: 'free_product', amount: '100.00' }
  assert.deepEqual(
    [await progress(id, type, ada), await coupons(ada)],
    [[1, 1, 100], [{ ...free, status: 1, uses: 0 }]]
  )
  assert.equal(await usesInShop(ada), 0)
  await dispute(await lastOrder(ada, 15), 'lost')
  assert.deepEqual([await progress(id, type, ada), await coupons(ada)], [[0, 1, 0], [{ ...free, status: 0, uses: 0 }]])
  assert.equal(await usesInShop(ada), null)
  await store.soundBooks()
})
