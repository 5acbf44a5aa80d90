import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { withAmounts } from '#kit/define-audit-rule'
import { type Ctx, int, json, row, type Statement, sql, text } from '#kit/postgres'
import { markCustomersMerged, upsertCustomers } from '#members'
import { findOrder, recordOrders, recordReports } from '#orders'
import { orderMessagesAgree, orderRefundsAddUp, ordersAsUsual, ordersNotOverRefunded } from '#orders/audit-rules'
import { brandSettings } from '#orders/settings'
import { listPlans } from '#plans'
import { type InboundMessage, MalformedPayload, parseDisputePayload } from '#platform'
import { updateSettings } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { after, anOrderState, aPlatformWithOrders, messages, type OrderState } from '../../../test/order-messages.ts'
import { aPlan } from '../../../test/plan-builder.ts'
import { aStore } from '../../../test/store-builder.ts'
import { until } from '../../../test/until.ts'
import { parseOrderPayload } from '../../platform/inbound/order-payloads.ts'
import { applyOrderMessages } from './apply-order-messages.ts'

const { db } = await testDatabase()

/** A store whose platform has orders in memory. */
async function aShop() {
  const store = await aStore(db, { clockAt: after(0) })
  const { platform, connector } = aPlatformWithOrders()
  const { storeId, inStore } = store
  const rowsOf = (
    table: 'orders' | 'platform_refunds' | 'order_transactions' | 'order_disputes' | 'facts' | 'members'
  ) =>
    inStore(({ tx }) =>
      tx.many(row({ row: json<Record<string, unknown>>() }), {
        name: `rows_of_${table}`,
        text: `select to_jsonb(t) as row from ${table} t where store_id = $1 order by id`,
        values: [storeId]
      })
    ).then((rows) => rows.map((one) => one.row))
  return {
    ...store,
    platform,
    rowsOf,
    deps: { db, connectorOf: async () => connector },
    receive: (...all: InboundMessage[]) => applyOrderMessages({ db, connectorOf: async () => connector }, storeId, all),
    order: (id: string) => inStore((ctx) => findOrder(ctx, id, 'platform')),
    /** What a rule of `doctor` finds: each as one text. */
    found: (rule: { wrong: (ctx: Ctx) => Statement }) =>
      inStore(async (ctx) => {
        const wrong = await ctx.tx.many(row({ subject: text, message: text }), rule.wrong(ctx))
        return wrong.map(({ subject, message }) => `${subject} ${withAmounts(message, 'USD')}`).sort()
      }),
    facts: (name: string) =>
      inStore(({ tx }) =>
        tx.many(
          row({ data: json<Record<string, unknown>>(), orderingKey: text }),
          sql`select data::jsonb as data, ordering_key from facts where store_id = ${storeId} and name = ${name} order by id`
        )
      ),
    /** Changes when a row is written or locked. */
    versions: () =>
      inStore(({ tx }) =>
        tx.many(
          row({ name: text, version: text }),
          sql`
          select 'order' as name, xmin || '/' || xmax || '/' || ctid::text as version from orders where store_id = ${storeId}
          union all select 'refund', xmin || '/' || xmax || '/' || ctid::text from platform_refunds where store_id = ${storeId}
          union all select 'transaction', xmin || '/' || xmax || '/' || ctid::text from order_transactions
                     where store_id = ${storeId}
          union all select 'dispute', xmin || '/' || xmax || '/' || ctid::text from order_disputes where store_id = ${storeId}
          union all select 'fact', xmin || '/' || xmax || '/' || ctid::text from facts where store_id = ${storeId}
          union all select 'customer', xmin || '/' || xmax || '/' || ctid::text from members where store_id = ${storeId}`
        )
      )
  }
}

/** The life of an order: placed, paid, refunded twice, edited, disputed. Each message with the state behind it. */
function aLife(id: string) {
  const placed = anOrderState(id, { financialStatus: 'pending' })
  const paid: OrderState = { ...placed, financialStatus: 'paid', updatedAt: after(1) }
  const first = { id: `${id}51`, amountMinor: 500, at: after(10) }
  const second = { id: `${id}52`, amountMinor: 700, at: after(20) }
  const once: OrderState = { ...paid, financialStatus: 'partially_refunded', refunds: [first], updatedAt: after(10) }
  const twice: OrderState = { ...once, refunds: [first, second], updatedAt: after(20) }
  const edited: OrderState = {
    ...twice,
    attributes: [{ name: 'brand', value: 'Acme' }],
    totalMinor: 3900,
    updatedAt: after(25)
  }
  const dispute = { id: `${id}8`, type: 'inquiry', status: 'needs_response' }
  const ended: OrderState = { ...edited, cancelledAt: after(60), updatedAt: after(60) }
  const sale = { id: `${id}90`, kind: 'sale', amountMinor: 3000, at: after(1) }
  const credit = { id: `${id}91`, kind: 'sale', amountMinor: 1000, at: after(1), gateway: 'shopify_store_credit' }
  return {
    last: ended,
    sale,
    credit,
    messages: [
      messages.order(placed, 'orders/create'),
      messages.transaction(placed, sale),
      messages.transaction(placed, credit),
      messages.order(paid, 'orders/paid'),
      messages.refund(paid, first),
      messages.order(once),
      messages.refund(once, second),
      messages.order(twice),
      messages.order(edited),
      messages.dispute(edited, dispute, after(30), 'disputes/create'),
      messages.dispute(edited, { ...dispute, type: 'chargeback' }, after(40)),
      messages.dispute(edited, { ...dispute, type: 'chargeback', status: 'lost' }, after(50)),
      messages.order(ended, 'orders/cancelled')
    ]
  }
}

const ofPlatform = ({ last, sale, credit }: ReturnType<typeof aLife>) => ({ order: last, transactions: [sale, credit] })

async function theEnd(shop: Awaited<ReturnType<typeof aShop>>, id: string) {
  const order = (await shop.order(id))!
  const { metrics } = await shop.inStore(({ tx, storeId }) =>
    tx.one(
      row({ metrics: int }),
      sql`select coalesce(sum(amount_minor), 0)::bigint as metrics from order_refunds where store_id = ${storeId}`
    )
  )
  return {
    status: order.financialStatus,
    total: order.totalMinor,
    refunded: order.refundedMinor,
    metrics,
    refundedAt: order.refundedAt?.toString(),
    creditUsed: order.paidWithCreditMinor,
    cancelledAt: order.cancelledAt?.toString(),
    brand: order.brand,
    refunds: order.refunds.map(({ amountMinor }) => amountMinor),
    transactions: order.transactions.map(({ kind, status, amountMinor }) => `${kind} ${status} ${amountMinor}`).sort(),
    disputes: order.disputes.map((d) => [d.beganAs, d.type, d.status, d.reportedAt.toString()])
  }
}

const END = {
  status: 'partially_refunded',
  total: 3900,
  refunded: 1200,
  metrics: 1200,
  refundedAt: after(20).toString(),
  creditUsed: 1000,
  cancelledAt: after(60).toString(),
  brand: 'Acme',
  refunds: [500, 700],
  transactions: ['refund success 500', 'refund success 700', 'sale success 1000', 'sale success 3000'],
  disputes: [['inquiry', 'chargeback', 'lost', after(50).toString()]]
}

test('the messages of an order lead to the same rows in every order, twice, together or one by one', async () => {
  const count = aLife('1').messages.length
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(
        Array.from({ length: 2 * count }, (_, i) => i % count),
        { minLength: 2 * count }
      ),
      fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 26, maxLength: 26 }),
      async (order, sizes) => {
        const shop = await aShop()
        const life = aLife('1001')
        shop.platform.orders.set('1001', life.last)
        shop.platform.transactions.set('1001', ofPlatform(life).transactions)
        const left = order.map((i) => life.messages[i]!)
        for (const size of sizes) if (left.length > 0) await shop.receive(...left.splice(0, size))
        assert.equal(left.length, 0)
        assert.deepEqual(await theEnd(shop, '1001'), END)
        assert.equal((await shop.rowsOf('orders')).length, 1)
        for (const rule of [orderMessagesAgree, orderRefundsAddUp, ordersAsUsual, ordersNotOverRefunded]) {
          assert.deepEqual(await shop.found(rule), [])
        }
      }
    ),
    { numRuns: 25 }
  )
})

test('a message that is missing is made up for by those that follow', async () => {
  const shop = await aShop()
  const life = aLife('1002')
  shop.platform.orders.set('1002', life.last)
  shop.platform.transactions.set('1002', ofPlatform(life).transactions)
  // Neither the first ones, nor the refunds' own.
  await shop.receive(...life.messages.slice(7).filter(({ topic }) => topic !== 'refunds/create'))
  await shop.receive(life.messages[1]!, life.messages[2]!)
  assert.deepEqual(await theEnd(shop, '1002'), END)
})

test('a repetition writes nothing, not even a lock, and asks the platform nothing', async () => {
  const shop = await aShop()
  const life = aLife('1003')
  await shop.receive(...life.messages)
  await shop.receive(...life.messages)
  const before = await shop.versions()
  assert.equal(before.length, 1 + 2 + 4 + 1 + 1 + (await shop.rowsOf('facts')).length)
  for (const one of life.messages) await shop.receive(one)
  await shop.receive(...life.messages.toReversed())
  assert.deepEqual(await shop.versions(), before)
  assert.deepEqual(shop.platform.asked, [])
})

test('a refund or a dispute before its order has the order read from the platform', async () => {
  const shop = await aShop()
  const refund = { id: '51', amountMinor: 500, at: after(5) }
  const order = anOrderState('2001', { refunds: [refund], financialStatus: 'partially_refunded', updatedAt: after(5) })
  shop.platform.orders.set('2001', order)
  await shop.receive(messages.refund(order, refund))
  assert.deepEqual(shop.platform.asked, ['whole 2001'])
  const stored = (await shop.order('2001'))!
  assert.deepEqual([stored.refundedMinor, stored.refunds.length, stored.transactions.length], [500, 1, 1])
  const other = anOrderState('2002')
  shop.platform.orders.set('2002', other)
  await shop.receive(messages.dispute(other, { id: '8', type: 'chargeback', status: 'under_review' }, after(6)))
  assert.equal((await shop.order('2002'))!.disputes[0]!.status, 'under_review')
})

test('what is about an order that the platform does not have is tried again, and nothing of it is recorded', async () => {
  const shop = await aShop()
  const order = anOrderState('2003')
  const refund = messages.refund(order, { id: '53', amountMinor: 500, at: after(5) })
  await assert.rejects(shop.receive(refund), /The platform has no order 2003/)
  assert.deepEqual([await shop.rowsOf('orders'), await shop.rowsOf('platform_refunds')], [[], []])
  shop.platform.orders.set('2003', { ...order, refunds: [{ id: '53', amountMinor: 500, at: after(5) }] })
  await shop.receive(refund)
  assert.equal((await shop.order('2003'))!.refunds.length, 1)
})

test('when two messages of the same time contradict each other, the platform decides', async () => {
  const shop = await aShop()
  const one = anOrderState('3001', { financialStatus: 'pending' })
  const other = anOrderState('3001', { financialStatus: 'paid' })
  shop.platform.orders.set('3001', other)
  await shop.receive(messages.order(other))
  await shop.receive(messages.order(one))
  assert.deepEqual(shop.platform.asked, ['whole 3001'])
  assert.equal((await shop.order('3001'))!.financialStatus, 'paid')
  assert.deepEqual(await shop.found(orderMessagesAgree), [])
  // The same in one batch.
  const third = { ...one, id: '3002' }
  shop.platform.orders.set('3002', { ...third, financialStatus: 'paid' })
  await shop.receive(messages.order({ ...third, financialStatus: 'paid' }), messages.order(third))
  assert.equal((await shop.order('3002'))!.financialStatus, 'paid')
})

test('an order that is changed and changed back within a second is shown as it is', async () => {
  const shop = await aShop()
  const before = anOrderState('3005')
  const tagged = { ...before, tags: ['Chargeback-Bank-Refund'] }
  for (const state of [before, tagged, before, tagged, before]) {
    shop.platform.orders.set('3005', state)
    await shop.receive(messages.order(state))
    assert.deepEqual((await shop.order('3005'))!.tags, state.tags)
  }
  // Each of the later ones may be older than the others, so it is the platform that says what holds.
  assert.deepEqual(shop.platform.asked, ['whole 3005', 'whole 3005', 'whole 3005', 'whole 3005'])
  const attributed = { ...before, attributes: [{ name: 'deliverySchedule', value: 'Monday' }] }
  for (const state of [attributed, before]) {
    shop.platform.orders.set('3005', state)
    await shop.receive(messages.order(state))
    assert.deepEqual((await shop.order('3005'))!.attributes, state.attributes)
  }
})

test('a message of the second in which only the totals were read, and that says otherwise: the platform decides', async () => {
  const shop = await aShop()
  const before = anOrderState('3006')
  const tagged = { ...before, tags: ['VIP'] }
  const { details: _, ...totals } = parseOrderPayload(messages.order(before).payload)
  await shop.inStore((ctx) => recordOrders(ctx, [totals]))
  await shop.receive(messages.order(before))
  assert.deepEqual(shop.platform.asked, [], 'what says the same is not read')
  const other = { ...totals, id: '3007' }
  await shop.inStore((ctx) => recordOrders(ctx, [other]))
  shop.platform.orders.set('3007', { ...tagged, id: '3007' })
  await shop.receive(messages.order({ ...tagged, id: '3007' }))
  assert.deepEqual([shop.platform.asked, (await shop.order('3007'))!.tags], [['whole 3007'], ['VIP']])
})

test('the totals of an order that were read within the second of a message that comes again', async () => {
  const shop = await aShop()
  const before = anOrderState('3008')
  const tagged = { ...before, tags: ['VIP'] }
  await shop.receive(messages.order(before))
  const { details: _, ...totals } = parseOrderPayload(messages.order(tagged).payload)
  await shop.inStore((ctx) => recordOrders(ctx, [totals]))
  assert.deepEqual((await shop.order('3008'))!.tags, ['VIP'])
  shop.platform.orders.set('3008', before)
  await shop.receive(messages.order(before))
  assert.deepEqual((await shop.order('3008'))!.tags, [])
})

test('contradictions about an order that the platform no longer shows are named by doctor, until it is read', async () => {
  const shop = await aShop()
  const one = anOrderState('3003', { financialStatus: 'pending' })
  await shop.receive(messages.order(one))
  const other = { ...one, financialStatus: 'paid' }
  await shop.receive(messages.order(other))
  assert.equal((await shop.order('3003'))!.financialStatus, 'pending', 'the first one counts')
  assert.match((await shop.found(orderMessagesAgree))[0]!, /^order 3003 was reported differently by messages/)
  await shop.receive(messages.order(other))
  assert.equal((await shop.found(orderMessagesAgree)).length, 1)
  shop.platform.orders.set('3003', other)
  await shop.receive(messages.order(other))
  assert.deepEqual(await shop.found(orderMessagesAgree), [])
  assert.equal((await shop.order('3003'))!.financialStatus, 'paid')
})

test('an order whose currency changes is read from the platform', async () => {
  const shop = await aShop()
  const order = anOrderState('3004')
  shop.platform.orders.set('3004', { ...order, updatedAt: after(2) })
  await shop.receive(messages.order(order))
  await shop.receive(messages.order({ ...order, currency: 'EUR', updatedAt: after(1) }))
  assert.equal((await shop.order('3004'))!.currency, 'USD')
})

test('a refund, a payment or a dispute that is later reported of another order is left out, and doctor names it', async () => {
  const shop = await aShop()
  const [one, other] = [anOrderState('3101'), anOrderState('3102')]
  const refund = { id: '61', amountMinor: 500, at: after(1) }
  const sale = { id: '62', kind: 'sale', amountMinor: 4000, at: after(1) }
  const dispute = { id: '63', type: 'chargeback', status: 'under_review' }
  await shop.receive(messages.order(one), messages.order(other))
  await shop.receive(
    messages.refund(one, refund),
    messages.transaction(one, sale),
    messages.dispute(one, dispute, after(2))
  )
  await shop.receive(
    messages.refund(other, refund),
    messages.transaction({ ...one }, { ...sale, amountMinor: 4001 }),
    messages.dispute(other, dispute, after(3))
  )
  assert.deepEqual(
    (await shop.found(orderMessagesAgree)).map((text) => text.split(' was ')[0]),
    ['dispute 63', 'refund 61', 'transaction 619', 'transaction 62']
  )
  const stored = (await shop.order('3101'))!
  assert.deepEqual(
    [stored.refunds[0]!.amountMinor, stored.transactions.find(({ kind }) => kind === 'sale')!.amountMinor],
    [500, 4000]
  )
  assert.deepEqual((await shop.order('3102'))!.disputes, [])
})

test('two messages of one refund with different amounts: the platform decides', async () => {
  const shop = await aShop()
  const refund = { id: '64', amountMinor: 500, at: after(1) }
  const order = anOrderState('3103', { refunds: [refund], updatedAt: after(1) })
  const other = { ...refund, amountMinor: 600 }
  shop.platform.orders.set('3103', { ...order, refunds: [other] })
  await shop.receive(messages.order({ ...order, refunds: [], updatedAt: after(0) }))
  await shop.receive(messages.refund(order, refund))
  await shop.receive(messages.refund(order, other))
  assert.deepEqual(shop.platform.asked, ['whole 3103'])
  assert.equal((await shop.order('3103'))!.refunds[0]!.amountMinor, 600)
})

test('a refund that is paid back later counts from then on', async () => {
  const shop = await aShop()
  const pending = { id: '65', amountMinor: 500, at: after(1), status: 'pending' }
  const order = anOrderState('3104', { refunds: [pending], updatedAt: after(1) })
  const counted = async () => {
    const { refundedMinor, refunds, transactions } = (await shop.order('3104'))!
    const facts = (await shop.facts('order.refunded')).map(({ data }) => data.amount_minor)
    return [refundedMinor, refunds.map(({ amountMinor }) => amountMinor), transactions[0]!.status, facts]
  }
  await shop.receive(messages.order(order), messages.refund(order, pending))
  assert.deepEqual(await counted(), [0, [0], 'pending', [0]])
  await shop.receive(messages.order({ ...order, refunds: [{ ...pending, status: 'success' }], updatedAt: after(9) }))
  assert.deepEqual(await counted(), [500, [500], 'success', [0, 500]])
})

test('a payment with credit that is reported as pending after its success writes nothing, not even a lock, and records nothing', async () => {
  const shop = await aShop()
  const order = anOrderState('3105')
  const payment = { id: '75', kind: 'sale', amountMinor: 1000, at: after(1), gateway: 'shopify_store_credit' }
  const saying = (status: string) => messages.transaction(order, { ...payment, status })
  await shop.receive(messages.order(order), saying('pending'))
  await shop.receive(saying('success'))
  const before = await shop.versions()
  for (const status of ['pending', 'awaiting_response', 'unknown']) await shop.receive(saying(status))
  assert.deepEqual(await shop.versions(), before)
  assert.equal((await shop.facts('order.credit_paid')).length, 1)
  assert.deepEqual(shop.platform.asked, [])
})

test('of a payment that has ended only a read of the platform changes the status: messages that differ have it read', async () => {
  const shop = await aShop()
  const order = anOrderState('3106')
  const payment = { id: '76', kind: 'sale', amountMinor: 1000, at: after(1), gateway: 'shopify_store_credit' }
  const saying = (status: string) => messages.transaction(order, { ...payment, status })
  const state = async () => {
    const { transactions, paidWithCreditMinor } = (await shop.order('3106'))!
    return [transactions.map(({ status }) => status).join(), paidWithCreditMinor, shop.platform.asked.length]
  }
  shop.platform.orders.set('3106', order)
  shop.platform.transactions.set('3106', [{ ...payment, status: 'success' }])
  await shop.receive(messages.order(order), saying('success'))
  await shop.receive(saying('failure'))
  assert.deepEqual(await state(), ['success', 1000, 1])
  shop.platform.transactions.set('3106', [{ ...payment, status: 'failure' }])
  await shop.receive(saying('failure'))
  assert.deepEqual(await state(), ['failure', 0, 2])
})

test('an order of an unknown customer makes a customer, who is not a member', async () => {
  const shop = await aShop()
  await shop.receive(
    messages.order(anOrderState('4001', { customer: { id: '77', firstName: 'Bo', lastName: 'Berg' } }))
  )
  await shop.receive(messages.order(anOrderState('4002', { customer: null })))
  const [person, ...others] = await shop.rowsOf('members')
  assert.deepEqual(
    [person!.platform_customer_id, person!.first_name, person!.last_name, person!.email, person!.status, others],
    ['77', 'Bo', 'Berg', 'c77@example.com', null, []]
  )
  assert.equal((await shop.order('4001'))!.memberId, person!.id)
  assert.equal((await shop.order('4002'))!.memberId, null)
})

test('a late order of a customer who was merged is the order of the one who was kept', async () => {
  const shop = await aShop()
  const person = (id: string) => ({ id, email: null, firstName: null, lastName: null })
  const known = await shop.inStore((ctx) => upsertCustomers(ctx, [person('71'), person('72')]))
  await shop.inStore((ctx) => markCustomersMerged(ctx, { keptId: '72', deletedId: '71' }))
  await shop.receive(messages.order(anOrderState('4003', { customer: { id: '71', firstName: 'A', lastName: 'B' } })))
  assert.equal((await shop.order('4003'))!.memberId, known.get('72')!.id)
})

test('an order in another currency and one with a negative line are recorded as they are, and doctor warns', async () => {
  const shop = await aShop()
  await shop.receive(
    messages.order(anOrderState('5001', { currency: 'JPY', totalMinor: 4000 })),
    messages.order(anOrderState('5002', { lines: [{ id: '1', productId: null, quantity: -1, priceMinor: 2000 }] }))
  )
  assert.deepEqual(await shop.found(ordersAsUsual), [
    'order 5001 is in JPY and the store in USD: it is in no metric of money',
    'order 5002 has a line with a negative quantity or price: -1 x "Coffee"'
  ])
  assert.deepEqual([(await shop.order('5001'))!.currency, (await shop.order('5001'))!.totalMinor], ['JPY', 4000])
})

test('an amount that is none of its currency, or a currency that is none, is refused with the name of the field', async () => {
  const shop = await aShop()
  const order = messages.order(anOrderState('5003'))
  const bad = (over: object) => ({ ...order, payload: { ...(order.payload as object), ...over } })
  for (const over of [{ total_price: '1.005' }, { currency: 'nonsense' }, { total_price: null }]) {
    await assert.rejects(
      shop.receive(bad(over)),
      (err) => err instanceof MalformedPayload && /^order\.total_price/.test(err.message)
    )
  }
  assert.deepEqual(await shop.rowsOf('orders'), [])
})

test('an order that is edited after a refund so that it costs less than was paid back is named by doctor', async () => {
  const shop = await aShop()
  const refund = { id: '66', amountMinor: 3000, at: after(1) }
  const order = anOrderState('5004', { refunds: [refund], updatedAt: after(1) })
  await shop.receive(messages.order(order))
  assert.deepEqual(await shop.found(ordersNotOverRefunded), [])
  await shop.receive(messages.order({ ...order, totalMinor: 2500, updatedAt: after(2) }))
  assert.deepEqual(await shop.found(ordersNotOverRefunded), ['order 5004 cost 25.00 USD, and 30.00 USD were paid back'])
})

test('refunds that do not add up to what the order says are named by doctor, once the messages had their time', async () => {
  const shop = await aShop()
  const order = anOrderState('5005')
  await shop.receive(messages.order(order))
  await shop.receive(messages.refund(order, { id: '67', amountMinor: 300, at: after(1) }))
  assert.deepEqual(await shop.found(orderRefundsAddUp), [])
  await shop.inStore(({ tx, storeId }) =>
    tx.run(sql`update orders set updated_at = updated_at - interval '1 hour' where store_id = ${storeId}`)
  )
  assert.deepEqual(await shop.found(orderRefundsAddUp), [
    'order 5005 says that 0.00 USD were paid back, its refunds 3.00 USD, the metrics 0.00 USD'
  ])
})

test('whatever is shown with an order moves its change time', async () => {
  const shop = await aShop()
  const order = anOrderState('6001')
  await shop.receive(messages.order(order))
  const changes = async (name: string, sent: InboundMessage, isMoved: boolean) => {
    await shop.inStore(({ tx, storeId }) =>
      tx.run(sql`update orders set updated_at = 'epoch' where store_id = ${storeId}`)
    )
    await shop.receive(sent)
    assert.equal((await shop.order('6001'))!.updatedAt.epochMilliseconds > 0, isMoved, name)
  }
  const dispute = { id: '8', type: 'chargeback', status: 'under_review' }
  await changes('a refund', messages.refund(order, { id: '68', amountMinor: 100, at: after(1) }), true)
  await changes('a dispute', messages.dispute(order, dispute, after(2)), true)
  await changes('its end', messages.dispute(order, { ...dispute, status: 'won' }, after(3)), true)
  await changes('the same again', messages.dispute(order, { ...dispute, status: 'won' }, after(4)), false)
  await changes(
    'a card payment',
    messages.transaction(order, { id: '1', kind: 'sale', amountMinor: 1, at: after(1) }),
    false
  )
  const credit = { id: '2', kind: 'sale', amountMinor: 1, at: after(1), gateway: 'gift_card' }
  await changes('a payment with a gift card', messages.transaction(order, credit), true)
  await changes('a newer revision', messages.order({ ...order, updatedAt: after(9) }), true)
  await changes('an older one', messages.order({ ...order, financialStatus: 'voided', updatedAt: after(8) }), false)
})

test('the name of an app is learned once, and the orders that came before get it', async () => {
  const shop = await aShop()
  await shop.receive(messages.order(anOrderState('6101')), messages.order(anOrderState('6102', { appId: '1' })))
  assert.equal((await shop.order('6101'))!.channel, 'web', "the platform's word for the source stands in")
  // A refund of an order that is not known has that order read, with the name of its app.
  const late = anOrderState('6103')
  shop.platform.orders.set('6103', late)
  await shop.receive(messages.transaction(late, { id: '3', kind: 'sale', amountMinor: 1, at: after(1) }))
  for (const id of ['6101', '6103']) assert.equal((await shop.order(id))!.channel, 'Online Store')
  assert.equal((await shop.order('6102'))!.channel, 'web')
  await shop.receive(messages.order(anOrderState('6104')))
  assert.equal((await shop.order('6104'))!.channel, 'Online Store')
  assert.equal(shop.platform.asked.length, 1)
})

test("the brand is the order's attribute, whose name is a setting, else the store's default", async () => {
  const shop = await aShop()
  const branded = (id: string, name: string) =>
    messages.order(anOrderState(id, { attributes: [{ name, value: 'Acme' }] }))
  await shop.receive(branded('6201', 'brand'), messages.order(anOrderState('6202')))
  await shop.inStore((ctx) => updateSettings(ctx, brandSettings, { attribute: 'label', default: 'House' }))
  await shop.receive(branded('6203', 'label'), branded('6204', 'brand'))
  const brands = await Promise.all(['6201', '6202', '6203', '6204'].map((id) => shop.order(id)))
  assert.deepEqual(
    brands.map((order) => order!.brand),
    ['Acme', null, 'Acme', 'House']
  )
})

test("a new order of a plan's product is read once for its selling plan, which later messages keep", async () => {
  const shop = await aShop()
  await aPlan(shop, { name: 'VIP' })
  const { productIds } = (await shop.inStore(listPlans))[0]!
  const lines = [{ id: '1', productId: productIds[0]!, quantity: 1, priceMinor: 4000 }]
  const order = anOrderState('6301', { lines })
  shop.platform.orders.set('6301', order)
  shop.platform.plans.set('1', '555')
  await shop.receive(messages.order(order), messages.order(anOrderState('6302')))
  assert.deepEqual(shop.platform.asked, ['whole 6301'])
  await shop.receive(messages.order(order, 'orders/paid'))
  assert.equal(shop.platform.asked.length, 1, 'what was read says the same')
  await shop.receive(messages.order({ ...order, financialStatus: 'refunded', updatedAt: after(5) }))
  const stored = (await shop.order('6301'))!
  assert.deepEqual([stored.financialStatus, stored.lines![0]!.sellingPlanId], ['refunded', '555'])
  assert.equal(shop.platform.asked.length, 1)
})

test('coupons have what each took off, and the person on the order is the one of its addresses', async () => {
  const shop = await aShop()
  const codes = [
    { code: 'A', amountMinor: 100 },
    { code: 'B', amountMinor: 250 }
  ]
  await shop.receive(messages.order(anOrderState('6401', { codes })))
  const stored = (await shop.order('6401'))!
  assert.deepEqual([stored.coupons, stored.discountCodes, stored.customerName], [codes, ['A', 'B'], 'Sam Shipper'])
})

test('an older report of a dispute that waits for a newer one to be written does not undo it', async () => {
  const shop = await aShop()
  const order = anOrderState('6901')
  await shop.receive(messages.order(order))
  const at = (minutes: number, status: string) =>
    messages.dispute(order, { id: '69018', type: 'chargeback', status }, after(minutes))
  const reportOf = (message: InboundMessage) => ({
    orders: [],
    refunds: [],
    transactions: [],
    disputes: [{ dispute: parseDisputePayload(message.payload)!, reportedAt: message.triggeredAt }]
  })
  const written = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const newer = shop.inStore(async (ctx) => {
    await recordReports(ctx, reportOf(at(40, 'lost')), 'message')
    written.resolve()
    await mayCommit.promise
  })
  await written.promise
  const older = shop.inStore((ctx) => recordReports(ctx, reportOf(at(30, 'under_review')), 'message'))
  const watching = await db.session()
  await watching.query('reset role')
  await until('the older report waits', async () => {
    const { rows } = await watching.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    )
    return rows.length > 0
  })
  await watching.end()
  mayCommit.resolve()
  await Promise.all([newer, older])
  assert.equal((await shop.order('6901'))!.disputeStatus, 'lost')
  assert.deepEqual(
    (await shop.facts('order.dispute_changed')).map(({ data }) => data.status),
    ['lost']
  )
})

test('facts: one per revision, per refund with all of its amount, and per state of a dispute', async () => {
  const shop = await aShop()
  const life = aLife('7001')
  for (const one of life.messages) await shop.receive(one)
  for (const one of life.messages) await shop.receive(one)
  const member = (await shop.order('7001'))!.memberId
  const recorded = await shop.facts('order.recorded')
  assert.deepEqual(
    recorded.map(({ data }) => [data.is_new, data.financial_status, data.refunded_minor]),
    [
      [true, 'pending', 0],
      [false, 'paid', 0],
      [false, 'partially_refunded', 500],
      [false, 'partially_refunded', 1200],
      [false, 'partially_refunded', 1200],
      [false, 'partially_refunded', 1200]
    ]
  )
  const refunded = await shop.facts('order.refunded')
  assert.deepEqual(
    refunded.map(({ data }) => [data.amount_minor, data.order_total_minor, data.currency, data.refunded_at]),
    [
      [500, 4000, 'USD', '2026-01-31T15:10:00.000Z'],
      [700, 4000, 'USD', '2026-01-31T15:20:00.000Z']
    ]
  )
  const disputed = await shop.facts('order.dispute_changed')
  assert.deepEqual(
    disputed.map(({ data }) => [data.began_as, data.type, data.status]),
    [
      ['inquiry', 'inquiry', 'needs_response'],
      ['inquiry', 'chargeback', 'needs_response'],
      ['inquiry', 'chargeback', 'lost']
    ]
  )
  for (const { orderingKey } of [...recorded, ...refunded, ...disputed]) assert.equal(orderingKey, `member:${member}`)
})

test('when two messages of the same time say differently how a dispute is, the platform decides', async () => {
  const shop = await aShop()
  const order = anOrderState('3005')
  await shop.receive(messages.order(order))
  const saying = (status: string) => messages.dispute(order, { id: '35', type: 'chargeback', status }, after(5))
  const statuses = async () => (await shop.order('3005'))!.disputes.map(({ status }) => status)
  await shop.receive(saying('needs_response'))
  await shop.receive(saying('won'))
  assert.deepEqual([await statuses(), shop.platform.asked], [['won'], []], 'a dispute that ends is no contradiction')
  await shop.receive(saying('won'))
  assert.deepEqual(shop.platform.asked, [])

  // The platform does not show it.
  await shop.receive(saying('lost'))
  assert.deepEqual(await statuses(), ['won'])
  assert.match((await shop.found(orderMessagesAgree))[0]!, /^dispute 35 was reported differently by messages/)

  shop.platform.disputes.set('35', parseDisputePayload(saying('lost').payload)!)
  await shop.receive(saying('lost'))
  assert.deepEqual([await statuses(), await shop.found(orderMessagesAgree)], [['lost'], []])
  // The same in one batch, the older one last.
  shop.platform.disputes.set('35', parseDisputePayload(saying('under_review').payload)!)
  await shop.receive(saying('under_review'), saying('needs_response'))
  assert.deepEqual(await statuses(), ['under_review'])
})

test('an order without a name on its addresses has that of its customer, also after they were renamed', async () => {
  const shop = await aShop()
  await shop.receive(messages.order(anOrderState('6402', { shipTo: null })), messages.order(anOrderState('6403')))
  const names = async () => [(await shop.order('6402'))!.customerName, (await shop.order('6403'))!.customerName]
  assert.deepEqual(await names(), ['Ada Adler', 'Sam Shipper'])
  const renamed = { id: '7', email: 'c7@example.com', firstName: 'Ada', lastName: 'Baker' }
  await shop.inStore((ctx) => upsertCustomers(ctx, [renamed]))
  assert.deepEqual(await names(), ['Ada Baker', 'Sam Shipper'])
})
