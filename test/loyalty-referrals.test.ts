// Friends whom customers bring: from the link to the rewards of both, and back, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql, text } from '#kit/postgres'
import { requestedScopes } from '#platform'
import { platformAccess } from '#stores'
import { signedQuery } from '../src/http/storefront/signed.test-helper.ts'
import { refreshOrders } from '../src/order-effects/refresh-orders.ts'
import { testDatabase } from './database.ts'
import { aReferralShop } from './referral-shop.ts'
import { startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox

const aShop = (settings?: Record<string, unknown>) => aReferralShop(service, settings)
const POINTS = { reward_type: 'points', amount: 500 }
const NONE = [0, 0, 0]
const HALF = { reward_type: 'discount', discount_type: 'percentage', discount_amount: 50 }

test('a friend orders by the link of a customer, who is rewarded while the order counts', async () => {
  const { store, rule, customer, idOf, linkOf, orderBy, points, refund, onPlatform, referrals } = await aShop()
  await rule('referral', { referred_reward: HALF }, POINTS)
  const [ada, ben] = [await customer('ada@example.com'), await customer('ben@example.com')]
  const link = (await linkOf(ada))!
  const code = link.split('/').at(-1)!
  assert.equal(link, `https://${store.domain}/discount/${code}`)
  assert.match(code, /^[2-9A-HJ-NP-Z]{10}$/)
  assert.equal(await linkOf(ada), link)
  const [base, own] = await onPlatform()
  assert.equal(own!.code, code)
  assert.notEqual(base!.code, code)
  assert.deepEqual(
    [own!.kind, own!.body.appliesOncePerCustomer, own!.body.usageLimit ?? null, own!.body.customerGets.value],
    ['DiscountCodeBasic', true, null, { percentage: 0.5 }]
  )
  const order = await orderBy(ben, code.toLowerCase(), '50.00')
  assert.deepEqual(
    [await points(ada), await points(ben)],
    [
      [500, 0, 500],
      [0, 0, 0]
    ]
  )
  const [referral] = await referrals()
  assert.deepEqual(
    [referral.status, referral.reason, referral.code, referral.referrer_id, referral.friend_id],
    ['counted', null, code, await idOf(ada), await idOf(ben)]
  )
  await refund(order, '10.00')
  assert.deepEqual(await points(ada), [500, 0, 500])
  await refund(order)
  assert.deepEqual(await points(ada), [0, 0, 0])
  assert.equal((await referrals())[0].status, 'not_counted')
  await store.soundBooks()
})

test('a friend to whom points are promised has them while the referral counts, and the code takes off next to nothing', async () => {
  const { store, rule, customer, codeOf, orderBy, points, credit, refund, onPlatform } = await aShop()
  const promised = { reward_type: 'points', amount: 40 }
  await rule('referral', { referred_reward: promised, limit: 1 }, { reward_type: 'store_credit', amount: 7.5 })
  await rule('referral', { referred_reward: { reward_type: 'store_credit', amount: 3 } }, POINTS)
  const [ada, ben, cyd] = [
    await customer('ada@example.com'),
    await customer('ben@example.com'),
    await customer('cyd@example.com')
  ]
  const code = await codeOf(ada)
  assert.deepEqual((await onPlatform())[1]!.body.customerGets.value.discountAmount.amount, '0.01')
  const first = await orderBy(ben, code)
  const second = await orderBy(cyd, code)
  assert.deepEqual([await credit(ada), await points(ada)], [7.5, [1000, 0, 1000]])
  for (const friend of [ben, cyd]) assert.deepEqual([await credit(friend), await points(friend)], [3, [40, 0, 40]])
  await refund(second)
  assert.deepEqual([await credit(cyd), await points(cyd), await points(ada)], [0, NONE, [500, 0, 500]])
  await refund(first)
  assert.deepEqual([await credit(ada), await points(ada), await points(ben)], [0, NONE, NONE])
  await store.soundBooks()
})

test('nobody brings themselves: by their own account, their mailbox or their home', async () => {
  const { store, rule, customer, codeOf, orderBy, points, referrals } = await aShop()
  await rule('referral', { referred_reward: HALF }, POINTS)
  const ada = await customer('Ada.Lo@gmail.com')
  const code = await codeOf(ada)
  await orderBy(ada, code, '50.00', { country: 'US', street: '12 Elm St.' })
  await orderBy(await customer('adalo+new@googlemail.com'), code)
  await orderBy(await customer('eve@example.com'), code, '50.00', { country: 'US', street: '12  ELM ST' })
  const neighbour = await customer('fay@example.com')
  await orderBy(neighbour, code, '50.00', { country: 'US', street: '14 Elm St.' })
  assert.deepEqual(
    (await referrals()).map(({ status, reason }) => [status, reason]),
    [
      ['refused', 'same_customer'],
      ['refused', 'same_email'],
      ['refused', 'same_address'],
      ['counted', null]
    ]
  )
  assert.deepEqual(await points(ada), [500, 0, 500])
  assert.equal((await referrals('?status=refused')).length, 3)
  const { data } = await service.admin('GET', `${store.at}/loyalty/referrals?customer=${neighbour}`)
  assert.equal(data.length, 1)
  await store.soundBooks()
})

test('what was decided of two people stays so, whatever they change since; the code of who is gone rewards nobody', async () => {
  const { store, storeId, rule, customer, codeOf, orderBy, points, referrals, known, memberOf, settle } = await aShop()
  await rule('referral', { referred_reward: HALF }, POINTS)
  const [ada, ben, eve, gil] = [
    await customer('ada@example.com'),
    await customer('ben@example.com'),
    await customer('eve@example.com'),
    await customer('gil@example.com')
  ]
  const [code, gone] = [await codeOf(ada), await codeOf(gil)]
  const home = { country: 'US', street: '12 Elm St.' }
  await orderBy(ada, code, '50.00', home)
  const orders = [await orderBy(ben, code), await orderBy(eve, code, '50.00', home)]
  const decided = async () => (await referrals()).map(({ status, reason }) => [status, reason])
  const expected = [
    ['refused', 'same_customer'],
    ['counted', null],
    ['refused', 'same_address']
  ]
  assert.deepEqual(await decided(), expected)
  const memberId = await memberOf(ben)
  const ids = await Promise.all(orders.map((one) => known(one, {})))
  await service.db.inStore(storeId, async (ctx) => {
    await ctx.tx.run(sql`
      update members set email = 'ada+ben@example.com' where store_id = ${storeId} and id = ${memberId}`)
    await refreshOrders(ctx, ids)
  })
  // Nothing of it is compared anew.
  assert.deepEqual(await decided(), expected)
  await settle()
  assert.deepEqual([await decided(), await points(ada)], [expected, [500, 0, 500]])
  await controls.deleteCustomer({ storeId, customerId: gil })
  await settle()
  await orderBy(await customer('dan@example.com'), gone)
  assert.deepEqual((await decided()).at(-1), ['refused', 'referrer_gone'])
  await store.soundBooks()
})

test('only the first order of a new customer is a referral', async () => {
  const { store, rule, customer, codeOf, order, orderBy, points, referrals } = await aShop()
  await rule('referral', { referred_reward: HALF }, POINTS)
  const [ada, ben, cyd] = [
    await customer('ada@example.com'),
    await customer('ben@example.com'),
    await customer('cyd@example.com')
  ]
  const code = await codeOf(ada)
  await order(ben, '5.00')
  await orderBy(ben, code)
  assert.deepEqual(
    (await referrals()).map(({ status, reason }) => [status, reason]),
    [['refused', 'not_new']]
  )
  await orderBy(cyd, code)
  await order(cyd, '70.00')
  await assert.rejects(orderBy(cyd, await codeOf(ben)), /has used it/)
  assert.deepEqual([await points(ada), await points(ben)], [[500, 0, 500], NONE])
  await store.soundBooks()
})

test('an order counts from the minimum on, when it is paid in time, and for as many friends as the rule allows', async () => {
  const { rule, customer, codeOf, order, orderBy, points, store, asOf, referrals } = await aShop()
  await rule('referral', { referred_reward: null, minimum_order: 30, limit: 1, expire_after: 2 }, POINTS)
  const ada = await customer('ada@example.com')
  const code = await codeOf(ada)
  await assert.rejects(orderBy(await customer('ben@example.com'), code, '29.99'), /30/)
  // 30.00 less the smallest amount that the code takes off.
  await orderBy(await customer('cyd@example.com'), code, '30.00')
  assert.deepEqual(await points(ada), NONE)
  const late = await order(await customer('dan@example.com'), '40.00')
  const early = await order(await customer('eli@example.com'), '40.00')
  for (const one of [late, early]) await asOf(one, { codes: [code], status: 'pending' })
  assert.deepEqual(await points(ada), NONE)
  await store.advance({ by: 'P1D' })
  await asOf(early, { codes: [code], status: 'paid' })
  assert.deepEqual(await points(ada), [500, 0, 500])
  await store.advance({ by: 'P2D' })
  await asOf(late, { codes: [code], status: 'paid' })
  await orderBy(await customer('fay@example.com'), code, '40.00')
  assert.deepEqual(await points(ada), [500, 0, 500])
  // That of cyd is too small, and dan has paid too late; fay is one more than the limit has room for.
  assert.deepEqual(
    (await referrals()).map(({ status }) => status),
    ['not_counted', 'not_counted', 'counted', 'counted']
  )
  const { rules } = await service.admin('GET', `${store.at}/loyalty/customers/${ada}`)
  assert.deepEqual([rules[0].current, rules[0].required, rules[0].percentage], [1, 1, 100])
  await asOf(early, { codes: [code], status: 'voided' })
  assert.deepEqual(await points(ada), NONE)
})

test('two orders of a friend at once are one referral, and an earlier one that is reported later takes its place', async () => {
  const { rule, customer, codeOf, order, points, asOf, known, referrals, settle, storeId } = await aShop()
  await rule('referral', { referred_reward: { reward_type: 'points', amount: 40 } }, POINTS)
  const [ada, ben, cyd] = [
    await customer('ada@example.com'),
    await customer('ben@example.com'),
    await customer('cyd@example.com')
  ]
  const [byAda, byBen] = [await codeOf(ada), await codeOf(ben)]
  const orders = [await order(cyd, '40.00'), await order(cyd, '40.00')]
  await known(orders[0]!, { codes: [byAda] })
  await known(orders[1]!, { codes: [byBen] })
  const ids = await Promise.all(orders.map((one) => known(one, {})))
  await Promise.all(ids.map((id) => service.db.inStore(storeId, (ctx) => refreshOrders(ctx, [id]))))
  await settle()
  assert.deepEqual((await referrals()).map(({ status, reason }) => [status, reason]).toSorted(), [
    ['counted', null],
    ['refused', 'not_new']
  ])
  assert.deepEqual([await points(ada), await points(ben), await points(cyd)], [[500, 0, 500], NONE, [40, 0, 40]])
  // The second was placed before the first, as it turns out.
  await asOf(orders[1]!, { codes: [byBen], processedAt: '2020-01-01T00:00:00Z' })
  assert.deepEqual([await points(ada), await points(cyd)], [NONE, NONE])
  assert.deepEqual((await referrals()).map(({ reason }) => reason).toSorted(), ['not_new', null])
})

test('an order that has lost the code, or has that of another customer now, stays the referral that it was, and a refund takes it back', async () => {
  const { store, rule, customer, codeOf, orderBy, points, refund, asOf, referrals } = await aShop()
  await rule('referral', { referred_reward: { reward_type: 'points', amount: 40 } }, POINTS)
  const [ada, ben, cyd, dan] = [
    await customer('ada@example.com'),
    await customer('ben@example.com'),
    await customer('cyd@example.com'),
    await customer('dan@example.com')
  ]
  const [byAda, byBen] = [await codeOf(ada), await codeOf(ben)]
  const orders = [await orderBy(cyd, byAda), await orderBy(dan, byAda)]
  await asOf(orders[0]!, { codes: [] })
  await asOf(orders[1]!, { codes: [byBen] })
  assert.deepEqual([await points(ada), await points(ben)], [[1000, 0, 1000], NONE])
  await store.soundBooks()
  await asOf(orders[0]!, { status: 'voided' })
  assert.deepEqual([await points(ada), await points(cyd), await points(dan)], [[500, 0, 500], NONE, [40, 0, 40]])
  await refund(orders[1]!)
  assert.deepEqual([await points(ada), await points(ben), await points(dan)], [NONE, NONE, NONE])
  assert.deepEqual(
    (await referrals()).map(({ status }) => status),
    ['not_counted', 'not_counted']
  )
})

test('of two friends whose orders come together the limit has room for who ordered first', async () => {
  const { storeId, rule, customer, codeOf, order, points, known, asOf, settle } = await aShop()
  await rule('referral', { limit: 1 }, POINTS)
  const [ada, ben, cyd] = [
    await customer('ada@example.com'),
    await customer('ben@example.com'),
    await customer('cyd@example.com')
  ]
  const codes = [await codeOf(ada)]
  const orders = [await order(ben, '40.00'), await order(cyd, '40.00')]
  const ids = [await known(orders[0]!, { codes }), await known(orders[1]!, { codes })]
  await service.db.inStore(storeId, (ctx) => refreshOrders(ctx, ids))
  await settle()
  assert.deepEqual(await points(ada), [500, 0, 500])
  await asOf(orders[1]!, { codes, status: 'voided' })
  assert.deepEqual(await points(ada), [500, 0, 500])
  await asOf(orders[0]!, { codes, status: 'voided' })
  assert.deepEqual(await points(ada), NONE)
})

test('points of a referral wait for the days that the shop has set; without validation nothing of the order matters', async () => {
  const { store, rule, customer, codeOf, orderBy, points, refund } = await aShop({ hold_days: 3 })
  const id = await rule('referral', { referred_reward: { reward_type: 'points', amount: 40 } }, POINTS)
  const [ada, ben, cyd] = [
    await customer('ada@example.com'),
    await customer('ben@example.com'),
    await customer('cyd@example.com')
  ]
  const code = await codeOf(ada)
  const first = await orderBy(ben, code)
  assert.deepEqual(
    [await points(ada), await points(ben)],
    [
      [0, 500, 0],
      [0, 40, 0]
    ]
  )
  await refund(first)
  assert.deepEqual([await points(ada), await points(ben)], [NONE, NONE])
  await service.admin('PATCH', `${store.at}/loyalty/rules/${id}`, { rules: { validation_strategy: 'none' } })
  const second = await orderBy(cyd, code)
  await refund(second)
  await store.advance({ by: 'P3D' })
  assert.deepEqual([await points(ada), await points(cyd)], [[500, 0, 500], NONE])
  await store.soundBooks()
})

test('codes take off what the rule promises now, and nothing while no rule rewards referrals', async () => {
  const { store, rule, customer, linkOf, codeOf, orderBy, points, onPlatform, settle } = await aShop()
  const ada = await customer('ada@example.com')
  assert.equal(await linkOf(ada), null)
  const id = await rule('referral', { referred_reward: HALF, minimum_order: 20 }, POINTS)
  const code = await codeOf(ada)
  const link = await linkOf(ada)
  const discount = async () => (await onPlatform()).find((one) => one.code === code)!
  const change = async (body: object) => {
    await service.admin('PATCH', `${store.at}/loyalty/rules/${id}`, body)
    await settle()
  }
  const set = async (enabled: string) => {
    await service.admin('PATCH', `${store.at}/settings`, { loyalty: { enabled } })
    await settle()
  }
  assert.deepEqual((await discount()).body.minimumRequirement, { subtotal: { greaterThanOrEqualToSubtotal: '20.00' } })
  await change({ rules: { referred_reward: { reward_type: 'free_shipping' } } })
  assert.deepEqual(
    [(await discount()).kind, (await discount()).body.minimumRequirement],
    ['DiscountCodeFreeShipping', null]
  )
  await change({
    rules: { referred_reward: { reward_type: 'discount', discount_type: 'fixed_amount', discount_amount: 5 } }
  })
  assert.deepEqual(
    [(await discount()).kind, (await discount()).body.customerGets.value.discountAmount.amount],
    ['DiscountCodeBasic', '5.00']
  )
  await change({ enabled: false })
  assert.equal(await linkOf(ada), null)
  await assert.rejects(orderBy(await customer('ben@example.com'), code), /expired/)
  await change({ enabled: true })
  await set('off')
  await assert.rejects(orderBy(await customer('cyd@example.com'), code), /expired/)
  await set('on')
  assert.equal(await linkOf(ada), link)
  await orderBy(await customer('dan@example.com'), code)
  assert.deepEqual(await points(ada), [500, 0, 500])
  await store.soundBooks()
})

test('answers of the platform that are lost make no second discount and no second code', async () => {
  const { store, storeId, rule, customer, linkOf, codeOf, orderBy, points, onPlatform, settle } = await aShop()
  /** With all answers to a mutation lost at first; then as if the time had passed in which calls can arrive. */
  const losing = async (mutation: string, work: () => Promise<unknown>) => {
    await controls.setAnswerFaults({ storeId, faults: { lost: 1, mutations: [mutation] } })
    await work()
    await controls.setAnswerFaults({ storeId, faults: null })
    const { failures } = await service.db.inStore(storeId, (ctx) =>
      ctx.tx.one(
        row({ failures: int }),
        sql`
        update loyalty_referral_programs set rests_until = null, next_at = statement_timestamp()
         where store_id = ${storeId} returning failures`
      )
    )
    assert.ok(failures > 0, mutation)
    await settle()
  }
  const ada = await customer('ada@example.com')
  let id = 0
  const change = (body: object) => async () => {
    await service.admin('PATCH', `${store.at}/loyalty/rules/${id}`, body)
    await settle()
  }
  await losing('discountCodeBasicCreate', async () => {
    id = await rule('referral', { referred_reward: HALF }, POINTS)
  })
  await losing('discountRedeemCodeBulkAdd', () => linkOf(ada))
  await losing('discountCodeBasicUpdate', change({ rules: { referred_reward: null } }))
  await losing('discountCodeDeactivate', change({ enabled: false }))
  await losing('discountCodeActivate', change({ enabled: true }))
  const code = await codeOf(ada)
  const [base, own, ...others] = await onPlatform()
  assert.deepEqual([own!.code, own!.endsAt, base!.body, others], [code, null, own!.body, []])
  assert.equal(own!.body.customerGets.value.discountAmount.amount, '0.01')
  await orderBy(await customer('ben@example.com'), code)
  assert.deepEqual(await points(ada), [500, 0, 500])
  await store.soundBooks()
})

test('a discount that somebody deletes on the platform is made again with the same codes', async () => {
  const { store, storeId, rule, customer, linkOf, codeOf, orderBy, points, settle } = await aShop()
  await rule('referral', { referred_reward: HALF }, POINTS)
  const ada = await customer('ada@example.com')
  const code = await codeOf(ada)
  const connector = await service.deps.connectorOf(storeId)
  const found = await connector.discounts.findByCode(code)
  assert.ok(found.ok && (await connector.discounts.delete(found.value!.id)).ok)
  await settle()
  assert.equal((await linkOf(ada))!.split('/').at(-1), code)
  await orderBy(await customer('ben@example.com'), code)
  assert.deepEqual(await points(ada), [500, 0, 500])
  await store.soundBooks()
})

test('a discount that the platform refuses is shown to the operator, and there are no links', async () => {
  const { store, rule, customer, linkOf } = await aShop()
  await rule('referral', { referred_reward: { reward_type: 'free_product', product_id: '99887766' } }, POINTS)
  assert.equal(await linkOf(await customer('ada@example.com')), null)
  const { data } = await service.admin('GET', `${store.at}/alerts`)
  assert.equal(data.filter((one: any) => one.kind === 'loyalty_referrals_refused').length, 1)
})

test('of a free product one piece is free for the friend, whatever is ordered', async () => {
  const { store, storeId, rule, customer, codeOf, settle } = await aShop()
  const { id: roast } = await service.sandboxDb.inInstallation((q) =>
    q.one(
      row({ id: text }),
      sql`select id::text as id from sandbox.products where store_id = ${storeId} and handle = 'filter-roast'`
    )
  )
  await rule('referral', { referred_reward: { reward_type: 'free_product', product_id: roast } }, POINTS)
  const [ada, ben, cyd] = [
    await customer('ada@example.com'),
    await customer('ben@example.com'),
    await customer('cyd@example.com')
  ]
  const codes = [await codeOf(ada)]
  const costs = async (customerId: string, variant: string, quantity: number) => {
    const { id } = await controls.order({ storeId, customerId, codes, lines: [{ variant, quantity }] })
    await settle()
    return service.db.inStore(storeId, ({ tx }) =>
      tx.one(
        row({ total: int }),
        sql`select total_minor as total from orders where store_id = ${storeId} and platform_order_id = ${id}`
      )
    )
  }
  // 250 g cost 12.50, and 1 kg costs 39.00.
  assert.deepEqual(await costs(ben, 'FILTER-250', 3), { total: 2500 })
  assert.deepEqual(await costs(cyd, 'FILTER-1000', 1), { total: 2650 })
  await store.soundBooks()
})

test('codes of referrals wait while the app may not make discounts, and are there once it may', async () => {
  const { store, storeId, rule, customer, linkOf, settle, onPlatform } = await aShop()
  await controls.changeScopes(
    storeId,
    requestedScopes.filter((scope) => scope !== 'write_discounts')
  )
  await settle()
  await rule('referral', { referred_reward: HALF }, POINTS)
  const ada = await customer('ada@example.com')
  assert.deepEqual([await linkOf(ada), await onPlatform()], [null, []])
  const { data } = await service.admin('GET', `${store.at}/alerts`)
  const kinds = data.map(({ kind }: { kind: string }) => kind).filter((kind: string) => kind.startsWith('loyalty'))
  assert.deepEqual(kinds, ['loyalty_referrals_denied'])
  await controls.changeScopes(storeId, [...requestedScopes])
  await settle()
  assert.match((await linkOf(ada))!, /\/discount\//)
  assert.equal((await onPlatform()).length, 2)
})

test('customers who are merged keep their friends, and are no friends of themselves', async () => {
  const { store, storeId, rule, customer, codeOf, orderBy, points, referrals, settle } = await aShop()
  await rule('referral', { referred_reward: { reward_type: 'points', amount: 40 } }, POINTS)
  const [ada, ben, cyd] = [
    await customer('ada@example.com'),
    await customer('ben@example.com'),
    await customer('cyd@example.com')
  ]
  const code = await codeOf(ada)
  await orderBy(ben, code)
  await orderBy(cyd, code)
  assert.deepEqual(
    [await points(ada), await points(ben)],
    [
      [1000, 0, 1000],
      [40, 0, 40]
    ]
  )
  await controls.mergeCustomers({ storeId, customerId: ada, intoId: ben })
  await settle()
  assert.deepEqual(
    (await referrals()).map(({ status, reason }) => [status, reason]),
    [
      ['refused', 'same_customer'],
      ['counted', null]
    ]
  )
  assert.deepEqual(
    [await points(ben), await points(cyd)],
    [
      [500, 0, 500],
      [40, 0, 40]
    ]
  )
  await orderBy(await customer('dan@example.com'), code)
  assert.deepEqual(await points(ben), [1000, 0, 1000])
  await store.soundBooks()
})

test('a customer has one code, however often it is asked for at once', async () => {
  const { store, storeId, rule, customer, linkOf } = await aShop()
  await rule('referral', { referred_reward: HALF }, POINTS)
  const ada = await customer('ada@example.com')
  const { proxySecret } = await platformAccess(service.db, testVault, storeId)
  const signer = { domain: store.domain, credentials: { accessToken: '', appSecret: '', proxySecret } }
  const readByTheme = async () => {
    const path = `${service.url}/apps/svc-api/v1/loyalty/customers/${ada}`
    const { data } = (await (await fetch(`${path}?${signedQuery(signer, {}, { customerId: ada })}`)).json()) as any
    return { referral_url: data.referral_url }
  }
  const readByOperator = () => service.admin('GET', `${store.at}/loyalty/customers/${ada}`)
  const asked = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? readByTheme() : readByOperator()))
  const links = new Set((await Promise.all(asked)).map(({ referral_url: url }) => url))
  assert.deepEqual(links, new Set([await linkOf(ada)]))
  const { count } = await service.db.inStore(storeId, (ctx) =>
    ctx.tx.one(
      row({ count: int }),
      sql`select count(*) as count from loyalty_referral_codes where store_id = ${storeId}`
    )
  )
  assert.equal(count, 1)
})

test('an order that the platform gives to another customer is a referral of that one, if of any', async () => {
  const { storeId, rule, customer, codeOf, order, orderBy, points, asOf, referrals, memberOf, settle } = await aShop()
  await rule('referral', { referred_reward: { reward_type: 'points', amount: 40 } }, POINTS)
  const [ada, ben, cyd, dan] = [
    await customer('ada@example.com'),
    await customer('ben@example.com'),
    await customer('cyd@example.com'),
    await customer('dan@example.com')
  ]
  const code = await codeOf(ada)
  await order(dan, '10.00')
  const id = await asOf(await orderBy(ben, code), {})
  const give = async (from: string, to: string) => {
    const [former, memberId] = [await memberOf(from), await memberOf(to)]
    await service.db.inStore(storeId, async (ctx) => {
      await ctx.tx.run(sql`update orders set member_id = ${memberId} where store_id = ${storeId} and id = ${id}`)
      await refreshOrders(ctx, [id], { formerMemberIds: [former] })
    })
    await settle()
  }
  await give(ben, cyd)
  assert.deepEqual([await points(ada), await points(ben), await points(cyd)], [[500, 0, 500], NONE, [40, 0, 40]])
  await give(cyd, dan)
  assert.deepEqual([await points(ada), await points(cyd), await points(dan)], [NONE, NONE, NONE])
  assert.deepEqual(
    (await referrals()).map(({ status, reason }) => [status, reason]),
    [['refused', 'not_new']]
  )
})

test('doctor finds a referral of somebody who was a customer before, a count of one that is none, and a reward of one that does not count', async () => {
  const { store, storeId, rule, customer, codeOf, order, orderBy, memberOf, asOf } = await aShop()
  const ruleId = await rule('referral', { referred_reward: { reward_type: 'points', amount: 40 } }, POINTS)
  const [ada, ben] = [await customer('ada@example.com'), await customer('ben@example.com')]
  const id = await asOf(await orderBy(ben, await codeOf(ada)), {})
  await store.advance({ by: 'PT1M' })
  const later = await asOf(await order(ben, '5.00'), {})
  await store.soundBooks()
  const [a, b] = [`mem_${await memberOf(ada)}`, `mem_${await memberOf(ben)}`]
  const found = async (statement: ReturnType<typeof sql>) => {
    await service.db.inStore(storeId, ({ tx }) => tx.run(statement))
    const { findings } = await service.admin('POST', '/doctor', { store: store.id })
    return findings
      .filter(({ check }: Record<string, string>) => check === 'loyalty_referrals_right')
      .map(({ subject, message }: Record<string, string>) => [subject, message])
  }
  const placed = (at: string) =>
    sql`update orders set processed_at = ${at}::timestamptz where store_id = ${storeId} and id = ${later}`
  assert.deepEqual(await found(placed('2020-01-01')), [
    [`ord_${id}`, `is a referral of ${b} by ${a}, and not the first order of another customer`]
  ])
  assert.deepEqual(await found(placed('2030-01-01')), [])
  const state = (state: string, reason: string | null) =>
    sql`update loyalty_referrals set state = ${state}, reason = ${reason} where store_id = ${storeId}`
  assert.deepEqual(await found(state('refused', 'same_email')), [
    [`ord_${id}`, `counts as a referral by ${a} with rule ${ruleId}, and is none`]
  ])
  assert.deepEqual(await found(state('valid', null)), [])
  const counted = sql`update loyalty_counts set amount = 0 where store_id = ${storeId} and cause = ${`referral:${id}`}`
  assert.deepEqual(await found(counted), [
    [`ord_${id}`, `has rewarded the friend ${b} by rule ${ruleId}, and does not count`]
  ])
})
