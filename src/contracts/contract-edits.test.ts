// Requested changes as edits of the platform's contract: what of them can be made now, and of which line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { listPlans, type Plan } from '#plans'
import type { PlatformContract, PlatformContractLine } from '#platform'
import { listAlerts } from '#stores'
import type { Change, Subscription } from '#subscriptions'
import { aContract } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aPlan as aPlanOf } from '../../test/plan-builder.ts'
import { aSubscriptionLife } from '../../test/subscription-life.ts'
import { requestChange } from '../lifecycle/request-change.ts'
import { listActivity } from '../subscriptions/history/list-activity.ts'
import { dropChange, listChanges } from '../subscriptions/requested-changes.ts'
import { editOf, endReady, listReadyChanges, partsOf, type ReadyChange } from './contract-edits.ts'
import { listContractPushes, pushCalls } from './contract-pushes.ts'
import { reportRefusedChanges } from './refused-changes.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'

const aPlan = (id: number, type: Plan['type'] = 'vip') =>
  ({
    id,
    name: `Plan ${id}`,
    type,
    platformVariantId: type === 'product' ? null : `${id}01`,
    platformSellingPlanId: `${id}03`,
    versions: [{ version: 1, sellingPlanId: `${id}02`, sinceMs: 0 }]
  }) as Plan
const PLANS = [aPlan(1), aPlan(2), aPlan(3, 'product')]
const NOTHING: Change = {
  subscriptionId: 1,
  planId: null,
  priceMinor: null,
  linePriceMinor: null,
  interval: null,
  intervalCount: null,
  platformPaymentMethodId: null,
  replaces: null,
  actor: 'api',
  actorId: null,
  version: 1
}
const NO_TERMS = { priceMinor: null, platformPaymentMethodId: null }
const contract = aContract(Temporal.Instant.from('2026-01-31T15:00:00Z'), { minCycles: 2, maxCycles: 12 })
const line = (id: string, given: Partial<PlatformContractLine>) => ({ ...contract.lines[0]!, id, ...given })

/** A change of a subscription that has the plan `of`. */
const aChange = (change: Partial<Change>, of: number | null = 1): ReadyChange => ({
  change: { ...NOTHING, ...change },
  subscription: { planId: of } as Subscription,
  plan: PLANS.find(({ id }) => id === change.planId) ?? null,
  plans: PLANS,
  hasWaitingTerms: false
})

function edited(one: ReadyChange, lines: PlatformContractLine[], over: Partial<PlatformContract> = {}) {
  const edit = editOf(one, { ...contract, lines, priceMinor: sumOf(lines), ...over })
  assert.ok(typeof edit !== 'string', String(edit))
  return edit
}
const sumOf = (lines: PlatformContractLine[]) => lines.reduce((sum, one) => sum + one.priceMinor * one.quantity, 0)
const refusal = (one: ReadyChange, lines: PlatformContractLine[]) => editOf(one, { ...contract, lines })

const VIP = line('a', { sellingPlanId: '103' })
const OLD_VIP = line('b', { sellingPlanId: '102' })
const MUG = line('c', { sellingPlanId: null, priceMinor: 400, quantity: 2 })
const TEA = line('d', { sellingPlanId: '999', priceMinor: 500 })

test('an interval or a payment method is changed without a line; both of the interval are needed', () => {
  const plain = { contractId: contract.id, currency: 'USD', lines: [], total: null }
  assert.deepEqual(edited(aChange({ interval: 'week', intervalCount: 2 }), [VIP, MUG, OLD_VIP]), {
    ...plain,
    policy: { interval: 'week', intervalCount: 2, minCycles: 2, maxCycles: 12 },
    paymentMethodGid: null
  })
  const method = { ...plain, policy: null, paymentMethodGid: 'card-2' }
  assert.deepEqual(edited(aChange({ platformPaymentMethodId: 'card-2' }), [MUG, TEA]), method)
  assert.deepEqual(edited(aChange({ platformPaymentMethodId: 'card-2', intervalCount: 2 }), [MUG, TEA]), method)
  assert.equal(refusal(aChange({ platformPaymentMethodId: 'card-2' }), []), 'The contract has no line')
})

test('another plan replaces the line of the membership, with its price where it brings one, and no other line', () => {
  const sold = { variantId: '201', sellingPlanId: '203', sellingPlanName: 'Plan 2' }
  const toElite = aChange({ planId: 2, linePriceMinor: 4900 })
  for (const lines of [[VIP], [MUG], [MUG, VIP, TEA], [OLD_VIP, MUG]]) {
    const { lines: changed, total } = edited(toElite, lines)
    const id = lines.length === 1 ? lines[0]!.id : lines.find((one) => one === VIP || one === OLD_VIP)!.id
    assert.deepEqual([changed, total], [[{ id, priceMinor: 4900, sold }], null])
  }
  const { lines, total } = edited(aChange({ planId: 2, priceMinor: 3000 }), [VIP])
  assert.deepEqual(lines, [{ id: 'a', priceMinor: null, sold }])
  assert.deepEqual(total, { lineId: 'a', minor: 3000, nearMinor: 3000 })
  assert.deepEqual(
    edited(aChange({ planId: 3, linePriceMinor: 700 }), [VIP]).lines,
    [],
    'products are not sold as such'
  )
})

test('a price of a version is that of every line of the plan, or of the only line', () => {
  const toPrice = aChange({ linePriceMinor: 3500 })
  const lineEdit = (id: string) => ({ id, priceMinor: 3500, sold: null })
  assert.deepEqual(edited(toPrice, [VIP, MUG, OLD_VIP]).lines, [lineEdit('a'), lineEdit('b')])
  assert.deepEqual(edited(toPrice, [MUG]).lines, [lineEdit('c')])
  const both = edited(aChange({ linePriceMinor: 3500, priceMinor: 4000 }), [VIP, OLD_VIP])
  assert.deepEqual([both.lines, both.total], [[lineEdit('a'), lineEdit('b')], null], 'the line decides')
})

test('it is refused where it is not clear which line to change, and says how many lines there are', () => {
  const of = (lines: number, ofPlan: string) =>
    `The contract has ${lines} lines, ${ofPlan} of them of its plan: it is not clear which one to change`
  for (const [change, lines, reason] of [
    [aChange({ priceMinor: 3000 }), [MUG, TEA], of(2, 'none')],
    [aChange({ priceMinor: 3000 }), [VIP, MUG, OLD_VIP], of(3, '2')],
    [aChange({ planId: 2 }), [VIP, OLD_VIP], of(2, '2')],
    [aChange({ linePriceMinor: 3000 }), [MUG, TEA], of(2, 'none')],
    [aChange({ linePriceMinor: 3000 }, 2), [VIP, MUG], of(2, 'none')],
    [aChange({ priceMinor: 3000 }, null), [VIP, MUG], of(2, 'none')]
  ] as const) {
    assert.equal(refusal(change, [...lines]), reason)
  }
  const products = aChange({ planId: 2, linePriceMinor: 1 }, 3)
  const beans = line('e', { sellingPlanId: '303' })
  assert.equal(refusal(products, [beans, MUG]), 'The contract has 2 lines of products: they cannot become a membership')
  assert.equal(edited(products, [beans]).lines.length, 1)
  assert.equal(edited(aChange({ linePriceMinor: 1 }, 3), [beans, MUG]).lines.length, 1)
})

test("a price in all is reached by the line of the plan: without the other lines, with delivery and today's discount", () => {
  const near = (minor: number, lines: PlatformContractLine[], over: Partial<PlatformContract> = {}) => {
    const { lines: changed, total } = edited(aChange({ priceMinor: minor }), lines, over)
    assert.deepEqual([changed, total!.lineId, total!.minor], [[], lines[0]!.id, minor])
    return total!.nearMinor
  }
  assert.equal(near(5000, [VIP]), 5000)
  assert.equal(near(5000, [VIP, MUG]), 4200)
  assert.equal(near(5000, [VIP, MUG], { deliveryPriceMinor: 450 }), 3750)
  assert.equal(near(5000, [VIP, MUG], { priceMinor: 3000, deliveryPriceMinor: 450 }), 4450, '7.00 are taken off')
  assert.equal(near(5000, [VIP], { priceMinor: 9000 }), 5000, 'what is above the sum is no discount')
  assert.equal(near(700, [VIP, MUG]), 0)
  const three = line('f', { sellingPlanId: '103', quantity: 3 })
  assert.equal(near(1000, [three]), 333)
  assert.equal(near(1100, [three]), 367)
})

test('a price that was agreed on the platform after the request stays, unless the plan that is requested is sold there already', () => {
  const replaces = (of: Partial<Change>) => ({
    unitPrices: [2900],
    prices: [],
    of: { priceMinor: of.priceMinor ?? null, linePriceMinor: of.linePriceMinor ?? null }
  })
  const agreed = (change: Partial<Change>, lasting: number, over: Partial<PlatformContractLine> = {}) => {
    const edit = refusal(aChange({ ...change, replaces: replaces(change) }), [
      { ...VIP, ...over, lastingPriceMinor: lasting, priceMinor: lasting }
    ])
    return typeof edit === 'string' ? edit : 'edited'
  }
  const stays = 'The price on the platform was changed after the request: it is 20.00 USD now, and stays'
  assert.equal(agreed({ linePriceMinor: 3500 }, 2900), 'edited')
  assert.equal(agreed({ linePriceMinor: 3500 }, 2000), stays)
  assert.equal(agreed({ linePriceMinor: 3500 }, 3500), 'edited')
  assert.equal(agreed({ planId: 2, linePriceMinor: 4900 }, 2000), stays)
  const moved = { sellingPlanId: '203' }
  assert.equal(agreed({ planId: 2, linePriceMinor: 4900 }, 4900, moved), 'edited')
  assert.equal(agreed({ planId: 2, linePriceMinor: 4900 }, 2000, moved), stays)
  const beside = { planId: 2, linePriceMinor: 4900 }
  assert.match(
    String(
      refusal(aChange({ ...beside, replaces: replaces(beside) }), [
        line('g', { ...moved, lastingPriceMinor: 4900 }),
        MUG
      ])
    ),
    /^The contract has 2 lines, none of them of its plan/,
    'it is sold there already, beside another line'
  )
  const total = aChange({
    priceMinor: 3500,
    replaces: { unitPrices: [], prices: [2950], of: { priceMinor: 3500, linePriceMinor: null } }
  })
  const whole = { ...contract, lines: [VIP, OLD_VIP].map((one, i) => ({ ...one, lastingPriceMinor: 1000 + i })) }
  const refused = editOf(total, { ...whole, priceMinor: 2900, deliveryPriceMinor: 100 })
  assert.equal(refused, 'The price on the platform was changed after the request: it is 30.00 USD now, and stays')
  const clear = { ...whole, lines: [VIP], priceMinor: 2900 }
  assert.notEqual(typeof editOf(total, { ...clear, deliveryPriceMinor: 50 }), 'string', 'the total of then')
})

test('terms and payment method are two parts; a change of one of them is a single one', () => {
  const terms = { planId: 2, priceMinor: 1, linePriceMinor: 2, interval: 'week', intervalCount: 1 } as const
  for (const one of [aChange(terms), aChange({ platformPaymentMethodId: 'card-2' })]) {
    assert.deepEqual(partsOf(one), [one])
  }
  const [first, second, ...more] = partsOf(aChange({ ...terms, platformPaymentMethodId: 'card-2' }))
  assert.deepEqual([first!.change, first!.plan], [{ ...NOTHING, ...terms }, PLANS[1]])
  assert.deepEqual([second!.change, second!.plan], [{ ...NOTHING, platformPaymentMethodId: 'card-2' }, null])
  assert.deepEqual(more, [])
  for (const name of Object.keys(terms) as (keyof typeof terms)[]) {
    const one = aChange({ [name]: terms[name], platformPaymentMethodId: 'card-2' })
    assert.equal(partsOf(one).length, 2, name)
  }
})

test('during a charge and while a decline waits only the payment method is changed, and the terms go on waiting', async () => {
  const life = await aSubscriptionLife(db)
  const ask = (change: Parameters<typeof requestChange>[2]) =>
    life.inStore((ctx) => requestChange(ctx, life.id, change, { actor: 'operator', actorId: 'Olga' }))
  const ready = () => life.inStore((ctx) => listReadyChanges(ctx, [life.id]))
  const shown = async () => {
    const { ready: ours, unsettled } = await ready()
    const one = ours.map(({ change: c, hasWaitingTerms }) => [c.priceMinor, c.platformPaymentMethodId, hasWaitingTerms])
    return [one, unsettled]
  }
  await life.goTo(SECOND)
  await life.bill()
  assert.deepEqual(await ready(), { ready: [], unsettled: [] })
  await ask({ priceMinor: 3500 })
  assert.deepEqual(await shown(), [[], [life.id]], 'the first charge is under way')
  await ask({ platformPaymentMethodId: 'card-2' })
  assert.deepEqual(await shown(), [[[null, 'card-2', true]], [life.id]])
  await life.decline('INSUFFICIENT_FUNDS')
  assert.deepEqual(await shown(), [[[null, 'card-2', true]], []])
  await life.inStore(async (ctx) => endReady(ctx, (await listReadyChanges(ctx, [life.id])).ready))
  const waiting = async () => {
    const changes = await life.inStore((ctx) => listChanges(ctx, [life.id]))
    return changes.map(({ priceMinor, platformPaymentMethodId: method }) => [priceMinor, method])
  }
  assert.deepEqual(await waiting(), [[3500, null]])
  await life.inStore((ctx) => requestChange(ctx, life.id, { priceMinor: 2900 }, 'api'))
  await ask({ platformPaymentMethodId: 'card-2' })
  assert.deepEqual(await shown(), [[[null, 'card-2', false]], []], 'no terms wait')
  const [failed] = await life.attempts()
  await ask({ priceMinor: 3500 })
  await life.goTo(failed!.retryAt!.toString())
  await life.bill()
  await life.pay()
  assert.deepEqual(await shown(), [[[3500, 'card-2', false]], []], 'of a paid cycle all is changed')
  await life.inStore(async (ctx) => endReady(ctx, (await listReadyChanges(ctx, [life.id])).ready))
  assert.deepEqual(await waiting(), [])
})

test('a change to another plan comes with that plan', async () => {
  const life = await aSubscriptionLife(db, { plan: { name: 'VIP' } })
  await aPlanOf(life, { name: 'Elite' })
  const plans = await life.inStore(listPlans)
  const elite = plans.find(({ name }) => name === 'Elite')!
  await life.inStore((ctx) => requestChange(ctx, life.id, { planId: elite.id }, 'api'))
  const [one] = (await life.inStore((ctx) => listReadyChanges(ctx, [life.id]))).ready
  assert.deepEqual([one!.plan?.id, one!.change.planId, one!.plans.length], [elite.id, elite.id, 2])
  await life.inStore((ctx) => dropChange(ctx, life.id))
  await life.inStore((ctx) => requestChange(ctx, life.id, { interval: 'week' }, 'api'))
  const [plain] = (await life.inStore((ctx) => listReadyChanges(ctx, [life.id]))).ready
  assert.equal(plain!.plan, null)
})

test('a change of a subscription that has ended is removed; while its cancellation can be taken back it waits', async () => {
  for (const [graceHours, left] of [
    [0, 0],
    [24, 1]
  ] as const) {
    const life = await aSubscriptionLife(db, { graceHours })
    await life.inStore((ctx) => requestChange(ctx, life.id, { priceMinor: 3500 }, 'api'))
    await life.cancel()
    const { ready } = await life.inStore((ctx) => listReadyChanges(ctx, [life.id]))
    const changes = await life.inStore((ctx) => listChanges(ctx, [life.id]))
    assert.deepEqual([ready, changes.length], [[], left])
  }
})

test('what the platform did not accept is in the history with who asked for it, and in one alert', async () => {
  const life = await aSubscriptionLife(db)
  await life.inStore((ctx) =>
    requestChange(ctx, life.id, { priceMinor: 3500, platformPaymentMethodId: 'card-2' }, { actor: 'api', actorId: 'k' })
  )
  const [{ change }] = (await life.inStore((ctx) => listReadyChanges(ctx, [life.id]))).ready as [ReadyChange]
  const refused = (over: Partial<Change>, reason: string) => ({
    refused: {
      ...aChange({}),
      subscription: { currency: 'USD' } as Subscription,
      change: { ...change, ...NO_TERMS, ...over }
    },
    reason
  })
  const long = `No\0${'x'.repeat(600)}`
  await life.inStore((ctx) =>
    reportRefusedChanges(ctx, [
      refused({ priceMinor: 3500 }, long),
      refused({ platformPaymentMethodId: 'card-2' }, 'Not his'),
      refused({ priceMinor: 900, linePriceMinor: 450 }, 'No'),
      refused({ planId: 7, linePriceMinor: 450, interval: 'week', intervalCount: 2 }, 'Not sold')
    ])
  )
  await life.inStore((ctx) => reportRefusedChanges(ctx, []))
  const { rows } = await life.inStore((ctx) => listActivity(ctx, life.id, { limit: 4, offset: 0 }))
  const requested_by = { actor: 'api', actor_id: 'k' }
  const none = {
    plan_id: null,
    price: null,
    interval: null,
    interval_count: null,
    payment_method_id: null,
    requested_by
  }
  assert.deepEqual(
    rows.map(({ kind, actor, text, refs }) => [kind, actor, text, refs]).reverse(),
    [
      [`price was not accepted: No${'x'.repeat(600)}`, { ...none, price: 35 }],
      ['payment method was not accepted: Not his', { ...none, payment_method_id: 'card-2' }],
      ['price was not accepted: No', { ...none, price: 9 }],
      [
        'plan, price and interval was not accepted: Not sold',
        { ...none, plan_id: 'plan_7', unit_price: 4.5, interval: 'week', interval_count: 2 }
      ]
    ].map(([text, refs]) => ['reconciled', 'platform', `A requested change of ${text}`.slice(0, 500), refs])
  )
  const { alerts } = await life.inStore((ctx) => listAlerts(ctx))
  assert.deepEqual(
    alerts.map(({ kind, subject }) => [kind, subject]),
    [['change_not_accepted', 'Requested changes that were dropped: 4']]
  )
  const of = `sub_${life.id}`
  const first = `${of}, price: No${'x'.repeat(98)}; ${of}, payment method: Not his; ${of}, price: No; ${of}, plan, price and interval: Not sold`
  assert.ok(alerts[0]!.message.includes(first), alerts[0]!.message)
})

test('the platform keeps the date that it has while a cycle is charged; a contract in its grace period is only paused there', async () => {
  const life = await aSubscriptionLife(db, { graceHours: 24 })
  const push = async () => {
    const [wanted] = await life.inStore((ctx) => listContractPushes(ctx, [life.id]))
    assert.deepEqual([wanted!.subscriptionId, wanted!.contractId], [life.id, life.contract.id])
    return [wanted!.status, wanted!.nextBillingAt?.toString() ?? null]
  }
  assert.deepEqual(await push(), ['active', SECOND])
  const early = await aSubscriptionLife(db)
  await early.inStore(({ tx, storeId }) =>
    tx.run(sql`update subscriptions set billing_due_at = null where store_id = ${storeId} and id = ${early.id}`)
  )
  const [charged] = await early.inStore((ctx) => listContractPushes(ctx, [early.id]))
  assert.equal(charged!.nextBillingAt, null, 'a cycle that is charged before its date')
  await life.goTo(SECOND)
  assert.deepEqual(await push(), ['active', null], 'from its date on')
  await life.bill()
  await life.decline('INSUFFICIENT_FUNDS')
  assert.deepEqual(await push(), ['active', null], 'a retry has a date of its own')
  await life.cancel()
  assert.deepEqual(await push(), ['paused', null])
  const over = await aSubscriptionLife(db)
  await over.cancel()
  const [last] = await over.inStore((ctx) => listContractPushes(ctx, [over.id]))
  assert.equal(last!.status, 'cancelled')
})

test('a push calls the platform only for what differs there', () => {
  const at = (text: string) => Temporal.Instant.from(text)
  const [ours, theirs] = [at(SECOND), at('2026-02-27T15:00:00Z')]
  for (const [status, nextBillingAt, there, date, expected] of [
    ['active', ours, 'active', ours, [null, null]],
    ['active', ours, 'active', theirs, [null, ours]],
    ['active', ours, 'active', null, [null, ours]],
    ['active', ours, 'paused', ours, ['active', null]],
    ['active', null, 'active', theirs, [null, null]],
    ['paused', ours, 'active', theirs, ['paused', null]],
    ['paused', null, 'paused', theirs, [null, null]]
  ] as const) {
    const push = { subscriptionId: 1, contractId: contract.id, status, nextBillingAt }
    const calls = pushCalls(push, { ...contract, status: there, nextBillingDate: date })
    assert.deepEqual([calls.status, calls.nextBillingAt], expected)
  }
})
