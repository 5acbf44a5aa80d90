// The order commands, each as a process against the running service, with the sandbox as the platform.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { run, json } = commandLine(service)

async function graphql(
  { platform_url, platform_token }: { platform_url: string; platform_token: string },
  query: string,
  variables: object = {}
) {
  const response = await fetch(`${platform_url}/admin/api/2026-07/graphql.json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-platform-access-token': platform_token },
    body: JSON.stringify({ query, variables })
  })
  return ((await response.json()) as any).data
}

/** A store with a customer and her orders: a signup, a plain purchase that is partly refunded, and one that is disputed. */
async function aShop() {
  const store = await service.aStore({ name: 'Books' })
  const of = ['--store', store.domain]
  const { customer } = await store.member('ada@example.com')
  const place = () => json('sandbox', 'order', ...of, '--customer', customer.id, '--total', '40.00')
  const refunded = await place()
  await json('sandbox', 'refund', ...of, '--order', refunded.id, '--amount', '5.50')
  const disputed = await place()
  await json('sandbox', 'dispute', ...of, '--order', disputed.id, '--type', 'chargeback', '--status', 'lost')
  await service.deps.settle(store.storeId)
  return { ...store, of, customer, refunded, disputed }
}

test('orders of the shop are listed and shown, with what happened to them', async () => {
  const { of, customer, refunded, disputed } = await aShop()
  const all = await json('orders', 'list', ...of)
  assert.deepEqual([all.data.length, all.data[0].id, all.data[1].id, all.next], [3, disputed.id, refunded.id, null])
  const first = await json('orders', 'list', ...of, '--limit', '2', '--customer', customer.id)
  assert.equal(first.next, refunded.id)
  const rest = await json('orders', 'list', ...of, '--limit', '2', '--before', first.next)
  assert.deepEqual([rest.data.length, rest.next], [1, null])
  assert.deepEqual((await json('orders', 'list', ...of, '--customer', 'cust_999')).data, [])

  const one = await json('orders', 'show', refunded.id, ...of)
  assert.deepEqual(
    [one.total, one.refunded, one.financial_status, one.is_complete, one.refunds.length, one.lines.length],
    [40, 5.5, 'partially_refunded', true, 1, 1]
  )
  assert.equal(one.refunded_at, one.refunds[0].refunded_at)
  assert.deepEqual(
    one.transactions.map(({ kind, status, amount }: Record<string, unknown>) => [kind, status, amount]),
    [
      ['sale', 'success', 40],
      ['refund', 'success', 5.5]
    ]
  )
  const { disputes, dispute_status } = await json('orders', 'show', disputed.id, ...of)
  assert.deepEqual([dispute_status, disputes[0].status, disputes[0].finalized_at !== null], ['lost', 'lost', true])
  // The signup's line has what only the platform says.
  const signup = await json('orders', 'show', rest.data[0].id, ...of)
  assert.ok(signup.lines[0].selling_plan_id && signup.lines[0].contract_id)

  const shown = await run(['orders', 'list', ...of, '--limit', '2'])
  assert.match(shown.out, /^ID +NAME +CUSTOMER NAME/)
  assert.match(shown.out, new RegExp(`For the next page add --before ${refunded.id}\n$`))
  const missing = await run(['orders', 'show', '12345', ...of])
  assert.match(missing.err, /There is no order 12345/)
  const wrong = await run(['orders', 'list', ...of, '--before', 'abc'])
  assert.match(wrong.err, /--before .*number/)
})

test('a dispute that is lost and then won in one second leaves no tag, here and on the platform', async () => {
  const { storeId, of, customer } = await aShop()
  const { tags } = await service.deps.connectorOf(storeId)
  const order = await json('sandbox', 'order', ...of, '--customer', customer.id, '--total', '40.00')
  const shown = async () => (await json('orders', 'show', order.id, ...of)).tags
  const before = await shown()
  await json('clock', 'advance', ...of, '--by', 'PT1M')
  for (const [status, added] of [
    ['lost', ['Chargeback-Bank-Refund']],
    ['won', []]
  ] as const) {
    await json('sandbox', 'dispute', ...of, '--order', order.id, '--status', status)
    const found = await tags.findMany('order', [order.id])
    assert.ok(found.ok)
    assert.deepEqual(await shown(), [...added, ...before])
    assert.deepEqual(found.value.get(order.id), [...added, ...before])
  }
})

test('an order shows the shipping that was charged, and what was taken off it: its parts come to its total', async () => {
  const { of, customer, ...store } = await aShop()
  const place = async () => {
    const flags = ['--item', 'MUG-BLUE:2', '--shipping', '5.00', '--tax-percent', '10']
    const order = await json('sandbox', 'order', ...of, '--customer', customer.id, ...flags)
    const shown = await json('orders', 'show', order.id, ...of)
    assert.equal(
      Math.round((shown.subtotal + shown.shipping + shown.tax) * 100),
      Math.round(shown.total * 100),
      JSON.stringify(shown)
    )
    return [shown.shipping, shown.shipping_discount, shown.discount]
  }
  assert.deepEqual(await place(), [5, 0, 0])
  const value = JSON.stringify({ status: 1, type: 1, tier_name: 'VIP', fs: 1 })
  const ownerId = (await graphql(store, '{ shop { id } }')).shop.id
  const set = 'mutation($m: [MetafieldsSetInput!]!) { metafieldsSet(metafields: $m) { userErrors { message } } }'
  const m = [{ ownerId, namespace: 'svc', key: 'svc_plan_settings', type: 'json', value }]
  assert.deepEqual((await graphql(store, set, { m })).metafieldsSet.userErrors, [])
  assert.deepEqual(await place(), [0, 5, 5])
})

test('an order of two plans begins a contract of each; a wrong quantity is named', async () => {
  const store = await service.aStore()
  const of = ['--store', store.domain]
  const plan = ['--name', 'Roast', '--type', 'product', '--price', '12.00', '--interval', 'month']
  const { products } = await graphql(store, `{ products(first: 1, query: "title:'Filter roast'") { nodes { id } } }`)
  const product = products.nodes[0].id.split('/').at(-1)
  await json('plan', 'create', ...of, ...plan, '--products', product)
  const { id: customer } = await store.customer('ada@example.com')
  const order = await json('sandbox', 'order', ...of, '--customer', customer, '--plan', 'VIP', '--plan', 'Roast')
  const shown = await json('orders', 'show', order.id, ...of)
  assert.deepEqual(
    [shown.lines.length, new Set(shown.subscriptions.map(({ id }: { id: string }) => id)).size, shown.tags],
    [2, 2, ['charge-1', 'New-SubsProd', 'new-VIP']]
  )
  for (const wrong of ['MUG-BLUE:0', 'MUG-BLUE:1001', 'MUG-BLUE:x', 'MUG-BLUE:']) {
    const { err } = await run(['sandbox', 'order', ...of, '--customer', customer, '--item', wrong])
    assert.match(err, /--item cannot be 'MUG-BLUE:.*'\. The quantity must be a whole number from 1 to 1000/, wrong)
  }
})

test('an import reads the orders that are missing here, and says how many there were', async () => {
  const { storeId, of, refunded, disputed } = await aShop()
  await service.db.inStore(storeId, async ({ tx }) => {
    for (const table of [
      'order_links',
      'order_effects',
      'platform_refunds',
      'order_transactions',
      'followed_disputes',
      'order_disputes',
      'order_refunds'
    ]) {
      await tx.run({ name: `empty_${table}`, text: `delete from ${table} where store_id = $1`, values: [storeId] })
    }
    await tx.run(
      sql`delete from orders where store_id = ${storeId} and platform_order_id = any(${[refunded.id, disputed.id]}::text[])`
    )
  })
  const none = await run(['orders', 'import', ...of, '--since', 'yesterday'])
  assert.match(none.err, /--since/)
  const done = await json('orders', 'import', ...of, '--since', '2020-01-01')
  // Two orders, and the dispute.
  assert.deepEqual([done.status, done.seen, done.changed], ['done', 4, 3])
  assert.equal((await json('orders', 'show', disputed.id, ...of)).dispute_status, 'lost')
  const again = await json('orders', 'show', refunded.id, ...of)
  assert.deepEqual([again.refunded, again.refunds.length, again.transactions.length], [5.5, 1, 2])
  assert.notEqual(again.channel, null)
  const repeated = await json('orders', 'import', ...of, '--since', '2020-01-01')
  assert.deepEqual([repeated.status, repeated.changed], ['done', 0])
})
