// Rules that are limited to collections: which orders they count, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql, text } from '#kit/postgres'
import { testDatabase } from './database.ts'
import { aLoyaltyShop } from './loyalty-shop.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox

const POINTS = { reward_type: 'points' }

async function aShop() {
  const shop = await aLoyaltyShop(service)
  const { store, storeId, settle } = shop
  const { nodes } = await store.shop(
    'query { collections(first: 50) { nodes { id handle products(first: 50) { nodes { id title } } } } }'
  )
  const collectionGid = (handle: string): string => nodes.find((one: { handle: string }) => one.handle === handle).id
  const productGid = (title: string): string =>
    nodes
      .flatMap((one: { products: { nodes: { id: string; title: string }[] } }) => one.products.nodes)
      .find((one: { title: string }) => one.title === title).id
  const digits = (gid: string) => gid.slice(gid.lastIndexOf('/') + 1)
  const change = (mutation: string) => async (handle: string, title: string) => {
    await store.shop(
      `mutation ($id: ID!, $ids: [ID!]!) { ${mutation}(id: $id, productIds: $ids) { userErrors { message } } }`,
      { id: collectionGid(handle), ids: [productGid(title)] }
    )
    await settle()
  }
  return {
    ...shop,
    collection: (handle: string) => digits(collectionGid(handle)),
    collectionGid,
    addTo: change('collectionAddProducts'),
    removeFrom: change('collectionRemoveProducts'),
    async buy(customerId: string, ...variants: string[]): Promise<string> {
      await store.advance({ by: 'PT1M' })
      const { id } = await controls.order({ storeId, customerId, lines: variants.map((variant) => ({ variant })) })
      await settle()
      return id
    },
    /** By order, what wrote the collections that are kept of it last. */
    versions: () =>
      service.db.inStore(storeId, ({ tx }) =>
        tx.many(
          row({ orderId: int, version: text }),
          sql`
          select order_id, xmin::text as version from loyalty_order_collections where store_id = ${storeId} order by order_id`
        )
      ),
    /** What of this collection is known: how many products, and what went wrong. */
    async known(handle: string) {
      const { products } = await service.db.inStore(storeId, ({ tx }) =>
        tx.one(
          row({ products: int }),
          sql`select count(*) as products from loyalty_collection_products
               where store_id = ${storeId} and collection_id = ${digits(collectionGid(handle))}`
        )
      )
      return products
    }
  }
}

test('a rule that is limited to collections counts their products, and those that it names itself', async () => {
  const { store, rule, customer, buy, refund, points, collection } = await aShop()
  await rule('points_for_purchases', { collection_ids: [collection('ceramics')] }, POINTS)
  const id = await customer('ada@example.com')
  const first = await buy(id, 'BOWL', 'GRINDER')
  assert.deepEqual(await points(id), [22, 0, 22])
  await buy(id, 'GRINDER')
  assert.deepEqual(await points(id), [22, 0, 22])
  await buy(id, 'MUG-BLUE')
  assert.deepEqual(await points(id), [40, 0, 40])
  await refund(first)
  assert.deepEqual(await points(id), [18, 0, 18])
  await store.soundBooks()
})

test('an order keeps what it counted when a product leaves the collection, and earns nothing when one comes', async () => {
  const { store, rule, customer, buy, refund, points, collection, addTo, removeFrom, versions } = await aShop()
  await rule('goal_spend', { goal_amount: 20, collection_ids: [collection('ceramics')] }, { ...POINTS, amount: 7 })
  await rule('points_for_purchases', { collection_ids: [collection('ceramics')] }, POINTS)
  const [ada, ben] = [await customer('ada@example.com'), await customer('ben@example.com')]
  const bowl = await buy(ada, 'BOWL')
  const grinder = await buy(ben, 'GRINDER')
  assert.deepEqual(
    [await points(ada), await points(ben)],
    [
      [29, 0, 29],
      [0, 0, 0]
    ]
  )
  await removeFrom('ceramics', 'Tea bowl')
  await addTo('ceramics', 'Hand grinder')
  await addTo('coffee', 'Tea bowl')
  // Orders of before are looked at for this collection alone.
  await rule('punch_card', { required_purchases: 9, collection_ids: [collection('coffee')] }, { ...POINTS, amount: 1 })
  // A refund has each order counted anew.
  await refund(bowl, '1.00')
  await refund(grinder, '9.00')
  assert.deepEqual(
    [await points(ada), await points(ben)],
    [
      [28, 0, 28],
      [0, 0, 0]
    ]
  )
  // Of what is kept nothing is written anew where no other collection was read since.
  const kept = await versions()
  await refund(bowl, '1.00')
  assert.deepEqual([await points(ada), await versions()], [[27, 0, 27], kept])
  await buy(ada, 'BOWL')
  await buy(ben, 'GRINDER')
  assert.deepEqual(
    [await points(ada), await points(ben)],
    [
      [27, 0, 27],
      [96, 0, 96]
    ]
  )
  await store.soundBooks()
})

test('orders wait for a collection that is not read yet, and are counted when it is; other rules count them at once', async () => {
  const { store, storeId, rule, settle, customer, buy, points, collection } = await aShop()
  const ceramics = collection('ceramics')
  const limited = { points_per_dollar: 100, collection_ids: [ceramics] }
  await rule('points_for_purchases', limited, POINTS)
  const rest = (minutes: number) =>
    service.db.inStore(storeId, ({ tx }) =>
      tx.run(sql`
        update loyalty_collections
           set number = null, due_at = '2020-01-01', rests_until = statement_timestamp() + ${minutes} * interval '1 minute'
         where store_id = ${storeId} and collection_id = ${ceramics}`)
    )
  await rest(60)
  await rule('points_for_purchases', {}, POINTS)
  const id = await customer('ada@example.com')
  await buy(id, 'BOWL')
  await buy(id, 'BOWL')
  assert.deepEqual(await points(id), [44, 0, 44])
  await rest(0)
  await settle()
  assert.deepEqual(await points(id), [4444, 0, 4444])
  await store.soundBooks()
})

test('orders do not wait for a collection that no rule names any more', async () => {
  const { store, storeId, rule, settle, customer, buy, points, collection } = await aShop()
  const [ceramics, coffee] = [collection('ceramics'), collection('coffee')]
  const ruleId = await rule('points_for_purchases', { collection_ids: [ceramics, coffee] }, POINTS)
  await service.db.inStore(storeId, ({ tx }) =>
    tx.run(sql`
      update loyalty_collections set number = null, rests_until = statement_timestamp() + interval '1 hour'
       where store_id = ${storeId} and collection_id = ${coffee}`)
  )
  const id = await customer('ada@example.com')
  await buy(id, 'BOWL')
  assert.deepEqual(await points(id), [0, 0, 0])
  await service.admin('PATCH', `${store.at}/loyalty/rules/${ruleId}`, { rules: { collection_ids: [ceramics] } })
  await settle()
  assert.deepEqual(await points(id), [22, 0, 22])
  await service.admin('DELETE', `${store.at}/loyalty/rules/${ruleId}`)
  await settle()
  const left = await service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ id: text }),
      sql`
      select collection_id as id from loyalty_collections where store_id = ${storeId}
       union all select collection_id from loyalty_collection_products where store_id = ${storeId}
       union all select collection_id from loyalty_waiting_orders where store_id = ${storeId}`
    )
  )
  assert.deepEqual(left, [])
})

test('a collection that the shop does not have matches nothing, and one that is deleted there has no products any more', async () => {
  const { store, rule, settle, customer, buy, points, collection, collectionGid, known } = await aShop()
  await rule('points_for_purchases', { collection_ids: ['999999999'] }, POINTS)
  await rule(
    'punch_card',
    { required_purchases: 2, collection_ids: [collection('ceramics')] },
    { ...POINTS, amount: 5 }
  )
  const id = await customer('ada@example.com')
  await buy(id, 'BOWL')
  assert.equal(await known('ceramics'), 2)
  await store.shop('mutation ($id: ID!) { collectionDelete(input: { id: $id }) { userErrors { message } } }', {
    id: collectionGid('ceramics')
  })
  await settle()
  assert.equal(await known('ceramics'), 0)
  await buy(id, 'BOWL')
  assert.deepEqual(await points(id), [0, 0, 0])
})

test('a collection is read to its end, also one of several pages, and again every day where a message was lost', async () => {
  const { store, storeId, rule, collection, known } = await aShop()
  const write = (ids: string[]) =>
    service.sandboxDb.inInstallation(async (q) => {
      await q.run(sql`
        insert into sandbox.products (store_id, id, title, handle, status, created_at, updated_at)
        select ${storeId}, i::bigint, 'Mug', 'mug-' || i, 'ACTIVE', now(), now() from unnest(${ids}::text[]) i
        on conflict do nothing`)
      await q.run(sql`
        update sandbox.collections set product_ids = ${ids}::bigint[] where store_id = ${storeId} and handle = 'sale'`)
    })
  const ids = Array.from({ length: 600 }, (_, i) => String(7_000_000_000_000 + i))
  await write(ids)
  await rule('points_for_purchases', { collection_ids: [collection('sale')] }, POINTS)
  assert.equal(await known('sale'), 600)
  await write(ids.slice(0, 300))
  await store.advance({ by: 'PT23H' })
  assert.equal(await known('sale'), 600)
  await store.advance({ by: 'PT2H' })
  assert.equal(await known('sale'), 300)
})

test('a product that is changed has collections read again within an hour', async () => {
  const { store, storeId, rule, collection, known } = await aShop()
  await rule('points_for_purchases', { collection_ids: [collection('ceramics')] }, POINTS)
  assert.equal(await known('ceramics'), 2)
  await store.advance({ by: 'PT2H' })
  await service.sandboxDb.inInstallation((q) =>
    q.run(sql`update sandbox.collections set product_ids = '{}' where store_id = ${storeId} and handle = 'ceramics'`)
  )
  const make = async (title: string) => {
    await store.shop(
      'mutation ($title: String!) { productCreate(product: { title: $title }) { product { id } userErrors { message } } }',
      { title }
    )
    await store.settle()
  }
  await make('Print')
  assert.equal(await known('ceramics'), 0)
  await service.sandboxDb.inInstallation((q) =>
    q.run(sql`
      update sandbox.collections c set product_ids = o.product_ids from sandbox.collections o
       where c.store_id = ${storeId} and c.handle = 'ceramics' and o.store_id = ${storeId} and o.handle = 'coffee'`)
  )
  await make('Card')
  assert.equal(await known('ceramics'), 0)
  await store.advance({ by: 'PT1H' })
  assert.equal(await known('ceramics'), 4)
})
