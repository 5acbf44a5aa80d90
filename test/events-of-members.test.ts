// The events of each change of a member, of points and of credit, on every path that leads to it: docs/events.md.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from './database.ts'
import { aStoreWithEvents, type RecordedEvent, types } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

async function aMember() {
  const store = await aStoreWithEvents(service)
  const { customer, contract_id } = await store.member('ada@example.com')
  const { members, subscriptions, storeCredits } = store.client
  const [member] = await members.list({}).toArray({ atMost: 1 })
  /** Edits a customer on the platform, as the merchant would. */
  const edit = (input: Record<string, unknown>) =>
    store.shop('mutation($input: CustomerInput!) { customerUpdate(input: $input) { userErrors { message } } }', {
      input: { id: `gid://platform/Customer/${customer.id}`, ...input }
    })
  const subscriptionOf = async (contract: string) => {
    const all = await subscriptions.list({ customer_id: customer.id }).toArray({ atMost: 10 })
    return all.find((s: { shopify_subscription_id: string }) => s.shopify_subscription_id.endsWith(`/${contract}`))!.id
  }
  return { store, customer, contract_id, id: member!.id, members, subscriptions, storeCredits, edit, subscriptionOf }
}

const tiers = (recorded: RecordedEvent[]) =>
  recorded.filter(({ type }) => type === 'member.tier_changed').map(({ data }) => [data.tier.previous, data.tier.new])

test('a change of names, address or birth date, by the API or on the platform, sends one update', async () => {
  const { store, id, members, edit } = await aMember()
  await store.advance({ by: 'PT1H' })
  const byApi = await store.recorded(() =>
    members.update(id, { email: 'new@example.com', first_name: 'Adah', birth_date: '1990-04-17' })
  )
  assert.deepEqual(types(byApi), ['member.updated'], 'the echo from the platform sends no event')
  assert.deepEqual(byApi[0]!.data.changes, {
    email: { from: 'ada@example.com', to: 'new@example.com' },
    first_name: { from: null, to: 'Adah' },
    birth_date: { from: null, to: '1990-04-17' }
  })
  await store.advance({ by: 'PT1H' })
  const there = await store.recorded(() => edit({ lastName: 'Adler' }))
  assert.deepEqual(types(there), ['member.updated'])
  assert.deepEqual(there[0]!.data.changes, { last_name: { from: null, to: 'Adler' } })

  await store.advance({ by: 'PT1H' })
  for (const nothing of [
    () => members.update(id, { email: 'new@example.com', birth_date: '1990-04-17' }),
    () => edit({ lastName: 'Adler' }),
    () => edit({ tags: ['vip'] }),
    () => assert.rejects(members.update(id, { birth_date: '2999-01-01' })),
    store.replay
  ]) {
    assert.deepEqual(await store.recorded(nothing), [], String(nothing))
  }
})

test('entering, leaving and entering a tier again each send an event', async () => {
  const { store, contract_id, customer, subscriptions, subscriptionOf } = await aMember()
  await store.plan({ name: 'Elite', type: 'elite' })
  await store.plan({ name: 'VIP yearly', type: 'vip', tier: 'VIP', interval: 'year' })
  const join = (plan: string) =>
    service.admin('POST', `${store.at}/sandbox/joins`, { customer: customer.id, plan }) as Promise<{
      contract_id: string
    }>
  const BEGINNING = ['subscription.created', 'subscription.activated']

  const paused = await store.recorded(async () => {
    const id = await subscriptionOf(contract_id)
    await subscriptions.pause(id)
    await subscriptions.resume(id)
  })
  assert.deepEqual(tiers(paused), [], 'a pause keeps the tier')

  let elite = ''
  const beside = await store.recorded(async () => {
    elite = (await join('Elite')).contract_id
  })
  assert.deepEqual(types(beside), BEGINNING, 'the first plan is still held')

  const left = await store.recorded(async () => subscriptions.cancel(await subscriptionOf(contract_id)))
  assert.deepEqual(types(left), ['subscription.cancelled', 'member.tier_changed'])
  assert.deepEqual(tiers(left), [['VIP', 'Elite']])

  const ended = await store.recorded(async () => subscriptions.cancel(await subscriptionOf(elite)))
  assert.deepEqual(tiers(ended), [['Elite', null]])
  const [member] = await store.client.members.list({}).toArray({ atMost: 1 })
  assert.deepEqual([member!.status, member!.tier, member!.plan_name], ['cancelled', null, 'Elite'])

  const back = await store.recorded(() => join('VIP yearly'))
  assert.deepEqual(types(back), [...BEGINNING, 'member.tier_changed'])
  assert.deepEqual(tiers(back), [[null, 'VIP']])
  const beside2 = await store.recorded(() => join('VIP'))
  assert.deepEqual(types(beside2), BEGINNING)
  assert.deepEqual(await store.recorded(store.replay), [])
  await store.soundBooks()
})

test('two concurrent pauses and two concurrent resumptions of one member send each event once', async () => {
  const { store, customer, members, subscriptions } = await aMember()
  await service.admin('POST', `${store.at}/sandbox/joins`, { customer: customer.id, plan: 'VIP' })
  await store.settle()
  const held = await subscriptions.list({}).toArray({ atMost: 5 })
  assert.equal(held.length, 2)
  const statusNow = async () => (await members.list({}).toArray({ atMost: 1 }))[0]!.status
  for (let time = 0; time < 3; time++) {
    await Promise.all(held.map(({ id }: { id: string }) => subscriptions.pause(id)))
    assert.equal(await statusNow(), 'paused')
    await Promise.all(held.map(({ id }: { id: string }) => subscriptions.resume(id)))
    assert.equal(await statusNow(), 'active')
  }
  await store.soundBooks()
})

test('moving to another plan of the same tier sends no event of membership', async () => {
  const { store, contract_id, customer, subscriptions, subscriptionOf } = await aMember()
  const yearly = await store.plan({ name: 'VIP yearly', type: 'vip', tier: 'VIP', interval: 'year' })
  await service.admin('POST', `${store.at}/sandbox/joins`, { customer: customer.id, plan: 'VIP yearly' })
  await store.settle()
  const recorded = await store.recorded(async () => subscriptions.cancel(await subscriptionOf(contract_id)))
  assert.deepEqual(types(recorded), ['subscription.cancelled', 'member.updated'])
  const [cancelled, updated] = recorded
  assert.deepEqual(updated!.data.changes, {
    plan_id: { from: cancelled!.data.plan.id, to: `plan_${yearly.id}` },
    plan_name: { from: 'VIP', to: 'VIP yearly' }
  })
})

test('each entry of the points and credit ledgers sends one event, and a change of nothing sends none', async () => {
  const { store, id, members, storeCredits, customer } = await aMember()
  assert.deepEqual(types(await store.recorded(() => members.update(id, { loyalty_points: 120 }))), [
    'member.points_changed'
  ])
  assert.deepEqual(await store.recorded(() => members.update(id, { loyalty_points: 120 })), [])
  const both = await store.recorded(() => members.update(id, { loyalty_points: 100, last_name: 'Adler' }))
  assert.deepEqual(new Set(types(both)), new Set(['member.points_changed', 'member.updated']))
  assert.equal(both.length, 2)

  const once = { idempotencyKey: 'once' }
  const credit = await store.recorded(async () => {
    await storeCredits.add(customer.id, { amount: 10, reason: 'Gift', expires_at: '2026-02-02' }, once)
    await storeCredits.add(customer.id, { amount: 10, reason: 'Gift', expires_at: '2026-02-02' }, once)
    await storeCredits.deduct(customer.id, { amount: 4, reason: 'Spent' })
    await assert.rejects(storeCredits.deduct(customer.id, { amount: 7, reason: 'Too much' }))
  })
  assert.deepEqual(types(credit), ['store_credit.added', 'store_credit.deducted'])
  const expired = await store.recorded(() => store.advance({ by: 'P3D' }))
  assert.deepEqual(types(expired), ['store_credit.deducted'])
  assert.deepEqual([expired[0]!.data.reason, expired[0]!.data.amount], ['expired', 6])
})

test('for a customer without a membership, credit sends events, and names and orders do not', async () => {
  const store = await aStoreWithEvents(service)
  const { id } = await store.customer('ada@example.com')
  await store.settle()
  const recorded = await store.recorded(async () => {
    await service.admin('POST', `${store.at}/sandbox/orders`, { customer: id, total: '20.00' })
    await store.shop('mutation($input: CustomerInput!) { customerUpdate(input: $input) { userErrors { message } } }', {
      input: { id: `gid://platform/Customer/${id}`, firstName: 'Ada' }
    })
    await store.client.storeCredits.add(id, { amount: 5, reason: 'Gift' })
  })
  assert.deepEqual(types(recorded), ['store_credit.added'])
  // Who becomes a member later has member.created then, before the first event of the subscription.
  const joined = await store.recorded(async () => {
    await store.member('ada@example.com')
    await store.settle()
  })
  assert.deepEqual(types(joined).slice(0, 2), ['member.created', 'subscription.created'])
})
