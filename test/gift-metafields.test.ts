// The metafields of a gift, of both people, when one of them is merged or erased, and when there are very many. With the sandbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { sql } from '#kit/postgres'
import { keysOf } from '../src/mirror/metafields/all-metafields.ts'
import { adminOf } from './admin-calls.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { call } = adminOf(service)

const gid = (id: string) => `gid://platform/Customer/${id}`

/** Ada has given her membership to Bo. */
async function aGift() {
  const store = await service.aStore()
  const { customer: ada } = await store.member('ada@example.com')
  const bo = await store.customer('bo@example.com')
  const settle = () => service.deps.settle(store.storeId)
  await settle()
  const { body } = await service.get(`/subscriptions?customer_id=${ada.id}`, store.key)
  const id = body.data[0].id as string
  assert.equal((await call(store, 'POST', `/subscriptions/${id}/gift`, { receiver: 'bo@example.com' })).status, 200)
  await settle()
  const { metafields } = await service.deps.connectorOf(store.storeId)
  const of = async (customer: string) => {
    const found = await metafields.findMany('customer', [customer], keysOf('customer'))
    assert.ok(found.ok)
    return new Map([...(found.value.get(customer) ?? [])].map(([key, { value }]) => [key, value]))
  }
  const json = async (customer: string, key: string) => {
    const value = (await of(customer)).get(key)
    return value === undefined ? null : JSON.parse(value)
  }
  return {
    store,
    id,
    ada,
    bo,
    settle,
    of,
    gifts: (customer: string) => json(customer, 'customer_subscription1_gifts'),
    parent: (customer: string) => json(customer, 'customer_subscription1_parent'),
    merge: async (customer: string, into: string) => {
      await service.admin('POST', `${store.at}/sandbox/merges`, { customer, into })
      await settle()
    },
    erase: async (customerId: string) => {
      await service.sandbox.controls.sendCompliance({ storeId: store.storeId, topic: 'customers/redact', customerId })
      await settle()
      await store.advance({ by: 'PT1H' })
      await settle()
    }
  }
}

test('the receiver is merged into another: the gifts of the giver name that one, who has the slot and the parent', async () => {
  const { store, ada, bo, settle, gifts, parent, of, merge } = await aGift()
  const cy = await store.customer('cy@example.com')
  await settle()
  await merge(bo.id, cy.id)
  assert.deepEqual(
    (await gifts(ada.id)).map((one: any) => one.customer),
    [{ id: gid(cy.id), email: 'cy@example.com', name: '' }]
  )
  assert.equal((await parent(cy.id)).customer.id, gid(ada.id))
  assert.ok((await of(cy.id)).has('customer_subscription1'))
})

test('the giver is merged into another: the parent of the receiver names that one, who has the gifts', async () => {
  const { store, ada, bo, settle, gifts, parent, merge } = await aGift()
  const cy = await store.customer('cy@example.com')
  await settle()
  await merge(ada.id, cy.id)
  assert.deepEqual((await parent(bo.id)).customer, { id: gid(cy.id), email: 'cy@example.com', name: '' })
  assert.deepEqual(
    (await gifts(cy.id)).map((one: any) => one.customer.id),
    [gid(bo.id)]
  )
})

test('giver and receiver are merged: neither metafield is left', async () => {
  const { ada, bo, gifts, parent, merge } = await aGift()
  await merge(bo.id, ada.id)
  assert.deepEqual([await gifts(ada.id), await parent(ada.id)], [null, null])
})

test('the receiver is erased: the gifts of the giver are deleted', async () => {
  const { ada, bo, gifts, of, erase } = await aGift()
  await erase(bo.id)
  assert.equal(await gifts(ada.id), null)
  assert.ok((await of(ada.id)).has('customer_subscription1'), 'the membership is hers again')
})

test('the giver is erased: nothing of them is left with the receiver', async () => {
  const { ada, bo, parent, of, erase } = await aGift()
  await erase(ada.id)
  assert.equal(await parent(bo.id), null)
  const left = JSON.stringify([...(await of(bo.id))])
  assert.doesNotMatch(left, /ada@example\.com/)
  assert.ok(!left.includes(gid(ada.id)))
})

test('gifts are never cut: 300 are written, and more than the platform takes leave what is there and are a problem', async () => {
  const { store, ada, settle, gifts } = await aGift()
  const { storeId } = store
  const inStore = <T>(work: Parameters<typeof service.db.inStore<T>>[1]) => service.db.inStore(storeId, work)
  /** So many more gifts, as they would come of as many agreements. */
  const give = async (from: number, to: number) => {
    await inStore(({ tx, now }) =>
      tx.run(sql`
      insert into members (store_id, platform_customer_id, email, created_at, updated_at)
      select ${storeId}, (${storeId}::bigint * 100000 + n)::text, 'receiver-' || n || '@example.com', ${now}, ${now}
        from generate_series(${from}::int, ${to}::int) n`)
    )
    const direct = new pg.Client(url)
    await direct.connect()
    // Generated columns are left out, whichever there are.
    const { rows } = await direct.query(
      "select string_agg(quote_ident(attname), ', ') as names from pg_attribute where attrelid = 'subscriptions'::regclass and attnum > 0 and not attisdropped and attgenerated = ''"
    )
    const { names } = rows[0]
    await direct.query(
      `insert into subscriptions (${names}) overriding system value
       select ${names}
         from (select * from subscriptions where store_id = $1::bigint order by id limit 1) t
         cross join generate_series($2::int, $3::int) n
         cross join lateral jsonb_populate_record(null::subscriptions, to_jsonb(t) || jsonb_build_object(
           'id', $1::bigint * 1000000 + n, 'platform_contract_id', ($1::bigint * 1000000 + n)::text,
           'receiver_member_id', (select m.id from members m
                                   where m.store_id = $1 and m.platform_customer_id = ($1::bigint * 100000 + n)::text))) s`.replace(
        `select ${names}`,
        `select ${names.replaceAll(/(^|, )/g, '$1s.')}`
      ),
      [storeId, from, to]
    )
    await direct.end()
    const done = await call(store, 'POST', '/metafields/sync', { customer: ada.id })
    assert.ok(done.status < 300, JSON.stringify(done.body))
    await settle()
  }
  await give(1, 299)
  assert.equal((await gifts(ada.id)).length, 300)
  await give(300, 1200)
  assert.equal((await gifts(ada.id)).length, 300, 'what is there stays')
  const { warnings } = await service.admin('POST', '/doctor', { store: store.domain })
  assert.match(
    JSON.stringify(warnings),
    /metafields_written.*customer_subscription1_gifts needs \d+ bytes and the platform takes 131072/
  )
})
