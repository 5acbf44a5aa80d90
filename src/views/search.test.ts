import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { searchStore } from './search.ts'

const { db } = await testDatabase()

const aStoreWithPeople = async () => {
  const store = await aStore(db)
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`
      with people as (
        insert into members (store_id, platform_customer_id, email, first_name, last_name, created_at, updated_at)
        values (${storeId}, '9001', 'hanna.ito@example.com', 'Hanna', 'Ito', ${now}, ${now}),
               (${storeId}, '9002', 'HANS@example.com', 'Éva', 'Hannover', ${now}, ${now}),
               (${storeId}, '9003', null, null, 'Zuse', ${now}, ${now})
        returning id, platform_customer_id)
      insert into orders (store_id, platform_order_id, member_id, name, number, email, currency, total_minor, tax_minor, discount_minor,
                          financial_status, tags, discount_codes, processed_at, platform_updated_at, created_at, updated_at)
      select ${storeId}, '77001', id, '#1001-B', '1001', 'hanna.ito@example.com', 'USD', 10, 0, 0, 'PAID', '{}', '{}',
             ${now}, ${now}, ${now}, ${now}
        from people where platform_customer_id = '9001'`)
  )
  const found = async (text: string) =>
    (await searchStore(db.direct, store.storeId, { text, limit: 10 })).map(({ kind, name }) => `${kind} ${name}`)
  return { store, found }
}

test('customers are found by the beginning of an address or a name, and by their numbers', async () => {
  const { store, found } = await aStoreWithPeople()
  assert.deepEqual(await found('HAN'), ['customer Hanna Ito', 'customer Éva Hannover'])
  assert.deepEqual(await found('  hanna   i'), ['customer Hanna Ito'])
  assert.deepEqual(await found('hannov'), ['customer Éva Hannover'])
  assert.deepEqual(await found('éva'), ['customer Éva Hannover'])
  assert.deepEqual(await found('9003'), ['customer Zuse'])
  const [zuse] = await searchStore(db.direct, store.storeId, { text: 'zuse', limit: 10 })
  assert.deepEqual(await found(`cust_${zuse!.id}`), ['customer Zuse'])
  for (const nobody of ['anna', '%', '_', 'han%', '', "'", 'cust_0', 'sub_x', '99999999999999999999']) {
    if (nobody !== '') assert.deepEqual(await found(nobody), [], nobody)
  }
})

test('orders are found by their name, with and without its sign, and by their numbers', async () => {
  const { found } = await aStoreWithPeople()
  for (const text of ['#1001-b', '1001', '77001', '#1001']) {
    assert.deepEqual(await found(text), ['order #1001-B'], text)
  }
  assert.deepEqual(await found('1001-B'), [])
})

test('no search leaves its store or reads more than it shows', async () => {
  const { found } = await aStoreWithPeople()
  const { store } = await aStoreWithPeople()
  assert.deepEqual(await found('hann'), ['customer Hanna Ito', 'customer Éva Hannover'])
  const one = await searchStore(db.direct, store.storeId, { text: 'han', limit: 1 })
  assert.equal(one.length, 1)
})
