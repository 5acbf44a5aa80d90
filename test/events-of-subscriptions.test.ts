// The events of each change of a subscription, on every path that leads to it: docs/events.md, row by row.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from './database.ts'
import { aStoreWithEvents, type RecordedEvent, types } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

async function aMember(given: Record<string, unknown> = {}) {
  const store = await aStoreWithEvents(service, given)
  const { customer, contract_id } = await store.member('ada@example.com')
  const [subscription] = await store.client.subscriptions.list({}).toArray({ atMost: 1 })
  return { store, customer, id: subscription!.id, contract: store.contract(contract_id), contractId: contract_id }
}

const BEGINNING = ['subscription.created', 'subscription.activated']
const updates = (recorded: RecordedEvent[]) => {
  assert.deepEqual(new Set(types(recorded)), new Set(recorded.length > 0 ? ['subscription.updated'] : []))
  return recorded.map(({ data }) => data.changes)
}

test('a checkout sends the events of a new subscription', async () => {
  const store = await aStoreWithEvents(service)
  const recorded = await store.recorded(() => store.member('ada@example.com'))
  assert.deepEqual(types(recorded), ['member.created', ...BEGINNING])
  assert.deepEqual(
    types(await store.recorded(async () => store.member('bob@example.com'))),
    types(recorded),
    'each member for themselves'
  )
})

test('a trial is active from its start, and its first payment sends only the events of a charge', async () => {
  const store = await aStoreWithEvents(service)
  await store.plan({ name: 'Trial', type: 'vip', trial_days: 7 })
  assert.deepEqual(types(await store.recorded(() => store.member('ada@example.com', 'Trial'))), [
    'member.created',
    ...BEGINNING
  ])
  assert.deepEqual(types(await store.recorded(() => store.advance({ by: 'P8D' }))), [
    'billing.pending',
    'billing.success'
  ])
})

test('a contract created without a checkout is activated by its first payment', async () => {
  const store = await aStoreWithEvents(service)
  const customer = await store.customer('ada@example.com')
  await store.card(customer.id, 'success')
  const [plan] = await store.plans()
  const { id } = (await store.shop('{ customers(first: 1) { nodes { id } } }')).nodes[0]
  const [method] = (
    await store.shop('query($id: ID!) { customer(id: $id) { paymentMethods(first: 1) { nodes { id } } } }', { id })
  ).paymentMethods.nodes
  const make = (status: string) =>
    store.shop(
      `mutation($input: SubscriptionContractAtomicCreateInput!) { subscriptionContractAtomicCreate(input: $input) {
         contract { id } userErrors { message } } }`,
      {
        input: {
          customerId: id,
          currencyCode: 'USD',
          nextBillingDate: '2026-02-10T12:00:00Z',
          contract: {
            status,
            paymentMethodId: method?.id,
            billingPolicy: { interval: 'MONTH', intervalCount: 1 },
            deliveryPolicy: { interval: 'MONTH', intervalCount: 1 }
          },
          lines: [
            {
              line: {
                productVariantId: `gid://platform/ProductVariant/${plan!.platformVariantId}`,
                sellingPlanId: `gid://platform/SellingPlan/${plan!.platformSellingPlanId}`,
                quantity: 1,
                currentPrice: '29.00'
              }
            }
          ]
        }
      }
    )
  assert.deepEqual(types(await store.recorded(() => make('ACTIVE'))), ['member.created', 'subscription.created'])
  const first = await store.recorded(() => store.advance({ to: '2026-02-10T13:00:00Z' }))
  assert.deepEqual(types(first), ['billing.pending', 'billing.success', 'subscription.activated'])
  assert.deepEqual(first[2]!.data.activated_at, '2026-02-10T12:00:00.000Z')
  assert.deepEqual(types(await store.recorded(() => store.advance({ to: '2026-03-11T00:00:00Z' }))), [
    'billing.pending',
    'billing.success'
  ])

  let created: { contract: { id: string } } | undefined
  const paused = await store.recorded(async () => {
    created = await make('PAUSED')
  })
  assert.deepEqual(types(paused), ['subscription.created'])
  assert.equal(paused[0]!.data.status, 'paused')
  const contract = store.contract(created!.contract.id.split('/').at(-1)!)
  assert.deepEqual(types(await store.recorded(() => contract.move('Activate'))), ['subscription.resumed'])
})

test('each action of the API sends only its own event, and a refused one sends none', async () => {
  const { store, id } = await aMember()
  const { subscriptions } = store.client
  assert.deepEqual(types(await store.recorded(() => subscriptions.pause(id))), ['subscription.paused'])
  assert.deepEqual(await store.recorded(() => assert.rejects(subscriptions.pause(id))), [])
  assert.deepEqual(types(await store.recorded(() => subscriptions.resume(id))), ['subscription.resumed'])
  const dated = await store.recorded(async () => {
    await subscriptions.pause(id)
    await subscriptions.resume(id, { next_billing_date: '2026-02-14' })
  })
  assert.deepEqual(types(dated), ['subscription.paused', 'subscription.resumed'])
  const once = { idempotencyKey: 'once' }
  const ended = await store.recorded(async () => {
    await subscriptions.cancel(id, { reason: 'other' }, once)
    await subscriptions.cancel(id, { reason: 'other' }, once)
  })
  assert.deepEqual(types(ended), ['subscription.cancelled', 'member.tier_changed'])
  assert.deepEqual(await store.recorded(() => assert.rejects(subscriptions.resume(id))), [])
  await store.soundBooks()
})

test('the same changes on the platform send the same events', async () => {
  const { store, contract } = await aMember()
  assert.deepEqual(types(await store.recorded(() => contract.move('Pause'))), ['subscription.paused'])
  const resumed = await store.recorded(() => contract.move('Activate'))
  assert.deepEqual(types(resumed), ['subscription.resumed'])
  const ended = await store.recorded(() => contract.move('Cancel'))
  assert.deepEqual(types(ended), ['subscription.cancelled', 'member.tier_changed'])
  assert.equal(ended[0]!.data.cancel_reason, 'platform')
  for (const [move, reason] of [
    ['Fail', 'platform'],
    ['Expire', 'expired']
  ] as const) {
    const other = await aMember()
    const recorded = await other.store.recorded(() => other.contract.move(move))
    assert.deepEqual(types(recorded), ['subscription.cancelled', 'member.tier_changed'])
    assert.equal(recorded[0]!.data.cancel_reason, reason)
  }
})

test("the end of a pause and the end of a contract's last cycle send their events", async () => {
  const { store, id, contract } = await aMember()
  await store.client.subscriptions.pause(id, { duration: 3 })
  assert.deepEqual(types(await store.recorded(() => store.advance({ by: 'P4D' }))), ['subscription.resumed'])

  await contract.edit({ billingPolicy: { interval: 'MONTH', intervalCount: 1, maxCycles: 2 } })
  const recorded = await store.recorded(() => store.advance({ by: 'P60D' }))
  assert.deepEqual(types(recorded), [
    'billing.pending',
    'billing.success',
    'subscription.cancelled',
    'member.tier_changed'
  ])
  assert.equal(recorded[2]!.data.cancel_reason, 'expired')
})

test('a change of price, plan or interval on the platform sends one update, also for all at once', async () => {
  const { store, contract, id } = await aMember()
  const [vip] = await store.plans()
  const elite = await store.plan({ name: 'Elite', type: 'elite', price: '49.00' })
  assert.deepEqual(updates(await store.recorded(() => contract.edit({ line: { currentPrice: '24.00' } }))), [
    { price: { from: 29, to: 24 } }
  ])
  const monthly = await store.recorded(() =>
    contract.edit({ billingPolicy: { interval: 'MONTH', intervalCount: 2 }, note: 'every other month' })
  )
  assert.deepEqual(updates(monthly), [{ billing_frequency: { from: 'monthly', to: 'every_2_months' } }])
  assert.equal(monthly[0]!.data.next_billing_date, '2026-02-28T15:00:00.000Z', 'the next date stays')

  const line = {
    productVariantId: `gid://platform/ProductVariant/${elite.platformVariantId}`,
    sellingPlanId: `gid://platform/SellingPlan/${elite.platformSellingPlanId}`,
    currentPrice: '49.00'
  }
  const moved = await store.recorded(() =>
    contract.edit({
      line,
      billingPolicy: { interval: 'YEAR', intervalCount: 1 },
      nextBillingDate: '2026-03-05T09:00:00Z'
    })
  )
  assert.deepEqual(types(moved), ['subscription.updated', 'member.tier_changed'])
  assert.deepEqual(moved[0]!.data.changes, {
    plan_id: { from: `plan_${vip!.id}`, to: `plan_${elite.id}` },
    plan_name: { from: 'VIP', to: 'Elite' },
    price: { from: 24, to: 49 },
    billing_frequency: { from: 'every_2_months', to: 'yearly' },
    next_billing_date: { from: '2026-02-28T15:00:00.000Z', to: '2026-03-05T09:00:00.000Z' }
  })
  assert.deepEqual(moved[1]!.data.tier, { previous: 'VIP', new: 'Elite' })
  const { plan, next_billing_date } = await store.client.subscriptions.get(id)
  assert.deepEqual(
    [plan.name, plan.billing_frequency, next_billing_date],
    ['Elite', 'yearly', '2026-03-05T09:00:00.000Z']
  )

  await store.advance({ to: '2026-03-06T00:00:00Z' })
  assert.equal((await store.client.subscriptions.get(id)).next_billing_date, '2027-03-05T09:00:00.000Z')
  await store.soundBooks()
})

test('an edit and a status change that are synced together send one event each', async () => {
  const { store, contract } = await aMember()
  const both = await store.recorded(() => contract.edit({ status: 'PAUSED', line: { currentPrice: '24.00' } }))
  assert.deepEqual(types(both), ['subscription.updated', 'subscription.paused'])
  assert.deepEqual(both[0]!.data.changes, { price: { from: 29, to: 24 } })
  assert.equal(both[1]!.data.plan.price, 24)
})

test('a change to another plan of the same tier sends an update', async () => {
  const { store, contract } = await aMember()
  const yearly = await store.plan({ name: 'VIP yearly', type: 'vip', tier: 'VIP' })
  const gidOf = (type: string, id: string) => `gid://platform/${type}/${id}`
  const sameTier = await store.recorded(() =>
    contract.edit({
      line: {
        productVariantId: gidOf('ProductVariant', yearly.platformVariantId),
        sellingPlanId: gidOf('SellingPlan', yearly.platformSellingPlanId)
      }
    })
  )
  assert.deepEqual(types(sameTier), ['subscription.updated', 'member.updated'])
  const changes = {
    plan_id: { from: sameTier[0]!.data.changes.plan_id.from, to: `plan_${yearly.id}` },
    plan_name: { from: 'VIP', to: 'VIP yearly' }
  }
  assert.deepEqual([sameTier[0]!.data.changes, sameTier[1]!.data.changes], [changes, changes])
  assert.deepEqual([sameTier[1]!.data.plan_name, sameTier[1]!.data.tier], ['VIP yearly', 'VIP'])
})

test('a date changed on the platform changes ours; the echo of our own change does not', async () => {
  const { store, contract, id } = await aMember()
  const moveTo = (nextBillingDate: string) => store.recorded(() => contract.edit({ nextBillingDate }))
  assert.deepEqual(updates(await moveTo('2026-02-20T08:30:00Z')), [
    { next_billing_date: { from: '2026-02-28T15:00:00.000Z', to: '2026-02-20T08:30:00.000Z' } }
  ])
  // Our date, pushed after each payment; the new day is the anchor.
  assert.deepEqual(types(await store.recorded(() => store.advance({ to: '2026-03-21T00:00:00Z' }))), [
    ...['billing.pending', 'billing.success'],
    ...['billing.pending', 'billing.success']
  ])
  assert.equal(await contract.nextDate(), '2026-04-20T07:30:00Z')
  assert.deepEqual(await moveTo('2026-04-20T07:30:00Z'), [])

  assert.deepEqual(await moveTo('2026-03-01T00:00:00Z'), [], 'it is over')
  assert.equal(await contract.nextDate(), '2026-04-20T07:30:00Z', 'our date is restored')

  const paused = await store.recorded(async () => {
    await contract.move('Pause')
    await store.settle()
    await contract.edit({ nextBillingDate: '2026-05-02T10:00:00Z' })
    await store.settle()
    await contract.move('Activate')
  })
  assert.deepEqual(types(paused), ['subscription.paused', 'subscription.resumed'])
  assert.equal(paused[1]!.data.next_billing_date, '2026-05-02T10:00:00.000Z')
  assert.equal((await store.client.subscriptions.get(id)).next_billing_date, '2026-05-02T10:00:00.000Z')
  await store.soundBooks()
})

test('a date that is changed on the platform moves the first charge, but makes no trial longer', async () => {
  const store = await aStoreWithEvents(service)
  await store.plan({ name: 'Trial', type: 'vip', trial_days: 7 })
  const { contract_id } = await store.member('ada@example.com', 'Trial')
  const { edit } = store.contract(contract_id)
  const the = async () => (await store.client.subscriptions.list({}).toArray({ atMost: 1 }))[0]!
  assert.equal((await the()).trial_ends_at, '2026-02-07T15:00:00.000Z')
  const moved = await store.recorded(() => edit({ nextBillingDate: '2026-02-25T12:00:00Z' }))
  assert.deepEqual(updates(moved), [
    { next_billing_date: { from: '2026-02-07T15:00:00.000Z', to: '2026-02-25T12:00:00.000Z' } }
  ])
  assert.equal((await the()).trial_ends_at, '2026-02-07T15:00:00.000Z')
  await store.soundBooks()

  const first = await store.recorded(() => store.advance({ to: '2026-02-26T00:00:00Z' }))
  assert.deepEqual(types(first), ['billing.pending', 'billing.success'])
  await store.recorded(() => edit({ nextBillingDate: '2026-04-02T12:00:00Z' }))
  const { trial_ends_at, next_billing_date } = await the()
  assert.deepEqual([trial_ends_at, next_billing_date], ['2026-02-07T15:00:00.000Z', '2026-04-02T12:00:00.000Z'])
})

test('a date changed on the platform during dunning applies after the payment; a price applies at once', async () => {
  const { store, customer, contract } = await aMember()
  await store.card(customer.id, 'insufficient_funds, success')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  const edited = await store.recorded(() =>
    contract.edit({ nextBillingDate: '2026-03-20T08:00:00Z', line: { currentPrice: '19.00' } })
  )
  assert.deepEqual(updates(edited), [{ price: { from: 29, to: 19 } }])
  assert.deepEqual(types(await store.recorded(() => store.advance({ by: 'P5D' }))), [
    'billing.pending',
    'billing.success'
  ])
  assert.equal(await contract.nextDate(), '2026-03-31T14:00:00Z')
  await store.soundBooks()
})

test('a change on the platform is applied even while one of our changes is being pushed', async () => {
  const { store, contract, id } = await aMember()
  const recorded = await store.recorded(async () => {
    // The pause is not pushed yet, and the platform's messages about the edits are processed first.
    await store.client.subscriptions.pause(id)
    await contract.edit({ line: { currentPrice: '31.00' }, nextBillingDate: '2026-02-25T00:00:00Z' })
  })
  assert.deepEqual(types(recorded), ['subscription.paused', 'subscription.updated'])
  assert.deepEqual(recorded[1]!.data.changes, { price: { from: 29, to: 31 } })
  // The date is synced again after the push.
  await store.advance({ by: 'PT5M' })
  const [resumed] = await store.recorded(() => store.client.subscriptions.resume(id))
  assert.equal(resumed!.data.next_billing_date, '2026-02-25T00:00:00.000Z')
})

test('a message that changes nothing sends no event, and neither does a repeated one', async () => {
  const { store, contract, id, customer } = await aMember()
  await contract.edit({ line: { currentPrice: '24.00' } })
  await store.settle()
  const { updated_at } = await store.client.subscriptions.get(id)
  await store.advance({ by: 'PT1H' })
  assert.deepEqual(await store.recorded(() => contract.edit({ note: 'seen' })), [])
  assert.deepEqual(await store.recorded(() => contract.edit({ line: { currentPrice: '24.00' } })), [])
  assert.deepEqual(await store.recorded(() => store.card(customer.id, 'success')), [])
  assert.equal((await store.client.subscriptions.get(id)).updated_at, updated_at)

  await store.client.subscriptions.pause(id)
  await store.client.subscriptions.resume(id)
  await store.advance({ by: 'P70D' })
  await contract.move('Cancel')
  assert.deepEqual(await store.recorded(store.replay), [])
  await store.soundBooks()
})
