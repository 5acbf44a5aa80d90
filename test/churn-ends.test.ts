// How accepted offers end: a day after their contract, by hand, and when somebody takes the discount off on the platform.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { revokeOffer } from '#churn'
import { type Ctx, row, sql } from '#kit/postgres'
import { aChurnShop, EVERY_TWO_MONTHS, QUARTER_OFF, TEN_CREDIT } from './churn-shop.ts'
import { testDatabase } from './database.ts'
import type { RecordedEvent } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

async function accepted(given: Parameters<Awaited<ReturnType<typeof aChurnShop>>['offer']>[0]) {
  const shop = await aChurnShop(service)
  const ada = await shop.person()
  const vip = await shop.join(ada, 'VIP')
  const offer = await shop.offer(given)
  assert.equal((await shop.accept(vip.contractId, offer, { as: ada })).status, 200)
  await shop.settle()
  const status = async () => (await shop.offersOf(vip.contractId, shop.key))[0].status
  const cancel = async () => {
    assert.equal((await shop.ask('POST', `/churn/${vip.contractId}/cancellation`, { as: ada, body: {} })).status, 200)
    await shop.settle()
  }
  /** How often the platform bills the contract. */
  const frequency = async () => {
    const found = await shop.connector.contracts.find(vip.contractId)
    assert.ok(found.ok && found.value)
    const { interval, intervalCount } = found.value
    return { interval, intervalCount }
  }
  return { ...shop, ada, vip, offer: offer, status, cancel, frequency }
}

const inHours = (at: Temporal.Instant, hours: number, seconds = 0) => at.add({ hours, seconds }).toString()

test('after a cancellation an offer stays active for 24 hours, to the second, and then goes', async () => {
  const shop = await accepted({ ...QUARTER_OFF, rules: { discount_type: 'percentage', discount_value: 25 } })
  await shop.cancel()
  const { cancelled_at } = await shop.show(shop.vip.id)
  const cancelledAt = Temporal.Instant.from(cancelled_at)
  await shop.advance({ to: inHours(cancelledAt, 23, 3599) })
  assert.equal(await shop.status(), 'Active')
  const recorded = await shop.recorded(() => shop.advance({ to: inHours(cancelledAt, 24) }))
  assert.equal(await shop.status(), 'Cancelled')
  const ended = recorded.filter(({ data }: RecordedEvent) => data.changes?.offer)
  assert.deepEqual(
    ended.map(({ type, data }: RecordedEvent) => [type, data.changes.offer.from.status, data.changes.offer.to]),
    [['subscription.updated', 'Active', null]]
  )
  await shop.soundRules()
})

test('a cancellation that is taken back within the day keeps the offer, its discount and its renewals', async () => {
  const shop = await accepted(QUARTER_OFF)
  await shop.cancel()
  const cancelledAt = Temporal.Instant.from((await shop.show(shop.vip.id)).cancelled_at)
  await shop.advance({ to: inHours(cancelledAt, 23) })
  const back = await shop.ask('POST', `/contracts/${shop.vip.contractId}/reactivation`, { as: shop.ada, body: {} })
  assert.deepEqual([back.status, back.body.status, back.body.offer.status], [200, 'ACTIVE', 'Active'])
  await shop.advance({ to: inHours(cancelledAt, 30) })
  assert.equal(await shop.status(), 'Active')
  assert.deepEqual(await shop.charged(shop.vip.id, '2026-03-01T00:00:00Z'), [21.75, 21.75])
  await shop.soundRules()
})

test('one that is taken back later has lost it', async () => {
  const shop = await accepted({ ...QUARTER_OFF })
  await service.admin('PATCH', `${shop.at}/settings`, { reactivation_grace_hours: 72 })
  await shop.cancel()
  const cancelledAt = Temporal.Instant.from((await shop.show(shop.vip.id)).cancelled_at)
  await shop.advance({ to: inHours(cancelledAt, 25) })
  assert.deepEqual(await shop.onContract(shop.vip.contractId), [])
  const back = await shop.ask('POST', `/contracts/${shop.vip.contractId}/reactivation`, { as: shop.ada, body: {} })
  assert.deepEqual([back.status, back.body.offer], [200, null])
  assert.deepEqual(await shop.charged(shop.vip.id, '2026-03-01T00:00:00Z'), [29, 29])
  await shop.soundRules()
})

const revoke = (shop: Awaited<ReturnType<typeof accepted>>, id: number) =>
  service.db.inStore(shop.storeId, (ctx: Ctx) => revokeOffer(ctx, id, 'operator'))
const idsOf = async (shop: Awaited<ReturnType<typeof accepted>>) =>
  service.db.inStore(shop.storeId, ({ tx }) =>
    tx.many(
      row({ id: (v) => v as number, endedBy: (v) => v as string | null }),
      sql`select id, ended_by from contract_offers where store_id = ${shop.storeId} order by id`
    )
  )

test('revoking takes the discount off, once', async () => {
  const shop = await accepted(QUARTER_OFF)
  const { id } = (await idsOf(shop))[0]!
  await revoke(shop, id)
  await shop.settle()
  assert.deepEqual(await shop.onContract(shop.vip.contractId), [])
  assert.equal(await shop.status(), 'Cancelled')
  await assert.rejects(revoke(shop, id), /is over: it ended as revoked/)
  assert.deepEqual(await shop.charged(shop.vip.id, '2026-03-01T00:00:00Z'), [29, 29])
  await shop.soundRules()
})

test('revoking another frequency restores the former one from the next cycle on', async () => {
  const shop = await accepted(EVERY_TWO_MONTHS)
  const { id } = (await idsOf(shop))[0]!
  await revoke(shop, id)
  await shop.settle()
  const shown = await shop.show(shop.vip.id)
  assert.deepEqual([shown.interval, shown.interval_count, shown.offer], ['month', 1, null])
  assert.deepEqual(await shop.charged(shop.vip.id, '2026-03-01T00:00:00Z'), [29, 29])
  assert.deepEqual(await shop.charged(shop.vip.id, '2026-04-01T00:00:00Z'), [29, 29])
  await shop.soundRules()
})

for (const [name, isApplied] of [
  ['holds on the platform already', true],
  ['still waits for the platform', false]
] as const) {
  test(`revoking another frequency leaves one that somebody has agreed since: it ${name}`, async () => {
    const shop = await accepted(EVERY_TWO_MONTHS)
    const asked = await service.patch(`/subscriptions/${shop.vip.id}`, shop.key, { interval_count: 3 })
    assert.equal(asked.status, 200)
    if (isApplied) await shop.settle()
    assert.equal((await shop.show(shop.vip.id)).interval_count, isApplied ? 3 : 2)
    await revoke(shop, (await idsOf(shop))[0]!.id)
    await shop.settle()
    const shown = await shop.show(shop.vip.id)
    assert.deepEqual([shown.interval, shown.interval_count, shown.offer], ['month', 3, null])
    assert.deepEqual(await shop.frequency(), { interval: 'month', intervalCount: 3 })
    await shop.soundRules()
  })
}

test('revoking another frequency leaves a plan that was requested since, which brings its own', async () => {
  const shop = await accepted(EVERY_TWO_MONTHS)
  await shop.plan({ name: 'Elite', type: 'elite', price: '49.00', interval: 'month', interval_count: 2 })
  const { data: plans } = await service.admin('GET', `${shop.at}/plans`)
  const { id } = plans.find(({ name }: { name: string }) => name === 'Elite')
  const asked = await service.patch(`/subscriptions/${shop.vip.id}`, shop.key, { plan_id: id })
  assert.equal(asked.status, 200, JSON.stringify(asked.body))
  await revoke(shop, (await idsOf(shop))[0]!.id)
  await shop.settle()
  const shown = await shop.show(shop.vip.id)
  assert.deepEqual([shown.plan_id, shown.interval_count], [id, 2])
  await shop.soundRules()
})

for (const [name, end] of [
  ['lost', async () => {}],
  [
    'revoked',
    async (shop: Awaited<ReturnType<typeof accepted>>) => void (await revoke(shop, (await idsOf(shop))[0]!.id))
  ]
] as const) {
  test(`a contract that lives again after its offer of another frequency was ${name} has the former one`, async () => {
    const shop = await accepted(EVERY_TWO_MONTHS)
    await service.admin('PATCH', `${shop.at}/settings`, { reactivation_grace_hours: 72 })
    await shop.cancel()
    await end(shop)
    const cancelledAt = Temporal.Instant.from((await shop.show(shop.vip.id)).cancelled_at)
    await shop.advance({ to: inHours(cancelledAt, 30) })
    assert.deepEqual(await shop.frequency(), { interval: 'month', intervalCount: 2 }, 'until then nothing is edited')
    const back = await shop.ask('POST', `/contracts/${shop.vip.contractId}/reactivation`, { as: shop.ada, body: {} })
    assert.deepEqual([back.status, back.body.offer], [200, null])
    await shop.settle()
    assert.deepEqual(await shop.frequency(), { interval: 'month', intervalCount: 1 })
    assert.deepEqual(await shop.charged(shop.vip.id, '2026-03-01T00:00:00Z'), [29, 29])
    assert.deepEqual(await shop.charged(shop.vip.id, '2026-04-01T00:00:00Z'), [29, 29])
    assert.deepEqual(
      (await idsOf(shop)).map(({ endedBy }) => endedBy),
      [name]
    )
    await shop.soundRules()
  })
}

test('a frequency that was requested before the cancellation is not set back when the offer is lost', async () => {
  const shop = await accepted(EVERY_TWO_MONTHS)
  await service.admin('PATCH', `${shop.at}/settings`, { reactivation_grace_hours: 72 })
  assert.equal((await service.patch(`/subscriptions/${shop.vip.id}`, shop.key, { interval_count: 3 })).status, 200)
  await shop.cancel()
  const cancelledAt = Temporal.Instant.from((await shop.show(shop.vip.id)).cancelled_at)
  await shop.advance({ to: inHours(cancelledAt, 30) })
  await shop.ask('POST', `/contracts/${shop.vip.contractId}/reactivation`, { as: shop.ada, body: {} })
  await shop.settle()
  assert.deepEqual(await shop.frequency(), { interval: 'month', intervalCount: 3 })
  await shop.soundRules()
})

test('a contract that nobody takes back has no request left of the frequency that it lost', async () => {
  const shop = await accepted(EVERY_TWO_MONTHS)
  await service.admin('PATCH', `${shop.at}/settings`, { reactivation_grace_hours: 72 })
  await shop.cancel()
  const waiting = () =>
    service.db.inStore(shop.storeId, ({ tx }) =>
      tx.many(
        row({ n: Number }),
        sql`select interval_count as n from subscription_changes where store_id = ${shop.storeId}`
      )
    )
  const cancelledAt = Temporal.Instant.from((await shop.show(shop.vip.id)).cancelled_at)
  await shop.advance({ to: inHours(cancelledAt, 30) })
  assert.deepEqual(await waiting(), [{ n: 1 }])
  await shop.advance({ to: inHours(cancelledAt, 73) })
  assert.deepEqual(await waiting(), [])
  await shop.soundRules()
})

test('revoking store credit leaves it', async () => {
  const shop = await accepted(TEN_CREDIT)
  const { id } = (await idsOf(shop))[0]!
  await revoke(shop, id)
  await shop.settle()
  assert.equal((await shop.ask('GET', '/account', { as: shop.ada })).body.store_credit, '10.00')
  await shop.soundRules()
})

test('a discount that somebody takes off on the platform ends its offer', async () => {
  const shop = await accepted(QUARTER_OFF)
  const id = `gid://platform/SubscriptionContract/${shop.vip.contractId}`
  const { draft } = await shop.shop(
    'mutation ($id: ID!) { subscriptionContractUpdate(contractId: $id) { draft { id discounts(first: 5) { nodes { ... on SubscriptionManualDiscount { id } } } } userErrors { message } } }',
    { id }
  )
  await shop.shop(
    'mutation ($draftId: ID!, $discountId: ID!) { subscriptionDraftDiscountRemove(draftId: $draftId, discountId: $discountId) { userErrors { message } } }',
    { draftId: draft.id, discountId: draft.discounts.nodes[0].id }
  )
  await shop.shop(
    'mutation ($draftId: ID!) { subscriptionDraftCommit(draftId: $draftId) { userErrors { message } } }',
    { draftId: draft.id }
  )
  await shop.settle()
  await shop.advance({ by: 'P2D' })
  assert.deepEqual(
    (await idsOf(shop)).map(({ endedBy }) => endedBy),
    ['removed']
  )
  assert.deepEqual(await shop.charged(shop.vip.id, '2026-03-01T00:00:00Z'), [29, 29])
  await shop.soundRules()
})
