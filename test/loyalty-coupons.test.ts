// Coupons that customers get as rewards or buy with points: from the cause to the discount on the platform, and back, with the sandbox over its
// socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { findCoupon, listCoupons, redeemTemplate } from '#loyalty'
import { findCustomerId, parseCustomerId } from '#members'
import { type PlatformFailure, requestedScopes } from '#platform'
import { earnPoints, findPoints } from '#points'
import { listAlerts } from '#stores'
import { createCouponEngine } from '../src/loyalty/coupons/coupon-engine.ts'
import { createCouponWalkEngine } from '../src/loyalty/coupons/coupon-walk-engine.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { controls } = service.sandbox

/** A mutation whose answer is lost: it was carried out, or never heard. */
const LOST: PlatformFailure = { kind: 'unavailable', message: 'The answer was lost', outcomeUnknown: true }

const Discount = row({ code: text, kind: text, uses: int, body: text, endsAt: nullable(text) })

async function aShop(settings: Record<string, unknown> = {}) {
  const store = await aStoreWithEvents(service)
  const { storeId, at } = store
  if (Object.keys(settings).length > 0) await service.admin('PATCH', `${at}/settings`, { loyalty: settings })
  const connector = await service.deps.connectorOf(storeId)
  const inStore = <T>(work: Parameters<typeof db.inStore<T>>[1]) => db.inStore(storeId, work)
  const settle = () => service.deps.settle(storeId)
  const memberOf = async (platformId: string) =>
    (await inStore((ctx) => findCustomerId(ctx, parseCustomerId(platformId, 'platform'))))!
  return {
    store,
    storeId,
    connector,
    inStore,
    settle,
    memberOf,
    rule: async (type: string, rules: object, reward: object): Promise<number> =>
      (await service.admin('POST', `${at}/loyalty/rules`, { type, name: type, rules, reward_rules: reward })).id,
    template: async (rules: object = { amount: 5 }, more: object = {}): Promise<number> =>
      (
        await service.admin('POST', `${at}/loyalty/templates`, {
          ...{ name: '$5 off', type: 'fixed_amount', rules, required_points: 500, discount_code_prefix: 'PTS-' },
          ...more
        })
      ).id,
    async customer(email = 'ada@example.com', points = 0) {
      const { id } = await controls.createCustomer({ storeId, email })
      await settle()
      const memberId = await memberOf(id)
      if (points > 0) {
        await inStore((ctx) =>
          earnPoints(ctx, [
            ...[{ memberId, points, reason: 'a test', operationId: `test:${id}`, orderId: null, isShared: false }].map(
              (one) => ({ ...one, readyAt: null, expireAfterDays: null })
            )
          ])
        )
      }
      return { id, memberId }
    },
    redeem: (memberId: number, templateId: number, requestId: string | null = null) =>
      inStore((ctx) => redeemTemplate(ctx, { memberId, templateId, requestId })),
    order: async (customerId: string, codes: string[] = [], more: object = { total: '50.00' }) => {
      const { id } = await controls.order({ storeId, customerId, codes, ...more } as Parameters<
        typeof controls.order
      >[0])
      await settle()
      return id
    },
    coupons: (memberId: number) =>
      inStore((ctx) => listCoupons(ctx, { memberId, type: null, isActive: null, beforeId: null, limit: 100 })),
    coupon: async (id: number) => (await inStore((ctx) => findCoupon(ctx, id)))!,
    points: async (memberId: number) =>
      (await inStore((ctx) => findPoints(ctx, [memberId]))).get(memberId)?.balance ?? 0,
    /** The messages of the alerts of this kind. */
    alerts: async (kind: string) =>
      (await inStore((ctx) => listAlerts(ctx))).alerts.filter((one) => one.kind === kind).map(({ message }) => message),
    onPlatform: () =>
      inStore((ctx) =>
        ctx.tx.many(
          Discount,
          sql`
          select c.code, d.kind, d.usage_count as uses, d.body::text as body, d.ends_at::text as ends_at
            from sandbox.discounts d join sandbox.redeem_codes c on c.store_id = ${ctx.storeId} and c.discount_id = d.id
           where d.store_id = ${ctx.storeId} and d.kind like 'DiscountCode%' order by d.id`
        )
      ),
    engine: (calls: Parameters<typeof withCalls>[1]) =>
      createCouponEngine({
        db,
        leaseOwner: 1,
        maxCallMs: 60_000,
        connectorOf: async () => withCalls(connector, calls),
        patience: { slowMs: 10, comeBackMs: 20 }
      }),
    /** As if the time had passed for which coupons rest, and calls could arrive. */
    wake: () =>
      inStore((ctx) =>
        ctx.tx.run(sql`
        update loyalty_coupons set rests_until = null, settles_at = statement_timestamp() - interval '1 second'
         where store_id = ${ctx.storeId}`)
      )
  }
}

async function productOf(storeId: number, handle: string): Promise<string> {
  const { id } = await service.sandboxDb.inInstallation((q) =>
    q.one(
      row({ id: text }),
      sql`select id::text as id from sandbox.products where store_id = ${storeId} and handle = ${handle}`
    )
  )
  return id
}

async function runOut(engine: ReturnType<typeof createCouponEngine>, storeId: number) {
  while ((await engine.runOnce(storeId)) > 0);
}

const stateOf = ({ status, endedBy, usageCount, isActive }: Awaited<ReturnType<typeof findCoupon>> & object) => [
  status,
  endedBy,
  usageCount,
  isActive
]

test('points buy a coupon that is good for one order of one customer', async () => {
  const { store, template, customer, redeem, settle, coupon, points, onPlatform, order, inStore } = await aShop()
  const ada = await customer('ada@example.com', 700)
  const id = await template({ amount: 5, minimum_subtotal: 30, expires_after_days: 10 })
  const bought = await redeem(ada.memberId, id)
  assert.match(bought.code, /^PTS-[2-9A-HJ-NP-Z]{12}$/)
  assert.deepEqual([stateOf(bought), await points(ada.memberId)], [['pending', null, 0, false], 200])
  await settle()
  const [made] = await onPlatform()
  assert.deepEqual([made!.code, made!.kind], [bought.code, 'DiscountCodeBasic'])
  const body = JSON.parse(made!.body)
  assert.deepEqual(
    [body.usageLimit, body.appliesOncePerCustomer, body.context.customers.add.length, body.minimumRequirement],
    [1, true, 1, { subtotal: { greaterThanOrEqualToSubtotal: '30.00' } }]
  )
  const active = await coupon(bought.id)
  assert.deepEqual(stateOf(active), ['active', null, 0, true])
  assert.equal(String(active.expiresAt), String(bought.createdAt.add({ hours: 240 })))
  const bob = await customer('bob@example.com')
  await assert.rejects(order(bob.id, [bought.code]), /another customer/)
  await order(ada.id, [bought.code.toLowerCase()])
  assert.deepEqual(stateOf(await coupon(bought.id)), ['ended', 'used', 1, false])
  await assert.rejects(order(ada.id, [bought.code]), /has been used/)
  assert.equal(await inStore(async (ctx) => (await listAlerts(ctx)).alerts.length), 0)
  await store.soundBooks()
})

test('a use counts once however often the order is reported, and a cancelled order gives it not back', async () => {
  const { store, storeId, template, customer, redeem, settle, coupon, order } = await aShop()
  const ada = await customer('ada@example.com', 500)
  const { id, code } = await redeem(ada.memberId, await template())
  await settle()
  const orderId = await order(ada.id, [code])
  await store.advance({ by: 'PT1M' })
  await controls.cancelOrder({ storeId, orderId })
  await settle()
  assert.deepEqual(stateOf(await coupon(id)), ['ended', 'used', 1, false])
  await store.soundBooks()
})

test('100 redemptions at once of points that suffice for one give one coupon and one discount, also when the answer is lost', async () => {
  const { store, storeId, template, customer, redeem, engine, connector, wake, coupons, points, onPlatform } =
    await aShop()
  const ada = await customer('ada@example.com', 500)
  const id = await template()
  const asked = await Promise.allSettled(Array.from({ length: 100 }, (_, i) => redeem(ada.memberId, id, `click ${i}`)))
  const done = asked.filter(({ status }) => status === 'fulfilled')
  assert.equal(done.length, 1)
  for (const one of asked) {
    if (one.status === 'rejected') assert.match(one.reason.message, /needs 500 points; the customer has 0/)
  }
  let calls = 0
  const lossy = engine({
    discounts: {
      async createCoupon(...args) {
        calls++
        assert.ok((await connector.discounts.createCoupon(...args)).ok)
        return { ok: false, failure: LOST }
      }
    }
  })
  await runOut(lossy, storeId)
  await wake()
  await runOut(lossy, storeId)
  const [made, ...others] = await coupons(ada.memberId)
  assert.deepEqual([stateOf(made!), others.length, calls], [['active', null, 0, true], 0, 1])
  assert.deepEqual(
    (await onPlatform()).map(({ code }) => code),
    [made!.code]
  )
  assert.equal(await points(ada.memberId), 0)
  await store.soundBooks()
})

test('a request that comes again is answered with its coupon, and one without an id with the unused one', async () => {
  const { template, customer, redeem, coupons, points, order, settle } = await aShop()
  const ada = await customer('ada@example.com', 2000)
  const id = await template()
  const first = await redeem(ada.memberId, id, 'a')
  assert.equal((await redeem(ada.memberId, id, 'a')).id, first.id)
  assert.equal((await redeem(ada.memberId, id)).id, first.id)
  const second = await redeem(ada.memberId, id, 'b')
  assert.notEqual(second.id, first.id)
  const together = await Promise.all(Array.from({ length: 10 }, () => redeem(ada.memberId, id)))
  assert.deepEqual(new Set(together.map((one) => one.id)), new Set([second.id]))
  assert.deepEqual([(await coupons(ada.memberId)).length, await points(ada.memberId)], [2, 1000])
  await settle()
  await order(ada.id, [first.code])
  await order(ada.id, [second.code])
  assert.notEqual((await redeem(ada.memberId, id)).id, second.id)
})

test('nothing is bought with too few points, by a template that is not active, or while loyalty is off', async () => {
  const { store, template, customer, redeem, coupons, points } = await aShop()
  const ada = await customer('ada@example.com', 499)
  const id = await template()
  await assert.rejects(redeem(ada.memberId, id), {
    code: 'conflict',
    message: /needs 500 points; the customer has 499/
  })
  await assert.rejects(redeem(ada.memberId, 999_999), { code: 'not_found' })
  const off = await template({ amount: 5 }, { required_points: 10, enabled: false })
  await assert.rejects(redeem(ada.memberId, off), { code: 'conflict', message: /cannot be had for points/ })
  const cheap = await template({ amount: 5 }, { required_points: 10 })
  await service.admin('PATCH', `${store.at}/settings`, { loyalty: { enabled: 'off' } })
  await assert.rejects(redeem(ada.memberId, cheap), { code: 'conflict', message: /switched loyalty off/ })
  assert.deepEqual([await coupons(ada.memberId), await points(ada.memberId)], [[], 499])
})

test('coupons that the platform refuses end with the reason, their points come back, and there is one alert for all of a template', async () => {
  const { store, template, customer, redeem, settle, coupon, points, alerts, onPlatform } = await aShop()
  // The platform has no product with this number.
  const id = await template({ amount: 5, applies_to: 'products', product_ids: ['99887766'] }, { required_points: 100 })
  const ada = await customer('ada@example.com', 1000)
  const bought = [await redeem(ada.memberId, id, 'a'), await redeem(ada.memberId, id, 'b')]
  await settle()
  for (const { id: couponId } of bought) {
    const refused = await coupon(couponId)
    assert.deepEqual([stateOf(refused), refused.deletedAt], [['ended', 'refused', 0, false], null])
    assert.match(refused.problem!, /99887766/)
  }
  const bob = await customer('bob@example.com', 100)
  await redeem(bob.memberId, id)
  await settle()
  assert.deepEqual([await points(ada.memberId), await points(bob.memberId), await onPlatform()], [1000, 100, []])
  const [message, ...more] = await alerts('loyalty_coupon_refused')
  assert.match(message!, new RegExp(`^The platform refuses coupons of template ${id} \\(\\$5 off\\): .*99887766`))
  assert.deepEqual(more, [])
  // Of another template it is another alert.
  const other = await template(
    { amount: 7, applies_to: 'products', product_ids: ['99887766'] },
    { required_points: 100 }
  )
  await redeem(bob.memberId, other)
  await settle()
  assert.equal((await alerts('loyalty_coupon_refused')).length, 2)
  await store.soundBooks()
})

test('however many reasons the platform has, a day has at most 20 alerts about refused coupons', async () => {
  const { storeId, template, customer, redeem, engine, alerts, points } = await aShop()
  const id = await template({ amount: 5 }, { required_points: 1 })
  const ada = await customer('ada@example.com', 30)
  for (let i = 0; i < 30; i++) await redeem(ada.memberId, id, `${i}`)
  const refusing = engine({
    discounts: {
      createCoupon: async ({ code }) => ({ ok: false, failure: { kind: 'rejected', message: `No to ${code}` } })
    }
  })
  await runOut(refusing, storeId)
  assert.deepEqual([(await alerts('loyalty_coupon_refused')).length, await points(ada.memberId)], [20, 30])
})

const WITHOUT_DISCOUNTS = requestedScopes.filter((scope) => scope !== 'write_discounts')

test('coupons that the app may not make wait with their points spent, one alert says so, and they are made as soon as it may', async () => {
  const {
    store,
    storeId,
    template,
    rule,
    customer,
    redeem,
    settle,
    coupon,
    coupons,
    points,
    alerts,
    onPlatform,
    order
  } = await aShop()
  await rule('punch_card', { required_purchases: 1 }, { reward_type: 'free_shipping' })
  const ada = await customer('ada@example.com', 500)
  await controls.changeScopes(storeId, [...requestedScopes])
  await settle()
  await controls.changeScopes(storeId, WITHOUT_DISCOUNTS)
  await settle()
  const { id } = await redeem(ada.memberId, await template())
  await order(ada.id)
  const waiting = async () => (await coupons(ada.memberId)).map(stateOf)
  const pending = ['pending', null, 0, false]
  assert.deepEqual([await waiting(), await points(ada.memberId), await onPlatform()], [[pending, pending], 0, []])
  // A second click buys nothing: the customer has this one.
  assert.equal((await redeem(ada.memberId, (await coupon(id)).templateId!)).id, id)
  await store.advance({ by: 'P3D' })
  assert.deepEqual([await waiting(), await points(ada.memberId)], [[pending, pending], 0])
  assert.equal((await alerts('loyalty_coupons_denied')).length, 1)
  assert.deepEqual(await alerts('loyalty_coupon_refused'), [])
  assert.match(
    (await alerts('scopes_missing'))[0]!,
    /write_discounts is missing: .*coupons of loyalty and codes of referrals wait/
  )
  await controls.changeScopes(storeId, [...requestedScopes])
  await settle()
  const active = ['active', null, 0, true]
  assert.deepEqual([await waiting(), (await onPlatform()).length], [[active, active], 2])
  await order(ada.id, [(await coupon(id)).code])
  assert.deepEqual(stateOf(await coupon(id)), ['ended', 'used', 1, false])
  await store.soundBooks()
})

test('what the app may not do is tried again each day, also where nobody reports that it may by now', async () => {
  const { store, storeId, template, customer, redeem, settle, coupon, onPlatform } = await aShop()
  const ada = await customer('ada@example.com', 1000)
  const id = await template()
  const made = await redeem(ada.memberId, id, 'a')
  await settle()
  await controls.setAccess({ storeId, scopes: WITHOUT_DISCOUNTS })
  const waiting = await redeem(ada.memberId, id, 'b')
  await service.admin('POST', `${store.at}/loyalty/coupons/${made.id}/end`)
  await settle()
  assert.deepEqual([stateOf(await coupon(waiting.id)), (await onPlatform()).length], [['pending', null, 0, false], 1])
  await controls.setAccess({ storeId, scopes: [...requestedScopes] })
  await store.advance({ by: 'PT23H' })
  assert.deepEqual(stateOf(await coupon(waiting.id)), ['pending', null, 0, false])
  await store.advance({ by: 'PT2H' })
  assert.deepEqual(stateOf(await coupon(waiting.id)), ['active', null, 0, true])
  assert.notEqual((await coupon(made.id)).deletedAt, null)
  await store.soundBooks()
})

test('a coupon that expires while the app may not make it ends at its time, and gives its points back', async () => {
  const { store, storeId, template, customer, redeem, settle, coupon, points, engine, wake } = await aShop()
  const ada = await customer('ada@example.com', 500)
  await controls.setAccess({ storeId, scopes: WITHOUT_DISCOUNTS })
  const { id } = await redeem(ada.memberId, await template({ amount: 5, expires_after_days: 1 }))
  const away = { ok: false, failure: { kind: 'unavailable', message: 'Away' } } as const
  await runOut(engine({ discounts: { createCoupon: async () => away } }), storeId)
  await db.inStore(storeId, ({ tx }) =>
    tx.run(sql`
      update loyalty_coupons set rests_until = statement_timestamp() + interval '10 minutes' where store_id = ${storeId}`)
  )
  await store.advance({ by: 'PT12H' })
  await wake()
  // Denied now: the next try would be half a day after its end.
  await settle()
  assert.deepEqual(stateOf(await coupon(id)), ['pending', null, 0, false])
  await store.advance({ by: 'PT13H' })
  await wake()
  await settle()
  assert.deepEqual([stateOf(await coupon(id)), await points(ada.memberId)], [['ended', 'expired', 0, false], 500])
  await store.soundBooks()
})

test('a free product is one piece whatever is ordered, and follows its price', async () => {
  const { store, storeId, rule, customer, coupons, coupon, order, inStore } = await aShop()
  const roast = await productOf(storeId, 'filter-roast')
  await rule('custom_action', { action_key: 'quiz' }, { reward_type: 'free_product', product_id: roast })
  const ada = await customer()
  const earn = async (event: string) => {
    await service.admin('POST', `${store.at}/loyalty/events`, {
      ...{ customer: ada.id, type: 'custom_action', action_key: 'quiz', event_id: event }
    })
    await service.deps.settle(storeId)
    return (await coupons(ada.memberId))[0]!
  }
  const costs = async (code: string, variant: string, quantity: number) => {
    const id = await order(ada.id, [code], { lines: [{ variant, quantity }] })
    return (
      await inStore((ctx) =>
        ctx.tx.one(
          row({ total: int }),
          sql`select total_minor as total from orders where store_id = ${storeId} and platform_order_id = ${id}`
        )
      )
    ).total
  }
  // 250 g cost 12.50, and 1 kg costs 39.00.
  const first = await earn('a')
  assert.equal(first.productTitle, 'Filter roast')
  assert.equal(await costs(first.code, 'FILTER-250', 3), 2500)
  assert.equal(await costs((await earn('b')).code, 'FILTER-1000', 1), 2650)
  assert.equal(await costs((await earn('c')).code, 'FILTER-250', 1), 0)
  const kept = await earn('d')
  await store.advance({ by: 'PT1H' })
  await inStore((ctx) =>
    ctx.tx.run(sql`
      update sandbox.variants set price_minor = 300 where store_id = ${storeId} and sku = 'FILTER-250'`)
  )
  await store.advance({ by: 'P1D' })
  assert.equal(await costs((await coupon(kept.id)).code, 'FILTER-250', 4), 900)
  await store.soundBooks()
})

test('the price of a coupon of before this version is looked for at the next comparison', async () => {
  const { store, storeId, rule, customer, coupons, order, inStore, onPlatform } = await aShop()
  const roast = await productOf(storeId, 'filter-roast')
  await rule('punch_card', { required_purchases: 1 }, { reward_type: 'free_product', product_id: roast })
  const ada = await customer()
  await order(ada.id)
  const [made] = await coupons(ada.memberId)
  await inStore(async (ctx) => {
    await ctx.tx.run(
      sql`update loyalty_coupons set price_minor = null, product_title = null where store_id = ${storeId} and id = ${made!.id}`
    )
    await ctx.tx.run(sql`
      update sandbox.discounts set body = jsonb_set(body, '{customerGets,value,discountAmount,amount}', '"39.00"')
       where store_id = ${storeId} and id = ${made!.platformDiscountId}::bigint`)
  })
  await store.advance({ by: 'P1D' })
  const [one] = await onPlatform()
  assert.equal(JSON.parse(one!.body).customerGets.value.discountAmount.amount, '12.50')
  assert.equal((await coupons(ada.memberId))[0]!.productTitle, 'Filter roast')
})

test('the overview counts the coupons of its period by the plan of their customers, without refused ones', async () => {
  const { store, storeId, template, customer, redeem, settle, memberOf } = await aShop()
  const { customer: member } = await store.member('vip@example.com', 'VIP')
  const vip = await memberOf(member.id)
  await db.inStore(storeId, (ctx) =>
    earnPoints(ctx, [
      ...[
        { memberId: vip, points: 500, reason: 'a test', operationId: 'test:vip', orderId: null, isShared: false }
      ].map((one) => ({ ...one, readyAt: null, expireAfterDays: null }))
    ])
  )
  const ada = await customer('ada@example.com', 1500)
  const id = await template()
  await redeem(ada.memberId, id, 'a')
  await settle()
  await store.advance({ by: 'P8D' })
  await redeem(ada.memberId, id, 'b')
  await redeem(vip, id)
  await settle()
  const refused = await template({ amount: 5, applies_to: 'products', product_ids: ['99887766'] })
  await redeem(ada.memberId, refused, 'c')
  await settle()
  const issued = async (query: string) => {
    const { body } = await service.get(`/analytics/overview?${query}`, store.key)
    return [body.data.loyalty.coupons_issued, body.data.previous.loyalty.coupons_issued]
  }
  assert.deepEqual(await issued('period=7d'), [2, 1])
  assert.deepEqual(await issued('period=30d'), [3, 0])
  const { data: plans } = await service.admin('GET', `${store.at}/plans`)
  const plan = plans.find(({ name }: { name: string }) => name === 'VIP')
  assert.deepEqual(await issued(`period=7d&plan_id=${plan.id}`), [1, 0])
  await store.soundBooks()
})

test('a coupon expires by the clock of the store, also one that nobody could make', async () => {
  const { store, storeId, template, customer, redeem, settle, coupon, points, engine } = await aShop()
  const ada = await customer('ada@example.com', 1000)
  const id = await template({ amount: 5, expires_after_days: 1 })
  const made = await redeem(ada.memberId, id, 'a')
  await settle()
  await store.advance({ by: 'PT23H' })
  assert.deepEqual(stateOf(await coupon(made.id)), ['active', null, 0, true])
  const unmade = await redeem(ada.memberId, id, 'b')
  await runOut(
    engine({
      discounts: { createCoupon: async () => ({ ok: false, failure: { kind: 'unavailable', message: 'Away' } }) }
    }),
    storeId
  )
  await db.inStore(storeId, (ctx) =>
    ctx.tx.run(sql`
      update loyalty_coupons set rests_until = statement_timestamp() + interval '10 minutes',
                                 settles_at = statement_timestamp() - interval '1 second'
       where store_id = ${storeId} and id = ${unmade.id}`)
  )
  await store.advance({ by: 'PT2H' })
  await settle()
  assert.deepEqual(stateOf(await coupon(made.id)), ['ended', 'expired', 0, false])
  await db.inStore(storeId, (ctx) =>
    ctx.tx.run(sql`
      update loyalty_coupons set expires_at = ${ctx.now}, rests_until = null where store_id = ${storeId} and id = ${unmade.id}`)
  )
  await settle()
  assert.deepEqual(
    [stateOf(await coupon(unmade.id)), await points(ada.memberId)],
    [['ended', 'expired', 0, false], 500]
  )
  await store.soundBooks()
})

test('a coupon whose discount somebody deletes on the platform is over', async () => {
  const { store, template, customer, redeem, settle, coupon, connector, points } = await aShop()
  const ada = await customer('ada@example.com', 500)
  const { id } = await redeem(ada.memberId, await template())
  await settle()
  assert.ok((await connector.discounts.delete((await coupon(id)).platformDiscountId!)).ok)
  await settle()
  const deleted = await coupon(id)
  assert.deepEqual([stateOf(deleted), deleted.deletedAt !== null], [['ended', 'deleted', 0, false], true])
  assert.equal(await points(ada.memberId), 0)
  await store.soundBooks()
})

test('a coupon whose discount is gone without a message ends at the next daily comparison', async () => {
  const { store, storeId, template, customer, redeem, settle, coupon, inStore } = await aShop()
  const ada = await customer('ada@example.com', 1500)
  const id = await template()
  const [kept, gone] = [await redeem(ada.memberId, id, 'a'), await redeem(ada.memberId, id, 'b')]
  await settle()
  const remove = async (couponId: number) => {
    const { platformDiscountId } = await coupon(couponId)
    await service.sandboxDb.inInstallation(async (q) => {
      await q.run(sql`
        delete from sandbox.redeem_codes where store_id = ${storeId} and discount_id = ${platformDiscountId}::bigint`)
      await q.run(sql`
        delete from sandbox.discounts where store_id = ${storeId} and id = ${platformDiscountId}::bigint`)
    })
  }
  await remove(gone.id)
  await store.advance({ by: 'PT23H55M' })
  // Made so short before the comparison that it is left to the next one.
  const { id: lateId } = await redeem(ada.memberId, id, 'c')
  await settle()
  await remove(lateId)
  assert.deepEqual(stateOf(await coupon(gone.id)), ['active', null, 0, true])
  await store.advance({ by: 'PT6M' })
  assert.deepEqual(stateOf(await coupon(gone.id)), ['ended', 'deleted', 0, false])
  assert.deepEqual(stateOf(await coupon(lateId)), ['active', null, 0, true])
  await store.advance({ by: 'P1D' })
  assert.deepEqual(stateOf(await coupon(lateId)), ['ended', 'deleted', 0, false])
  assert.deepEqual(stateOf(await coupon(kept.id)), ['active', null, 0, true])
  const walk = await inStore(({ tx }) =>
    tx.one(
      row({ afterId: int, failures: int }),
      sql`select after_id, failures from loyalty_coupon_walks where store_id = ${storeId}`
    )
  )
  assert.deepEqual(walk, { afterId: 0, failures: 0 })
  await store.soundBooks()
})

test('the comparison of coupons goes over all of them, a page at a time, and one that fails goes on later', async () => {
  const { storeId, template, customer, redeem, settle, connector, inStore } = await aShop()
  const ada = await customer('ada@example.com', 500)
  const { id } = await redeem(ada.memberId, await template())
  await settle()
  await inStore(async ({ tx }) => {
    await tx.run(sql`
      insert into loyalty_coupons (store_id, member_id, template_id, name, type, amount_minor, product_ids, collection_ids, code, status,
                                   platform_discount_id, operation_id, created_at, updated_at)
      select c.store_id, c.member_id, c.template_id, c.name, c.type, c.amount_minor, '{}', '{}', 'PAGE-' || n, 'active',
             case when n in (99, 230) then '1' || n else c.platform_discount_id || '00' || n end, 'page:' || n, c.created_at,
             c.created_at - interval '1 hour'
        from loyalty_coupons c cross join generate_series(1, 250) n where c.store_id = ${storeId} and c.id = ${id}
      on conflict do nothing`)
    await tx.run(sql`update loyalty_coupon_walks set next_at = '2020-01-01' where store_id = ${storeId}`)
  })
  const asked: number[] = []
  let isAway = true
  const engine = createCouponWalkEngine({
    db,
    leaseOwner: 1,
    connectorOf: async () =>
      withCalls(connector, {
        discounts: {
          exist: async (ids) => {
            if (asked.length === 1 && isAway) return { ok: false, failure: { kind: 'unavailable', message: 'Away' } }
            asked.push(ids.length)
            return { ok: true, value: new Set(ids.filter((one) => one !== '199' && one !== '1230')) }
          }
        }
      })
  })
  const runAll = async () => {
    while ((await engine.runOnce(storeId)) > 0);
  }
  await runAll()
  assert.deepEqual(asked, [100])
  isAway = false
  await inStore(({ tx }) => tx.run(sql`update loyalty_coupon_walks set rests_until = null where store_id = ${storeId}`))
  await runAll()
  assert.deepEqual(asked, [100, 100, 50])
  const ended = await inStore(({ tx }) =>
    tx.many(
      row({ id: text }),
      sql`select platform_discount_id as id from loyalty_coupons where store_id = ${storeId} and ended_by = 'deleted' order by 1`
    )
  )
  assert.deepEqual(
    ended.map(({ id: one }) => one),
    ['1230', '199']
  )
})

test('rewards are coupons of their types, and what is no longer earned is taken off unless it was used', async () => {
  const { store, storeId, rule, customer, coupons, onPlatform, order, inStore } = await aShop({
    coupons_expire_after_days: 30
  })
  const mug = await productOf(storeId, 'stoneware-mug')
  const once = { required_purchases: 1 }
  await rule('punch_card', once, { reward_type: 'discount', discount_type: 'percentage', discount_amount: 12.5 })
  await rule('punch_card', once, { reward_type: 'free_product', product_id: mug, code_prefix: 'MUG-' })
  await rule('punch_card', once, { reward_type: 'free_shipping' })
  const ada = await customer()
  const first = await order(ada.id)
  const shipping = (await coupons(ada.memberId)).find(({ type }) => type === 'free_shipping')!
  const gift = (await coupons(ada.memberId)).find(({ type }) => type === 'free_product')!
  const states = async () =>
    (await coupons(ada.memberId)).map((one) => [one.type, ...stateOf(one), one.deletedAt !== null])
  assert.deepEqual(await states(), [
    ['free_shipping', 'active', null, 0, true, false],
    ['free_product', 'active', null, 0, true, false],
    ['amount_off_orders', 'active', null, 0, true, false]
  ])
  assert.equal(
    String(shipping.expiresAt),
    String(shipping.createdAt.toZonedDateTimeISO('America/New_York').add({ days: 30 }).toInstant())
  )
  assert.deepEqual(
    (await onPlatform())
      .map(({ kind, body }) => [kind, JSON.parse(body).customerGets?.value ?? JSON.parse(body).destination])
      .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    [
      ['DiscountCodeBasic', { discountAmount: { amount: '18.00', appliesOnEachItem: false } }],
      ['DiscountCodeBasic', { percentage: 0.125 }],
      ['DiscountCodeFreeShipping', { all: true }]
    ]
  )
  // One of two mugs costs nothing, up to the price of the smallest.
  const second = await order(ada.id, [gift.code, shipping.code], {
    lines: [{ variant: 'MUG-BLACK-L', quantity: 2 }],
    shipping: '8.00'
  })
  const { total } = await inStore((ctx) =>
    ctx.tx.one(
      row({ total: int }),
      sql`select total_minor as total from orders where store_id = ${storeId} and platform_order_id = ${second}`
    )
  )
  assert.equal(total, 2600)
  await controls.refund({ storeId, orderId: first })
  await controls.refund({ storeId, orderId: second })
  await service.deps.settle(storeId)
  assert.deepEqual(await states(), [
    ['free_shipping', 'ended', 'used', 1, false, false],
    ['free_product', 'ended', 'used', 1, false, false],
    ['amount_off_orders', 'ended', 'revoked', 0, false, true]
  ])
  assert.equal((await onPlatform()).length, 2)
  await store.soundBooks()
})
