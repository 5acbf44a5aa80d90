// Skip, change of date, reactivation, change of terms and the history over the direct API, with the sandbox platform.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

type Store = Awaited<ReturnType<typeof service.aStore>>
const settle = (store: Store) => service.deps.settle(store.storeId)

async function aMember(store: Store, email = 'ada@example.com') {
  const { customer, contract_id } = await store.member(email)
  const { body } = await service.get(`/subscriptions?customer_id=${customer.id}`, store.key)
  const id = body.data[0].id as string
  const read = async () => (await service.get(`/subscriptions/${id}`, store.key)).body.data
  return {
    id,
    customer: customer.id,
    read,
    post: (move: string, body?: unknown) => service.post(`/subscriptions/${id}/${move}`, store.key, body),
    change: (body: unknown) => service.patch(`/subscriptions/${id}`, store.key, body),
    charges: async () =>
      ((await service.get(`/billing-attempts?subscription_id=${id}`, store.key)).body.data.reverse() as any[]).map(
        ({ date, status, amount }) => ({ date, status, amount })
      ),
    activity: async () => (await service.get(`/subscriptions/${id}/activity`, store.key)).body.data as any[],
    kinds: async () =>
      ((await service.get(`/subscriptions/${id}/activity`, store.key)).body.data.reverse() as any[]).map((a) => a.kind),
    contract: async () => {
      const connector = await service.deps.connectorOf(store.storeId)
      const found = await connector.contracts.find(contract_id)
      assert.ok(found.ok && found.value)
      const { status, nextBillingDate, priceMinor, interval, intervalCount } = found.value
      return { status, next: nextBillingDate?.toString() ?? null, priceMinor, interval, intervalCount }
    },
    /** The subscription's events since the last call. */
    recorded: async () => {
      const events = await service.db.inStore(store.storeId, ({ tx }) =>
        tx.many(
          row({ type: text, data: text }),
          sql`select name as type, data from facts where store_id = ${store.storeId} and name like 'subscription.%' order by id`
        )
      )
      return events
        .map(({ type, data }) => ({ type, data: JSON.parse(data) }))
        .filter((e) => e.data.subscription_id === id)
    }
  }
}

test('a skipped cycle is never billed, and the next one keeps its date', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  const { status, body } = await member.post('skip')
  assert.deepEqual([status, body.data.next_billing_date], [200, '2026-03-31T14:00:00.000Z'])
  await settle(store)
  assert.equal((await member.contract()).next, '2026-03-31T14:00:00Z')
  await store.advance({ to: '2026-05-01T00:00:00Z' })
  assert.deepEqual(
    (await member.charges()).map(({ date }) => date),
    ['2026-03-31T14:00:00.000Z', '2026-04-30T14:00:00.000Z']
  )
  const [updated] = (await member.recorded()).filter(({ type }) => type === 'subscription.updated')
  assert.deepEqual(updated!.data.changes, {
    next_billing_date: { from: '2026-02-28T15:00:00.000Z', to: '2026-03-31T14:00:00.000Z' }
  })
  const skipped = (await member.activity()).find(({ kind }) => kind === 'skipped')
  assert.deepEqual([skipped.actor, skipped.text], ['api', 'Cycle 2 skipped; next charge on 2026-03-31'])
  assert.match(skipped.actor_id, /^key_\d+$/)
  await store.soundBooks()
})

test("a cycle declined before a pause is charged a day after a resumption, and the platform's contract is updated", async () => {
  const store = await service.aStore()
  const member = await aMember(store, 'ben@example.com')
  await store.card(member.customer, 'insufficient_funds')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  await member.post('pause')
  await settle(store)
  await store.card(member.customer, 'success')
  await store.advance({ to: '2026-03-05T00:00:00Z' })
  assert.equal((await member.contract()).status, 'paused')
  const { body } = await member.post('resume')
  assert.equal(body.data.next_billing_date, '2026-03-06T00:00:00.000Z')
  await settle(store)
  await store.advance({ to: '2026-03-05T23:59:00Z' })
  assert.equal((await member.contract()).status, 'active')
  assert.deepEqual(
    (await member.charges()).map(({ status }) => status),
    ['failed']
  )
  await store.advance({ to: '2026-03-06T01:00:00Z' })
  assert.deepEqual(
    (await member.charges()).map(({ status }) => status),
    ['failed', 'success']
  )
  const { status, next } = await member.contract()
  assert.deepEqual(
    [status, next, (await member.read()).next_billing_date],
    ['active', '2026-03-31T14:00:00Z', '2026-03-31T14:00:00.000Z']
  )
  assert.deepEqual((await member.kinds()).slice(-4), ['resumed', 'charge_scheduled', 'charge_succeeded', 'recovered'])
  await store.soundBooks()
})

test('a changed date applies to the next cycle and becomes the new anchor', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  for (const [given, says] of [
    ['2026-01-31', /must be a date after now and at most 365 days ahead/],
    ['2027-02-01', /must be a date after now and at most 365 days ahead/],
    ['soon', /must be an ISO date/]
  ] as const) {
    const { status, body } = await member.change({ next_billing_date: given })
    assert.equal(status, 400)
    assert.match(body.error.message, says)
  }
  const { status, body } = await member.change({ next_billing_date: '2026-02-10' })
  assert.deepEqual([status, body.data.next_billing_date], [200, '2026-02-10T05:00:00.000Z'])
  const before = await member.recorded()
  await member.change({ next_billing_date: '2026-02-10' })
  assert.deepEqual(await member.recorded(), before, 'setting the current date changes nothing')
  await settle(store)
  assert.equal((await member.contract()).next, '2026-02-10T05:00:00Z')
  await store.advance({ to: '2026-03-11T00:00:00Z' })
  assert.deepEqual(
    (await member.charges()).map(({ date }) => date),
    ['2026-02-10T05:00:00.000Z', '2026-03-10T04:00:00.000Z']
  )
  await store.soundBooks()
})

test('a declined cycle can be neither skipped nor rescheduled', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  await store.card(member.customer, 'insufficient_funds')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  const refusal = (action: string) =>
    `Subscription ${member.id} cannot ${action} now: the cycle is being charged or was declined.`
  const skipped = await member.post('skip')
  assert.deepEqual([skipped.status, skipped.body.error.message], [400, refusal('skip its next cycle')])
  const moved = await member.change({ next_billing_date: '2026-03-15' })
  assert.deepEqual([moved.status, moved.body.error.message], [400, refusal('change its next date')])
})

test('a cancellation can be reverted within its grace hours: billing continues, and nothing is charged at once', async () => {
  const store = await service.aStore()
  await store.grace(24)
  const member = await aMember(store)
  const { body } = await member.post('cancel', { reason: 'too_expensive', comment: 'Moving away' })
  assert.deepEqual([body.data.status, body.data.reactivatable_until], ['cancelled', '2026-02-01T15:00:00.000Z'])
  await settle(store)
  assert.equal((await member.contract()).status, 'paused')

  await store.advance({ to: '2026-02-01T14:59:00Z' })
  const back = await member.post('reactivate')
  const { status, cancelled_at, cancel_reason, reactivatable_until, next_billing_date } = back.body.data
  assert.deepEqual(
    [back.status, status, cancelled_at, cancel_reason, reactivatable_until, next_billing_date],
    [200, 'active', null, null, null, '2026-02-28T15:00:00.000Z']
  )
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  assert.deepEqual(await member.charges(), [{ date: '2026-02-28T15:00:00.000Z', status: 'success', amount: 29 }])
  assert.equal((await member.contract()).status, 'active')
  const [updated] = (await member.recorded()).filter(({ type }) => type === 'subscription.updated')
  assert.deepEqual(updated!.data.changes, {
    status: { from: 'cancelled', to: 'active' },
    next_billing_date: { from: null, to: '2026-02-28T15:00:00.000Z' }
  })
  const cancelled = (await member.activity()).find(({ kind }) => kind === 'cancelled')
  assert.deepEqual([cancelled.text, cancelled.notes], ['Cancelled: too_expensive', 'Moving away'])
  await store.soundBooks()
})

test('after its grace hours a cancellation is final, also on the platform', async () => {
  const store = await service.aStore()
  await store.grace(24)
  const member = await aMember(store)
  const refused = async () => {
    const { status, body } = await member.post('reactivate')
    return [status, body.error.message]
  }
  assert.deepEqual(await refused(), [400, `Subscription ${member.id} is already active.`])
  await member.post('cancel')
  await store.advance({ to: '2026-02-01T14:59:59Z' })
  assert.equal((await member.contract()).status, 'paused')
  await store.advance({ to: '2026-02-01T15:00:00Z' })
  assert.equal((await member.contract()).status, 'cancelled')
  assert.deepEqual(await refused(), [
    400,
    `Subscription ${member.id} cannot be reactivated: it was cancelled without a grace period, or that period is over.`
  ])
  assert.equal((await member.read()).reactivatable_until, null)
  await store.soundBooks()
})

test('plan, price and interval apply from the next cycle on, with one event that names the requester', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  await service.admin('POST', `/stores/${store.domain}/plans`, {
    name: 'Elite',
    type: 'elite',
    price: '59.00',
    interval: 'month'
  })
  const plans = (await service.admin('GET', `/stores/${store.domain}/plans`)).data
  const elite = plans.find(({ name }: { name: string }) => name === 'Elite')

  const requested = await member.change({ plan_id: elite.id, interval: 'week', interval_count: 2 })
  assert.equal(requested.status, 200)
  assert.deepEqual(
    [requested.body.data.price, requested.body.data.interval, requested.body.data.pending_change],
    [
      29,
      'month',
      {
        plan_id: elite.id,
        price: 59,
        interval: 'week',
        interval_count: 2,
        payment_method_id: null,
        requested_at: '2026-01-31T15:00:00.000Z'
      }
    ]
  )
  await settle(store)
  const changed = await member.read()
  assert.deepEqual(
    [changed.plan_id, changed.price, changed.interval, changed.interval_count, changed.pending_change],
    [elite.id, 59, 'week', 2, null]
  )
  const { priceMinor, interval, intervalCount } = await member.contract()
  assert.deepEqual([priceMinor, interval, intervalCount], [5900, 'week', 2])
  const updates = (await member.recorded()).filter(({ type }) => type === 'subscription.updated')
  assert.equal(updates.length, 1)
  assert.deepEqual(Object.keys(updates[0]!.data.changes), ['plan_id', 'plan_name', 'price', 'billing_frequency'])
  assert.deepEqual(
    (await member.activity()).slice(0, 3).map(({ kind, actor }) => [kind, actor]),
    [
      ['frequency_changed', 'api'],
      ['price_changed', 'api'],
      ['plan_changed', 'api']
    ]
  )
  await store.advance({ to: '2026-03-15T00:00:00Z' })
  assert.deepEqual(
    (await member.charges()).map(({ date, amount }) => [date, amount]),
    [
      ['2026-02-28T15:00:00.000Z', 59],
      ['2026-03-14T14:00:00.000Z', 59]
    ]
  )
  await store.soundBooks()
})

test('a declined cycle is paid at its own price; the change waits until it is settled', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  await store.card(member.customer, 'insufficient_funds')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  assert.equal((await member.change({ price: 35 })).status, 200)
  await store.card(member.customer, 'success')
  await store.advance({ to: '2026-04-01T00:00:00Z' })
  assert.deepEqual(
    (await member.charges()).map(({ status, amount }) => [status, amount]),
    [
      ['failed', 29],
      ['success', 29],
      ['success', 35]
    ]
  )
  await store.soundBooks()
})

test('requesting the current terms changes nothing; a new request replaces the pending one', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  const same = await member.change({ price: 29, interval: 'month' })
  assert.deepEqual([same.status, same.body.data.pending_change], [200, null])
  await member.change({ price: 31 })
  assert.equal((await member.change({ price: 33 })).body.data.pending_change.price, 33)
  assert.equal((await member.change({ price: 29 })).body.data.pending_change, null)
  await member.change({ price: 34 })
  await settle(store)
  assert.equal((await member.read()).price, 34)
  assert.equal((await member.recorded()).filter(({ type }) => type === 'subscription.updated').length, 1)
})

test('a payment method that is unknown to the platform is refused by it and noted in the history', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  const { status } = await member.change({ payment_method_id: 'gid://platform/CustomerPaymentMethod/none' })
  assert.equal(status, 200)
  await settle(store)
  assert.equal((await member.read()).pending_change, null)
  const [last] = await member.activity()
  assert.deepEqual([last.kind, last.actor], ['reconciled', 'platform'])
  assert.match(last.text, /was not accepted: Payment method does not exist/)
})

test('a refused payment method drops itself only: terms that wait with it are made, the history and an alert say so', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  const unknown = 'gid://platform/CustomerPaymentMethod/none'
  const gold = await service.admin('POST', `${store.at}/plans`, {
    name: 'Gold',
    type: 'vip',
    price: '59.00',
    interval: 'month'
  })
  // Neither request has reached the platform when the second is accepted.
  assert.equal((await member.change({ plan_id: gold.id })).status, 200)
  const { pending_change } = (await member.change({ payment_method_id: unknown })).body.data
  assert.partialDeepStrictEqual(pending_change, { plan_id: gold.id, payment_method_id: unknown })
  await settle(store)
  const after = await member.read()
  assert.deepEqual([after.pending_change, after.plan.id, after.price], [null, gold.id, 59])
  const refusal = (await member.activity()).find(({ kind }: any) => kind === 'reconciled')
  assert.equal(refusal.text, 'A requested change of payment method was not accepted: Payment method does not exist')
  const { requested_by, ...dropped } = refusal.details
  assert.equal(requested_by.actor, 'api')
  assert.deepEqual(dropped, {
    plan_id: null,
    price: null,
    interval: null,
    interval_count: null,
    payment_method_id: unknown
  })
  const [alert] = (await service.admin('GET', `${store.at}/alerts`)).data
  assert.equal(alert.kind, 'change_not_accepted')
  assert.match(alert.message, new RegExp(`${member.id}, payment method: Payment method does not exist`))
  await store.soundBooks()
})

test('a new payment method of a contract whose charge waits for one is charged at once; a pending price waits until then', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  const { controls } = service.sandbox
  const ofCustomer = { storeId: store.storeId, customerId: member.customer }
  await controls.revokeCard(ofCustomer)
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  assert.deepEqual(
    (await member.charges()).map(({ status }) => status),
    ['failed']
  )
  assert.equal((await member.read()).next_billing_date, null)

  await controls.setCard({ ...ofCustomer, outcome: 'success' })
  await settle(store)
  const connector = await service.deps.connectorOf(store.storeId)
  const cards = await connector.customers.findPaymentMethods([member.customer])
  assert.ok(cards.ok)
  const [payment_method_id, ...others] = cards.value.get(member.customer)!
  assert.deepEqual(others, [])
  assert.equal((await member.change({ payment_method_id, price: 31 })).status, 200)
  await settle(store)
  assert.deepEqual(
    (await member.charges()).map(({ status, amount }) => [status, amount]),
    [
      ['failed', 29],
      ['success', 29]
    ],
    'nothing is charged when the card is added, since the contract does not use it yet'
  )
  const { pending_change, price } = await member.read()
  assert.deepEqual([pending_change, price], [null, 31])
  assert.deepEqual((await member.kinds()).slice(-5), [
    'payment_method_changed',
    'charge_scheduled',
    'charge_succeeded',
    'recovered',
    'price_changed'
  ])
  await store.soundBooks()
})

test("a change to a plan that excludes the holder's country is refused", async () => {
  const store = await service.aStore()
  const at = `/stores/${store.domain}`
  await service.admin('POST', `${at}/sandbox/customers`, { email: 'ada@example.com', country: 'FR' })
  const member = await aMember(store)
  const terms = { type: 'elite', price: '59.00', interval: 'month' }
  const abroad = await service.admin('POST', `${at}/plans`, {
    ...terms,
    name: 'Abroad',
    allowed_countries: ['US', 'CA']
  })
  const home = await service.admin('POST', `${at}/plans`, { ...terms, name: 'Home', allowed_countries: ['FR'] })

  const refused = await member.change({ plan_id: abroad.id })
  assert.equal(refused.status, 400)
  assert.match(refused.body.error.message, /^plan_id must be a plan for the country .*: Abroad is for US, CA only$/)
  assert.equal((await member.read()).pending_change, null)
  assert.equal((await member.change({ plan_id: home.id })).status, 200)
})
