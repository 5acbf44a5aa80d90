// The segments of customers that native discounts are for, beside segments of the shop's own. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import type { PlatformFailure, PlatformResult } from '#platform'
import { createDiscountEngine } from '../src/mirror/discounts/discount-engine.ts'
import { adminOf } from './admin-calls.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { call } = adminOf(service)

const NAME = 'Active VIP members'
const OTHER_NAME = 'Active VIP members by Perennial'
const QUERY = "customer_tags CONTAINS 'SVC: VIP: Active'"
const OWN_QUERY = "customer_tags CONTAINS 'vip-by-hand'"
const LOST: PlatformFailure = { kind: 'unavailable', message: 'The answer was lost', outcomeUnknown: true }
const TENTH = { discount: { value: 10, type: 'percentage', price_base: 'sale' } }

/** A shop whose VIP plan has a tenth off, with these segments of its own. */
async function aShop(own: { name: string; query: string }[]) {
  const store = await service.aStore()
  const { storeId } = store
  const connector = await service.deps.connectorOf(storeId)
  const { segments } = connector
  const made = async (segment: { name: string; query: string }) => {
    const created = await segments.create(segment)
    assert.ok(created.ok, JSON.stringify(created))
    return created.value
  }
  const ownIds: string[] = []
  for (const one of own) ownIds.push(await made(one))
  const vip = (await service.admin('GET', `${store.at}/plans`)).data[0].id as string
  assert.equal((await call(store, 'PATCH', `/plans/${vip}`, { perks: TENTH })).status, 200)
  const settle = () => service.deps.settle(storeId)
  const begin = async () => {
    assert.equal((await call(store, 'PATCH', '/settings', { discounts: { enforced_by: 'native' } })).status, 200)
  }
  const due = () =>
    db.inStore(storeId, (ctx) =>
      ctx.tx.run(sql`update discount_stores set next_at = statement_timestamp() where store_id = ${ctx.storeId}`)
    )
  /** The segments of these names, in the order in which they were made. */
  const named = async (...names: string[]) => {
    const found = []
    for (const name of names) {
      const some = await segments.findByName(name)
      assert.ok(some.ok)
      found.push(...some.value)
    }
    return found.toSorted((a, b) => Number(a.id) - Number(b.id))
  }
  const discount = async () => (await call(store, 'GET', '/platform/discounts')).body.discounts[0]
  const segmentOfDiscount = async () => {
    const { platform_id } = await discount()
    const many = await connector.automaticDiscounts.findMany([platform_id], 'USD')
    assert.ok(many.ok)
    return many.value.get(platform_id)!.has.segmentIds
  }
  const off = async (customerId: string) => {
    const lines = [{ variant: 'MUG-BLUE', quantity: 2 }]
    const { totals } = await service.sandbox.controls.previewOrder({ storeId, customerId, lines } as never)
    return totals.discounts.map(({ amountMinor }) => amountMinor)
  }
  return {
    store,
    storeId,
    connector,
    segments,
    ownIds,
    made,
    settle,
    begin,
    due,
    named,
    discount,
    segmentOfDiscount,
    off
  }
}

test("a shop's own segment of the same name is left alone, and ours has another name", async () => {
  const shop = await aShop([{ name: NAME, query: OWN_QUERY }])
  await shop.begin()
  await shop.settle()
  const found = await shop.named(NAME, OTHER_NAME)
  assert.deepEqual(
    found.map(({ name, query }) => [name, query]),
    [
      [NAME, OWN_QUERY],
      [OTHER_NAME, QUERY]
    ]
  )
  assert.equal(found[0]!.id, shop.ownIds[0])
  assert.deepEqual(await shop.segmentOfDiscount(), [found[1]!.id])
  const { customer } = await shop.store.member('ada@example.com', 'VIP')
  await shop.settle()
  assert.deepEqual(await shop.off(customer.id), [360])
  // Compared again, ours keeps its name, and what somebody has changed of its query is corrected.
  const [, ours] = found
  assert.ok((await shop.segments.update({ ...ours!, query: OWN_QUERY })).ok)
  await shop.due()
  await shop.settle()
  assert.deepEqual(await shop.named(NAME, OTHER_NAME), found)
})

test('the name is taken also where the shop writes it in other letters', async () => {
  const shop = await aShop([{ name: NAME.toUpperCase(), query: QUERY }])
  await shop.begin()
  await shop.settle()
  const found = await shop.named(NAME, OTHER_NAME)
  assert.deepEqual(
    found.map(({ name }) => name),
    [NAME.toUpperCase(), OTHER_NAME]
  )
  assert.deepEqual(await shop.segmentOfDiscount(), [found[1]!.id])
})

for (const [what, own] of [
  ['', []],
  [', beside one of the shop itself', [{ name: NAME, query: OWN_QUERY }]]
] as const) {
  test(`a segment whose creation was not answered is found again${what}, also when its query is another now`, async () => {
    const shop = await aShop([...own])
    await shop.begin()
    const create = async (segment: { name: string; query: string }): Promise<PlatformResult<string>> => {
      await shop.made(segment)
      return { ok: false, failure: LOST }
    }
    await shop.due()
    const engine = createDiscountEngine({
      db,
      leaseOwner: 1,
      connectorOf: async () => withCalls(shop.connector, { segments: { create } })
    })
    await engine.runOnce(shop.storeId)
    const before = await shop.named(NAME, OTHER_NAME)
    assert.equal(before.length, own.length + 1, 'it was made')
    const elite = { name: 'Elite', type: 'elite', price: '49.00', interval: 'month' }
    assert.equal((await call(shop.store, 'POST', '/plans', elite)).status, 201)
    await shop.due()
    await shop.settle()
    const after = await shop.named(NAME, OTHER_NAME)
    assert.deepEqual(
      after.map(({ id, name }) => [id, name]),
      before.map(({ id, name }) => [id, name])
    )
    const ours = after.at(-1)!
    assert.equal(ours.query, `${QUERY} AND customer_tags NOT CONTAINS 'SVC: Elite: Active'`)
    assert.deepEqual(await shop.segmentOfDiscount(), [ours.id])
  })
}

test('a shop that has segments of its own by both names keeps them, and the discount says why it is not there', async () => {
  const own = [NAME, OTHER_NAME].map((name) => ({ name, query: OWN_QUERY }))
  const shop = await aShop(own)
  await shop.begin()
  await shop.settle()
  assert.deepEqual(
    (await shop.named(NAME, OTHER_NAME)).map(({ name, query }) => ({ name, query })),
    own
  )
  const { problem, platform_id } = await shop.discount()
  assert.deepEqual(
    [problem, platform_id],
    [`The shop has segments of its own named ${NAME} and ${OTHER_NAME}: rename one of them`, null]
  )
  assert.ok((await shop.segments.update({ id: shop.ownIds[0]!, name: 'By hand', query: OWN_QUERY })).ok)
  await shop.due()
  await shop.settle()
  assert.deepEqual(await shop.segmentOfDiscount(), [(await shop.named(NAME))[0]!.id])
})
