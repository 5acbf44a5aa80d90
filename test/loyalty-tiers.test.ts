// Which customers are in which tier: what counts, when they rise and fall, and what follows, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, int, row, sql, text } from '#kit/postgres'
import { adjustPoints } from '#points'
import { recomputeTiers } from '../src/loyalty/customer-tiers/recompute-tiers.ts'
import { countDeeds } from '../src/loyalty/earning/count-deeds.ts'
import { adminOf } from './admin-calls.ts'
import { testDatabase } from './database.ts'
import { aLoyaltyShop } from './loyalty-shop.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox

async function aTierShop(settings?: Record<string, unknown>) {
  const shop = await aLoyaltyShop(service, settings)
  const { store, storeId, settle, memberOf } = shop
  const loyaltyOf = async (customer: string) =>
    service.admin('GET', `${store.at}/loyalty/customers/cust_${await memberOf(customer)}`)
  return {
    ...shop,
    loyaltyOf,
    /** Creates a tier above all others, whose customers are placed, and returns its id. */
    async tier(name: string, entry: object, more: object = {}): Promise<number> {
      const { id } = await service.admin('POST', `${store.at}/loyalty/tiers`, { name, entry_rules: entry, ...more })
      await settle()
      return id
    },
    async change(tier: number, change: object) {
      await service.admin('PATCH', `${store.at}/loyalty/tiers/${tier}`, change)
      await settle()
    },
    async settings(loyalty: object) {
      await service.admin('PATCH', `${store.at}/settings`, { loyalty })
      await settle()
    },
    tierOf: async (customer: string): Promise<string | null> => (await loyaltyOf(customer)).tier,
    /** The changes of loyalty tiers so far, as events have them. */
    async changes(): Promise<string[]> {
      const facts = await service.db.inStore(storeId, ({ tx }) =>
        tx.many(
          row({ data: text }),
          sql`select data from facts where store_id = ${storeId} and name = 'member.tier_changed' order by id`
        )
      )
      const events = facts.map(({ data }) => JSON.parse(data)).filter(({ kind }) => kind === 'loyalty')
      return events.map(({ member_id, tier }) => `${member_id} ${tier.previous} ${tier.new}`)
    },
    coupons: async (customer: string) =>
      (await service.admin('GET', `${store.at}/loyalty/coupons?customer=cust_${await memberOf(customer)}`))
        .data as any[],
    async tags(customer: string): Promise<string[]> {
      const found = await (await service.deps.connectorOf(storeId)).tags.findMany('customer', [customer])
      assert.ok(found.ok)
      return found.value.get(customer)!
    },
    recomputed: () => service.db.inStore(storeId, recomputeTiers)
  }
}

test('whoever reaches more is in the higher tier at once, and everybody is in the one that asks for nothing', async () => {
  const { store, tier, customer, order, tierOf, changes, memberOf, loyaltyOf } = await aTierShop()
  const ada = await customer('ada@example.com')
  await tier('Bronze', {})
  assert.equal(await tierOf(ada), 'Bronze')
  await tier('Silver', { min_spend: 100 })
  await tier('Gold', { min_spend: 200, min_orders: 3 })
  const bob = await customer('bob@example.com')
  assert.equal(await tierOf(bob), 'Bronze')
  await order(ada, '99.99')
  assert.equal(await tierOf(ada), 'Bronze')
  await order(ada, '0.01')
  assert.equal(await tierOf(ada), 'Silver')
  // Both rules of Gold have to hold.
  await order(ada, '200.00', { shipping: '10.00', taxPercent: 10 })
  assert.equal(await tierOf(ada), 'Gold')
  await order(bob, '250.00')
  assert.equal(await tierOf(bob), 'Silver')
  const [a, b] = [`mem_${await memberOf(ada)}`, `mem_${await memberOf(bob)}`]
  assert.deepEqual(await changes(), [
    `${a} null Bronze`,
    `${b} null Bronze`,
    `${a} Bronze Silver`,
    `${a} Silver Gold`,
    `${b} Bronze Silver`
  ])
  assert.equal((await loyaltyOf(bob)).next_tier, 'Gold')
  assert.equal((await loyaltyOf(ada)).next_tier, null)
  await store.soundBooks()
})

test('points count that were earned, on the day when they can be spent, and not what was adjusted or taken back', async () => {
  const { store, storeId, rule, tier, customer, order, refund, tierOf, memberOf, settle, loyaltyOf } = await aTierShop({
    hold_days: 3
  })
  await rule('points_for_purchases', {}, { reward_type: 'points' })
  await tier('Points', { points_earned: 100 })
  const [ada, bob] = [await customer('ada@example.com'), await customer('bob@example.com')]
  const memberId = await memberOf(ada)
  await service.db.inStore(storeId, (ctx) =>
    adjustPoints(ctx, [{ memberId, balance: 500, reason: 'gift', operationId: 'gift' }])
  )
  const first = await order(ada, '60.00')
  await order(bob, '100.00')
  assert.deepEqual([await tierOf(ada), await tierOf(bob)], [null, null])
  await refund(first, '10.00')
  await store.advance({ by: 'P3D' })
  assert.deepEqual([await tierOf(ada), await tierOf(bob)], [null, 'Points'])
  assert.equal((await loyaltyOf(ada)).next_tier_points, 50)
  await order(ada, '49.00')
  await store.advance({ by: 'P3D' })
  assert.equal(await tierOf(ada), null)
  await order(ada, '1.00')
  assert.equal(await tierOf(ada), null)
  await store.advance({ by: 'P3D' })
  await settle()
  assert.equal(await tierOf(ada), 'Points')
  await store.soundBooks()
})

test('rolling year: a tier ends in the instant in which what led to it is 365 days old, and not before', async () => {
  const { store, tier, customer, order, tierOf, loyaltyOf, changes, memberOf } = await aTierShop()
  await tier('Open', {})
  await tier('Silver', { min_spend: 100 })
  await tier('Gold', { min_spend: 200 })
  const ada = await customer('ada@example.com')
  await order(ada, '100.00')
  const first = (await loyaltyOf(ada)).tier_review_at
  assert.equal(
    first,
    Temporal.Instant.from((await loyaltyOf(ada)).tier_since)
      .add({ hours: 8760 })
      .toString({ smallestUnit: 'millisecond' })
  )
  await store.advance({ by: 'P100D' })
  await order(ada, '100.00')
  assert.deepEqual([await tierOf(ada), (await loyaltyOf(ada)).tier_review_at], ['Gold', first])
  await store.advance({ by: 'P100D' })
  await order(ada, '30.00')
  const before = Temporal.Instant.from(first).subtract({ seconds: 1 })
  await store.advance({ to: String(before) })
  assert.equal(await tierOf(ada), 'Gold')
  await store.advance({ to: first })
  assert.equal(await tierOf(ada), 'Silver')
  await store.advance({ by: 'P99D' })
  assert.equal(await tierOf(ada), 'Silver')
  await store.advance({ by: 'P2D' })
  assert.equal(await tierOf(ada), 'Open')
  assert.equal((await loyaltyOf(ada)).tier_review_at, null)
  const id = `mem_${await memberOf(ada)}`
  assert.deepEqual(await changes(), [
    ...[`${id} null Open`, `${id} Open Silver`, `${id} Silver Gold`, `${id} Gold Silver`, `${id} Silver Open`]
  ])
  await store.soundBooks()
})

test('rolling year: a tier that was reached twice holds for a year from the later time', async () => {
  const { store, tier, customer, order, tierOf, loyaltyOf } = await aTierShop()
  await tier('Gold', { min_spend: 100 })
  const [ada, bob] = [await customer('ada@example.com'), await customer('bob@example.com')]
  await order(ada, '100.00')
  const { tier_review_at: first } = await loyaltyOf(ada)
  await store.advance({ by: 'P100D' })
  await order(bob, '100.00')
  await order(ada, '100.00')
  const { tier_review_at: later } = await loyaltyOf(bob)
  assert.equal((await loyaltyOf(ada)).tier_review_at, later)
  await store.advance({ to: first })
  assert.deepEqual([await tierOf(ada), (await loyaltyOf(ada)).tier_review_at], ['Gold', later])
  await store.advance({ to: later })
  assert.deepEqual([await tierOf(ada), await tierOf(bob)], [null, null])
  await store.soundBooks()
})

test('rolling year: what the next tier needs yet follows the instant in which points are 365 days old', async () => {
  const { store, rule, tier, customer, order, loyaltyOf } = await aTierShop()
  await rule('points_for_purchases', {}, { reward_type: 'points' })
  await tier('Reached', { points_earned: 60 })
  await tier('Next', { points_earned: 100 })
  const ada = await customer('ada@example.com')
  await order(ada, '60.00')
  const { tier_review_at: end } = await loyaltyOf(ada)
  const shown = async () => {
    const { tier, next_tier, next_tier_points } = await loyaltyOf(ada)
    return [tier, next_tier, next_tier_points]
  }
  await store.advance({ to: String(Temporal.Instant.from(end).subtract({ seconds: 1 })) })
  assert.deepEqual(await shown(), ['Reached', 'Next', 40])
  await store.advance({ to: end })
  assert.deepEqual(await shown(), [null, 'Reached', 60])
})

test('a refund or dispute takes no tier at once, but at the next review', async () => {
  const { store, storeId, tier, customer, order, refund, tierOf, loyaltyOf, recomputed, memberOf, settings } =
    await aTierShop()
  await tier('Open', {})
  const gold = await tier('Gold', { min_spend: 200, min_orders: 2 })
  const ada = await customer('ada@example.com')
  await order(ada, '150.00')
  await store.advance({ by: 'P10D' })
  const second = await order(ada, '50.00')
  assert.equal(await tierOf(ada), 'Gold')
  const { tier_review_at: reviewAt } = await loyaltyOf(ada)
  await refund(second)
  assert.deepEqual([await tierOf(ada), (await loyaltyOf(ada)).tier_review_at], ['Gold', reviewAt])
  const memberId = await memberOf(ada)
  const of = (all: Awaited<ReturnType<typeof recomputed>>) => all.find((one) => one.memberId === memberId)
  assert.deepEqual({ ...of(await recomputed())!, tierId: null }, { memberId, tierId: null, isWrong: false })
  assert.notEqual(of(await recomputed())!.tierId, gold)
  // Settings that are not about tiers change nothing of it.
  await settings({ hold_days: 2, coupons_expire_after_days: 30 })
  assert.equal(await tierOf(ada), 'Gold')
  await store.soundBooks()
  // Books that are not sound are found: a tier without its review.
  const overdue = () =>
    service.db.inStore(storeId, ({ tx, now }) =>
      tx.run(
        sql`update loyalty_customer_tiers set review_at = ${now} where store_id = ${storeId} and member_id = ${memberId}`
      )
    )
  await overdue()
  assert.equal(of(await recomputed())!.isWrong, true)
  await assert.rejects(store.soundBooks(), /loyalty_tiers_follow_rules/)
  await store.advance({ by: 'PT1S' })
  assert.equal(await tierOf(ada), 'Open')
  await store.soundBooks()
})

for (const review of ['rolling_year', 'calendar_year']) {
  test(`${review}: an order of which nothing is left is not one of those that a tier asks for`, async () => {
    const { store, tier, customer, order, refund, tierOf } = await aTierShop({ tier_review: review })
    await tier('Twice', { min_orders: 2 })
    const ada = await customer('ada@example.com')
    await refund(await order(ada, '10.00'))
    await order(ada, '10.00')
    assert.equal(await tierOf(ada), null)
    await order(ada, '10.00')
    assert.equal(await tierOf(ada), 'Twice')
    await store.soundBooks()
  })
}

test('calendar year: what a year of the shop has reached holds to the end of the next one', async () => {
  const { store, tier, customer, order, refund, tierOf, loyaltyOf } = await aTierShop({ tier_review: 'calendar_year' })
  await tier('Gold', { min_spend: 200 })
  const [ada, bob] = [await customer('ada@example.com'), await customer('bob@example.com')]
  await order(ada, '150.00')
  await order(bob, '150.00')
  // The year of the shop begins five hours after that of UTC.
  await store.advance({ to: '2027-01-01T04:59:59Z' })
  await order(ada, '50.00')
  const inNewYear = '2027-01-01T05:00:00Z'
  assert.deepEqual([await tierOf(ada), (await loyaltyOf(ada)).tier_review_at], ['Gold', '2027-01-01T05:00:00.000Z'])
  await store.advance({ to: inNewYear })
  const late = await order(bob, '50.00')
  assert.deepEqual([await tierOf(ada), await tierOf(bob)], ['Gold', null])
  assert.equal((await loyaltyOf(ada)).tier_review_at, '2028-01-01T05:00:00.000Z')
  await order(bob, '150.00')
  assert.equal(await tierOf(bob), 'Gold')
  await refund(late)
  assert.equal(await tierOf(bob), 'Gold')
  await store.advance({ to: '2028-01-01T04:59:59Z' })
  assert.deepEqual([await tierOf(ada), await tierOf(bob)], ['Gold', 'Gold'])
  await store.soundBooks()
  await store.advance({ to: '2028-01-01T05:00:00Z' })
  assert.deepEqual([await tierOf(ada), await tierOf(bob)], [null, null])
  await store.soundBooks()
})

test('a tier multiplies points for each unit of money from the next order on, never a fixed number', async () => {
  const { store, storeId, rule, tier, customer, order, points, settings, tierOf } = await aTierShop()
  await rule('points_for_purchases', {}, { reward_type: 'points' })
  await rule('punch_card', { required_purchases: 1, resets: true }, { reward_type: 'points', amount: 10 })
  await tier('Gold', { min_spend: 100 }, { multiplier_points: 1.5 })
  const ada = await customer('ada@example.com')
  const first = await order(ada, '100.00')
  assert.deepEqual([await tierOf(ada), (await points(ada))[0]], ['Gold', 110])
  await order(ada, '10.50')
  assert.equal((await points(ada))[0], 110 + 15 + 10)
  // What was counted before the tier stays with the multiplier of then, also where the order is edited.
  await service.db.inStore(storeId, async (ctx) => {
    const { id, memberId, at } = await ctx.tx.one(
      row({ id: int, memberId: int, at: instant }),
      sql`select id, member_id, processed_at as at from orders where store_id = ${storeId} and platform_order_id = ${first}`
    )
    const cause = {
      ...{
        kind: 'order' as const,
        orderId: id,
        lines: [{ productId: null, collectionIds: [], netMinor: 120_00 }],
        creditMinor: 0,
        isPaid: true
      },
      ...{ takenBack: { minor: 0, wholeMinor: 120_00 }, renewals: [], unread: new Set<string>() }
    }
    await countDeeds(ctx, [{ memberId, cause, key: `order:${id}`, at, orderId: id, ruleId: null }])
  })
  assert.equal((await points(ada))[0], 135 + 20)
  await settings({ tiers: 'off' })
  await order(ada, '10.00')
  assert.equal((await points(ada))[0], 155 + 20)
  await store.soundBooks()
})

test('while tiers are off nobody enters or leaves; when they are on again everybody is put where the rules say', async () => {
  const { store, tier, customer, order, tierOf, settings, loyaltyOf } = await aTierShop()
  await tier('Open', {})
  await tier('Gold', { min_spend: 100 })
  const [ada, bob] = [await customer('ada@example.com'), await customer('bob@example.com')]
  await order(ada, '100.00')
  await settings({ tiers: 'off' })
  await order(bob, '100.00')
  const cleo = await customer('cleo@example.com')
  await store.advance({ by: 'P366D' })
  assert.deepEqual([await tierOf(ada), await tierOf(bob), await tierOf(cleo)], ['Gold', 'Open', null])
  assert.equal((await loyaltyOf(bob)).next_tier, null)
  await order(bob, '120.00')
  await store.soundBooks()
  await settings({ tiers: 'on' })
  assert.deepEqual([await tierOf(ada), await tierOf(bob), await tierOf(cleo)], ['Open', 'Gold', 'Open'])
  await settings({ enabled: 'off' })
  await order(ada, '200.00')
  assert.equal(await tierOf(ada), 'Open')
  await settings({ enabled: 'on' })
  assert.equal(await tierOf(ada), 'Gold')
  // By the calendar only what was spent this year counts, and in the last one.
  await store.advance({ by: 'P300D' })
  await settings({ tier_review: 'calendar_year' })
  assert.equal((await loyaltyOf(ada)).tier_review_at, '2028-01-01T05:00:00.000Z')
  await store.soundBooks()
})

test('the tag of a tier follows its customers, a change of the tag, and whether tiers are on', async () => {
  const { store, tier, change, customer, order, tags, settings } = await aTierShop()
  const open = await tier('Open', {}, { tag: 'Regular' })
  const gold = await tier('Gold', { min_spend: 100 }, { tag: 'Gold' })
  const [ada, bob] = [await customer('ada@example.com'), await customer('bob@example.com')]
  assert.deepEqual(await tags(ada), ['Regular'])
  await order(ada, '100.00')
  assert.deepEqual([await tags(ada), await tags(bob)], [['Gold'], ['Regular']])
  await change(gold, { tag: 'Golden' })
  assert.deepEqual([await tags(ada), await tags(bob)], [['Golden'], ['Regular']])
  await settings({ tiers: 'off' })
  assert.deepEqual([await tags(ada), await tags(bob)], [[], []])
  await settings({ tiers: 'on' })
  await change(open, { tag: '' })
  assert.deepEqual([await tags(ada), await tags(bob)], [['Golden'], []])
  await change(gold, { is_active: false })
  assert.deepEqual([await tags(ada), await tags(bob)], [[], []])
  await store.soundBooks()
})

test('entering a tier gives its rewards once, and falling into one gives nothing', async () => {
  const { store, tier, customer, order, points, coupons, tierOf } = await aTierShop()
  await tier('Open', {}, { reward_rules: { points: 5 } })
  await tier('Silver', { min_spend: 50 }, { reward_rules: { points: 50 } })
  const gold = await tier(
    'Gold',
    { min_spend: 100 },
    { reward_rules: { points: 200, discount: 12.5, shipping_discount: 100 } }
  )
  await tier('Points', { points_earned: 100 })
  const ada = await customer('ada@example.com')
  assert.deepEqual(await points(ada), [5, 0, 5])
  await order(ada, '100.00')
  // What a tier gives leads to no other.
  assert.deepEqual([await tierOf(ada), await points(ada)], ['Gold', [205, 0, 205]])
  const given = (await coupons(ada)).map(({ type, percentage, status, tier_id }) => [type, percentage, status, tier_id])
  assert.deepEqual(given.toSorted(), [
    ['amount_off_orders', '12.50', 'active', gold],
    ['free_shipping', '100.00', 'active', gold]
  ])
  await store.advance({ by: 'P200D' })
  await order(ada, '60.00')
  await store.advance({ by: 'P200D' })
  assert.deepEqual([await tierOf(ada), await points(ada)], ['Silver', [205, 0, 205]])
  await order(ada, '40.00')
  assert.deepEqual([await tierOf(ada), await points(ada), (await coupons(ada)).length], ['Gold', [205, 0, 205], 2])
  await store.soundBooks()
})

test('a part of shipping is refused when it is entered; a tier that has it from before has one alert for all its customers', async () => {
  const { store, storeId, tier, customer, order, coupons, tierOf } = await aTierShop()
  const { call } = adminOf(service)
  const half = { name: 'Half', entry_rules: { min_spend: 50 }, reward_rules: { shipping_discount: 50 } }
  const { status, body } = await call(store, 'POST', '/loyalty/tiers', half)
  const [detail] = body.error.details
  assert.deepEqual([status, detail.field], [400, 'reward_rules.shipping_discount'])
  assert.match(detail.message, /^must be 100: the platform has no discount code that takes a part off shipping/)
  const id = await tier('Half', { min_spend: 50 }, { reward_rules: { shipping_discount: 100 } })
  const changed = await call(store, 'PATCH', `/loyalty/tiers/${id}`, { reward_rules: { shipping_discount: 99.5 } })
  assert.equal(changed.status, 400)
  await service.db.inStore(storeId, ({ tx }) =>
    tx.run(
      sql`update loyalty_tiers set reward_rules = '{"shipping_discount": 50}' where store_id = ${storeId} and id = ${id}`
    )
  )
  // What is not given is not judged.
  assert.equal((await call(store, 'PATCH', `/loyalty/tiers/${id}`, { description: 'Often here' })).status, 200)
  for (const name of ['ada', 'bob', 'cyd']) {
    const person = await customer(`${name}@example.com`)
    await order(person, '60.00')
    const [refused] = await coupons(person)
    assert.deepEqual([await tierOf(person), refused.status, refused.ended_by], ['Half', 'ended', 'refused'])
    assert.match(refused.problem, /no code that takes a part off shipping/)
  }
  const { data } = await service.admin('GET', `${store.at}/alerts`)
  assert.equal(data.filter(({ kind }: { kind: string }) => kind === 'loyalty_coupon_refused').length, 1)
  await store.soundBooks()
})

test('a change of entry rules, places or of what is active puts everybody where the tiers say then', async () => {
  const { store, tier, change, customer, order, tierOf } = await aTierShop()
  const [ada, bob] = [await customer('ada@example.com'), await customer('bob@example.com')]
  await order(ada, '100.00')
  await store.advance({ by: 'P30D' })
  await order(bob, '40.00')
  // Orders from before the first tier count too.
  const silver = await tier('Silver', { min_spend: 40 })
  const gold = await tier('Gold', { min_orders: 1, min_spend: 90 })
  const both = async () => [await tierOf(ada), await tierOf(bob)]
  assert.deepEqual(await both(), ['Gold', 'Silver'])
  await change(gold, { entry_rules: { min_spend: 40 } })
  assert.deepEqual(await both(), ['Gold', 'Gold'])
  await change(gold, { entry_rules: { min_spend: 90 } })
  assert.deepEqual(await both(), ['Gold', 'Silver'])
  await change(silver, { order: 50 })
  assert.deepEqual(await both(), ['Silver', 'Silver'])
  await change(silver, { is_active: false })
  assert.deepEqual(await both(), ['Gold', null])
  const listed = (await service.admin('GET', `${store.at}/loyalty/tiers`)).data
  assert.deepEqual(
    listed.map(({ name, customers }: any) => [name, customers]),
    [
      ['Gold', 1],
      ['Silver', 0]
    ]
  )
  await store.soundBooks()
})

test('a rule that is limited to tiers counts only for those who are in one of them, and for nobody while tiers are off', async () => {
  const { store, rule, tier, customer, order, points, settings } = await aTierShop()
  await tier('Open', {})
  const gold = await tier('Gold', { min_spend: 100 })
  await rule('points_for_purchases', { tier_ids: [gold] }, { reward_type: 'points' })
  const ada = await customer('ada@example.com')
  await order(ada, '100.00')
  assert.deepEqual(await points(ada), [0, 0, 0])
  await order(ada, '7.00')
  assert.deepEqual(await points(ada), [7, 0, 7])
  await settings({ tiers: 'off' })
  await order(ada, '5.00')
  assert.deepEqual(await points(ada), [7, 0, 7])
  await store.soundBooks()
})

test('of merged customers the higher tier stays, what both have spent counts, and rewards are not given again', async () => {
  const { store, storeId, rule, tier, customer, order, points, tierOf, settle, changes, memberOf } = await aTierShop()
  await rule('points_for_purchases', {}, { reward_type: 'points' })
  await tier('Open', {})
  await tier('Silver', { min_spend: 60 }, { reward_rules: { points: 1000 } })
  await tier('Gold', { min_spend: 100 }, { reward_rules: { points: 5000 } })
  await tier('Top', { points_earned: 100, min_spend: 150 })
  const [ada, bob, cleo] = [
    await customer('a@example.com'),
    await customer('b@example.com'),
    await customer('c@example.com')
  ]
  await order(ada, '30.00')
  await order(bob, '60.00')
  await order(cleo, '60.00')
  assert.deepEqual([await tierOf(ada), await tierOf(bob), await tierOf(cleo)], ['Open', 'Silver', 'Silver'])
  await controls.mergeCustomers({ storeId, customerId: bob, intoId: ada })
  await settle()
  assert.deepEqual([await tierOf(ada), await points(ada)], ['Silver', [1090, 0, 1090]])
  await controls.mergeCustomers({ storeId, customerId: cleo, intoId: ada })
  await settle()
  // Together they have spent 150 and earned 150 points.
  assert.equal(await tierOf(ada), 'Top')
  assert.deepEqual(await points(ada), [2150, 0, 2150])
  const id = `mem_${await memberOf(ada)}`
  assert.deepEqual(
    (await changes()).filter((one) => one.startsWith(id)),
    [...[`${id} null Open`, `${id} Open Silver`, `${id} Silver Top`]]
  )
  await store.soundBooks()
})

test('of merged customers a tier that waits for its review stays until then, and what it gave is not given again', async () => {
  const { store, storeId, tier, customer, order, refund, points, tierOf, settle, loyaltyOf } = await aTierShop()
  await tier('Open', {})
  await tier('Gold', { min_spend: 100 }, { reward_rules: { points: 50 } })
  const [ada, bob] = [await customer('ada@example.com'), await customer('bob@example.com')]
  await refund(await order(bob, '100.00'))
  const { tier_review_at: reviewAt } = await loyaltyOf(bob)
  assert.deepEqual([await tierOf(ada), await tierOf(bob), await points(bob)], ['Open', 'Gold', [50, 0, 50]])
  await controls.mergeCustomers({ storeId, customerId: bob, intoId: ada })
  await settle()
  assert.deepEqual([await tierOf(ada), (await loyaltyOf(ada)).tier_review_at], ['Gold', reviewAt])
  await store.advance({ to: reviewAt })
  assert.equal(await tierOf(ada), 'Open')
  await order(ada, '100.00')
  assert.deepEqual([await tierOf(ada), await points(ada)], ['Gold', [50, 0, 50]])
  await store.soundBooks()
})

test('a rule for customers with a tag counts for those who have it on the platform at the moment', async () => {
  const { store, storeId, rule, customer, order, points, settle } = await aTierShop()
  const { tags } = await service.deps.connectorOf(storeId)
  const [ada, bob] = [await customer('ada@example.com'), await customer('bob@example.com')]
  const change = async (what: 'add' | 'remove', id: string, ...given: string[]) => {
    await store.advance({ by: 'PT1M' })
    assert.ok((await tags[what]('customer', id, given)).ok)
    await settle()
  }
  await change('add', ada, 'Press', 'vegan')
  const settings = { apply_to: 'tags', tags: ['PRESS', 'Staff'] }
  await rule('points_for_purchases', { customer_settings: settings }, { reward_type: 'points' })
  await rule(
    'points_for_purchases',
    { points_per_dollar: 100, customer_settings: { ...settings, action: 'exclude' } },
    { reward_type: 'points' }
  )
  await order(ada, '3.00')
  await order(bob, '5.00')
  assert.deepEqual([(await points(ada))[0], (await points(bob))[0]], [3, 500])
  await change('remove', ada, 'press')
  await change('add', bob, 'staff')
  await order(ada, '1.00')
  await order(bob, '1.00')
  assert.deepEqual([(await points(ada))[0], (await points(bob))[0]], [103, 501])
  // Of merged customers the one who is kept has the tags of both.
  await controls.mergeCustomers({ storeId, customerId: bob, intoId: ada })
  await settle()
  await order(ada, '2.00')
  assert.equal((await points(ada))[0], 606)
  await store.soundBooks()
})
