// What a customer agreed to at the checkout is kept in the history of the subscription.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { refreshOrders } from '../src/order-effects/refresh-orders.ts'
import { adminOf } from './admin-calls.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { call, activity } = adminOf(service)

/** The notes of a subscription whose checkout had these attributes. */
async function afterCheckout(value: string | null, { isOn = 1 } = {}) {
  const store = await service.aStore()
  await call(store, 'PATCH', '/storefront-settings/svc_agreement', { value: { agreement_enabled: isOn } })
  const { id } = await store.customer('ada@example.com')
  await service.deps.settle(store.storeId)
  await service.admin('POST', `${store.at}/sandbox/orders`, {
    customer: id,
    plans: ['VIP'],
    attributes: [{ name: 'other', value: 'x' }, ...(value === null ? [] : [{ name: 'svc_agreement', value }])]
  })
  await service.deps.settle(store.storeId)
  const subscription = (await service.get('/subscriptions', store.key)).body.data[0].id as string
  const notes = async () => (await activity(store, subscription)).filter(({ kind }) => kind === 'note')
  return { ...store, notes }
}

test('the acceptance of a checkout is kept once, with the order and its time, also when the order is changed later and the membership renews', async () => {
  const { storeId, notes, advance } = await afterCheckout('  Terms of 2026-01, accepted  ')
  const [entry, ...others] = await notes()
  assert.deepEqual(others, [])
  assert.deepEqual([entry.actor, entry.notes], ['customer', 'Terms of 2026-01, accepted'])
  const said = /^Agreed to the terms at the checkout of (ord_[0-9]+) at 2026-01-31T15:00:00\.000Z$/.exec(entry.text)
  assert.ok(said, entry.text)
  const orderId = said[1]!
  await service.db.inStore(storeId, async (ctx) => {
    await ctx.tx.run(sql`
      update orders set attributes = '[{"name":"svc_agreement","value":"never"}]' where store_id = ${ctx.storeId}`)
    await refreshOrders(ctx, [Number(orderId.slice('ord_'.length))], { isAsked: true })
  })
  await advance({ by: 'P32D' })
  assert.deepEqual(
    (await notes()).map(({ notes: said }: { notes: string }) => said),
    ['Terms of 2026-01, accepted']
  )
})

for (const [what, value, isOn] of [
  ['a checkout without it', null, 1],
  ['one that says false', 'FALSE', 1],
  ['a blank one', ' ', 1],
  ['one while the storefront does not ask', 'yes', 0]
] as const) {
  test(`${what} leaves nothing`, async () => {
    const { notes } = await afterCheckout(value, { isOn })
    assert.deepEqual(await notes(), [])
  })
}
