// Gift memberships, with the sandbox platform.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listPlans } from '#plans'
import { adminOf } from './admin-calls.ts'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { call, planOf, members, recorded, activity } = adminOf(service)

type Store = Awaited<ReturnType<typeof service.aStore>>
const settle = (store: Store) => service.deps.settle(store.storeId)

/** Ada's membership, and Bo, who is not a member yet. */
async function aGift(given: Record<string, unknown> = {}) {
  const store = await service.aStore(given)
  const { customer: ada, contract_id } = await store.member('ada@example.com')
  const bo = await store.customer('bo@example.com')
  await settle(store)
  const { body } = await service.get(`/subscriptions?customer_id=${ada.id}`, store.key)
  const id = body.data[0].id as string
  const gift = (receiver: string) => call(store, 'POST', `/subscriptions/${id}/gift`, { receiver })
  return { store, id, ada, bo, contractId: contract_id, gift }
}

test('a gift makes the receiver a member, and the giver keeps paying', async () => {
  const { store, id, ada, bo, gift } = await aGift()
  const seen = (await recorded(store)).length
  const given = await gift('bo@example.com')
  assert.equal(given.status, 200)
  assert.equal(given.body.gift.receiver_email, 'bo@example.com')
  assert.deepEqual(await members(store), {
    'ada@example.com': ['cancelled', null, null],
    'bo@example.com': ['active', 'VIP', '2026-02-28']
  })
  const events = (await recorded(store)).slice(seen)
  assert.deepEqual(
    events.map(({ type }) => type),
    ['member.created', 'subscription.updated', 'member.tier_changed']
  )
  assert.deepEqual(events[1]!.data.changes, { receiver: { from: null, to: given.body.gift.receiver_id } })
  assert.deepEqual(events[2]!.data.tier, { previous: 'VIP', new: null })

  const { data } = (await service.get(`/subscriptions/${id}`, store.key)).body
  assert.equal(data.customer.email, 'ada@example.com')
  assert.equal(data.gift.giver.shopify_id, `gid://platform/Customer/${ada.id}`)
  assert.equal(data.gift.receiver.shopify_id, `gid://platform/Customer/${bo.id}`)
  const listed = (await service.get(`/subscriptions?customer_id=${ada.id}`, store.key)).body.data
  assert.deepEqual(listed[0].gift, data.gift)

  await store.advance({ to: '2026-04-01T00:00:00Z' })
  const charged = await service.get(`/billing-attempts?subscription_id=${id}`, store.key)
  assert.deepEqual(
    charged.body.data.map((a: any) => a.status),
    ['success', 'success']
  )
  assert.equal((await members(store))['bo@example.com'][2], '2026-04-30')
  const line = (await activity(store, id)).find(({ kind }) => kind === 'gifted')
  assert.deepEqual(
    [line.actor, line.text],
    ['operator', `Given to ${given.body.gift.receiver_id}, who holds it from now on`]
  )
  await store.soundBooks()
})

test("the receiver's status changes with pause, end and revocation; the giver's does not", async () => {
  const { store, id, gift } = await aGift()
  await gift('bo@example.com')
  const move = async (name: string) =>
    assert.equal((await call(store, 'POST', `/subscriptions/${id}/${name}`, {})).status, 200)
  await move('pause')
  assert.deepEqual((await members(store))['bo@example.com'], ['paused', 'VIP', null])
  await move('resume')
  const back = await call(store, 'DELETE', `/subscriptions/${id}/gift`)
  assert.deepEqual([back.status, back.body.gift], [200, null])
  assert.deepEqual(await members(store), {
    'ada@example.com': ['active', 'VIP', '2026-02-28'],
    'bo@example.com': ['cancelled', null, null]
  })
  assert.equal((await call(store, 'DELETE', `/subscriptions/${id}/gift`)).status, 409)
  await gift('bo@example.com')
  await move('cancel')
  assert.deepEqual((await members(store))['bo@example.com'], ['cancelled', null, null])
  const late = await gift('bo@example.com')
  assert.deepEqual([late.status, late.body.error.code], [409, 'conflict'])
  await settle(store)
  await store.soundBooks()
})

test('what is held about a receiver does not say who pays the gift, and with what; what is held about the giver does', async () => {
  const { store, gift } = await aGift()
  await gift('bo@example.com')
  await settle(store)
  const held = async (customer: string) => {
    const asked = await call(store, 'POST', '/privacy', { topic: 'customers/data_request', customer })
    await settle(store)
    return (await call(store, 'GET', `/privacy/${asked.body.id}/export`)).body.held
  }
  const [ofBo] = (await held('bo@example.com')).subscriptions
  assert.equal(ofBo.status, 'active')
  assert.doesNotMatch(JSON.stringify(ofBo), /"(member_id|payment_method|platform_payment_method_id|cancel_comment)"/)
  const [ofAda] = (await held('ada@example.com')).subscriptions
  assert.equal(ofAda.payment_method.type, 'card')
})

test('a gift can be passed to a third person; a person with another membership stays a member', async () => {
  const { store, id, gift } = await aGift()
  await service.admin('POST', `${store.at}/plans`, { name: 'Gold', type: 'elite', price: '39.00', interval: 'month' })
  const cy = await store.customer('cy@example.com')
  await service.admin('POST', `${store.at}/sandbox/joins`, { customer: cy.id, plan: 'Gold' })
  await settle(store)
  await gift('bo@example.com')
  const again = await gift('bo@example.com')
  assert.equal(again.status, 200)
  assert.equal((await gift('cy@example.com')).status, 200)
  assert.deepEqual(await members(store), {
    'ada@example.com': ['cancelled', null, null],
    'bo@example.com': ['cancelled', null, null],
    'cy@example.com': ['active', 'VIP', '2026-02-28']
  })
  await call(store, 'POST', `/subscriptions/${id}/cancel`, {})
  assert.deepEqual((await members(store))['cy@example.com'], ['active', 'Gold', '2026-02-28'])
  assert.equal((await activity(store, id)).filter(({ kind }) => kind === 'gifted').length, 2)
  await settle(store)
  await store.soundBooks()
})

test('a gift to oneself, to an unknown customer or to a country that the plan excludes is refused', async () => {
  const { store, ada, gift } = await aGift()
  const refused = async (receiver: string) => {
    const { status, body } = await gift(receiver)
    return [status, body.error?.message, body.error?.details?.[0].code]
  }
  assert.deepEqual(await refused(ada.id), [400, 'receiver must be another customer than the one who pays', 'invalid'])
  assert.match(
    String(await refused('nobody@example.com')),
    /^400,receiver must be a customer of the store.*,not_found$/
  )
  assert.match(String(await refused('99999')), /^400,receiver must be a customer of the store.*,not_found$/)
  assert.match(String(await refused('somebody')), /^400,receiver must be a customer id such as/)
  assert.equal((await call(store, 'POST', '/subscriptions/sub_999/gift', { receiver: 'bo@example.com' })).status, 404)

  await service.admin('PATCH', `${store.at}/plans/${await planOf(store)}`, { allowed_countries: ['US'] })
  await service.admin('POST', `${store.at}/sandbox/customers`, { email: 'fr@example.com', country: 'FR' })
  assert.match(String(await refused('fr@example.com')), /^400,receiver must be a customer in US/)
  assert.deepEqual(Object.keys(await members(store)), ['ada@example.com'])
})

test('who has an active membership of the tier, their own or a gift, gets no second one', async () => {
  const { store, gift, ada } = await aGift()
  await store.member('cy@example.com')
  await store.member('dan@example.com')
  await settle(store)
  const { data } = (await service.get('/subscriptions', store.key)).body
  const idOf = (email: string) => data.find(({ customer }: any) => customer.email === email).id
  const give = (from: string, receiver: string) =>
    call(store, 'POST', `/subscriptions/${idOf(from)}/gift`, { receiver })
  const own = await gift('cy@example.com')
  assert.deepEqual(
    [own.status, own.body.error.message, own.body.error.details[0].field],
    [
      409,
      `Customer ${data.find(({ customer }: any) => customer.email === 'cy@example.com').customer.id} has an active VIP membership already`,
      'receiver'
    ]
  )
  // Of two at once one is given.
  const both = await Promise.all([give('ada@example.com', 'bo@example.com'), give('cy@example.com', 'bo@example.com')])
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 409])
  const created = await call(store, 'POST', '/subscriptions', {
    customer: ada.id,
    receiver: 'bo@example.com',
    plan_id: await planOf(store),
    next_billing_date: '2026-06-01'
  })
  assert.equal(created.body.error?.message, 'receiver must be a customer without an active membership of this tier')
  // Who has given theirs away may be given one; and who has none active any more.
  const giver = both[0].status === 200 ? 'ada@example.com' : 'cy@example.com'
  assert.equal((await give('dan@example.com', giver)).status, 200)
  await call(store, 'POST', `/subscriptions/${idOf(giver)}/pause`, {})
  const other = giver === 'ada@example.com' ? 'cy@example.com' : 'ada@example.com'
  assert.equal((await give(other, 'bo@example.com')).status, 200)
  await settle(store)
  await store.soundBooks()
})

test('of two concurrent gifts the later one applies, and both receivers get their events', async () => {
  const { store, id, gift } = await aGift()
  await store.customer('cy@example.com')
  await settle(store)
  const responses = await Promise.all([gift('bo@example.com'), gift('cy@example.com')])
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200]
  )
  const { data } = (await service.get(`/subscriptions/${id}`, store.key)).body
  const holders = Object.entries(await members(store)).flatMap(([email, [status]]: any) =>
    status === 'active' ? email : []
  )
  assert.deepEqual(holders, [data.gift.receiver.email])
  await store.soundBooks()
})

test('a gift ends if its giver and receiver are merged, and returns to the giver if the receiver is deleted', async () => {
  const merged = await aGift()
  await merged.gift('bo@example.com')
  await service.admin('POST', `${merged.store.at}/sandbox/merges`, { customer: merged.bo.id, into: merged.ada.id })
  await settle(merged.store)
  const one = (await service.get(`/subscriptions/${merged.id}`, merged.store.key)).body.data
  assert.equal(one.gift, null)
  assert.deepEqual((await members(merged.store))['ada@example.com'], ['active', 'VIP', '2026-02-28'])

  const deleted = await aGift()
  const cy = await deleted.store.customer('cy@example.com')
  await deleted.gift('bo@example.com')
  await service.admin('POST', `${deleted.store.at}/sandbox/merges`, { customer: deleted.bo.id, into: cy.id })
  await settle(deleted.store)
  assert.deepEqual((await members(deleted.store))['cy@example.com'], ['active', 'VIP', '2026-02-28'])
  await service.admin('POST', `${deleted.store.at}/sandbox/deletions`, { customer: cy.id })
  await settle(deleted.store)
  assert.deepEqual((await members(deleted.store))['ada@example.com'], ['active', 'VIP', '2026-02-28'])
  const [last] = (await activity(deleted.store, deleted.id)).filter(({ kind }) => kind === 'gifted').slice(-1)
  assert.deepEqual([last.actor, /revoked/.test(last.text)], ['platform', true])
  await merged.store.soundBooks()
  await deleted.store.soundBooks()
})

test('the API and the commands give, revoke and create gifts', async () => {
  const { store, id, gift } = await aGift()
  const given = await service.post(`/subscriptions/${id}/gift`, store.key, { receiver: 'bo@example.com' })
  assert.deepEqual([given.status, given.body.data.gift.receiver.email], [200, 'bo@example.com'])
  const back = await service.post(`/subscriptions/${id}/ungift`, store.key, {})
  assert.deepEqual([back.status, back.body.data.gift], [200, null])
  const key = await service.admin('POST', `${store.at}/keys`, { name: 'Reader', scopes: ['read:subscriptions'] })
  assert.equal((await service.post(`/subscriptions/${id}/gift`, key.key, { receiver: 'bo@example.com' })).status, 403)
  const other = await service.aStore()
  assert.equal((await service.post(`/subscriptions/${id}/gift`, other.key, { receiver: 'bo@example.com' })).status, 404)
  assert.equal((await service.post(`/subscriptions/${id}/ungift`, other.key, {})).status, 404)

  const { json } = commandLine(service)
  const of = [id, '--store', store.domain]
  assert.equal(
    (await json('subscription', 'gift', ...of, '--receiver', 'bo@example.com')).gift.receiver_email,
    'bo@example.com'
  )
  assert.equal((await json('subscription', 'ungift', ...of)).gift, null)
  const requested = [
    '--customer',
    'bo@example.com',
    '--plan',
    await planOf(store),
    '--date',
    '2026-02-10',
    '--key',
    'bo-1'
  ]
  const created = await json('subscription', 'create', '--store', store.domain, ...requested)
  const again = await json('subscription', 'create', '--store', store.domain, ...requested)
  assert.deepEqual([created.next_billing_date, again.id], ['2026-02-10T05:00:00.000Z', created.id])
  assert.equal((await gift('bo@example.com')).status, 409)
  await settle(store)
  await store.soundBooks()
})

test('a new contract with a known receiver is a gift from the start; with an unknown receiver it is not', async () => {
  const { store, ada, bo } = await aGift()
  const connector = await service.deps.connectorOf(store.storeId)
  const contractFor = async (giftReceiverId: string, key: string) => {
    const plans = await service.db.inStore(store.storeId, listPlans)
    const cards = await connector.customers.findPaymentMethods([ada.id])
    assert.ok(cards.ok)
    const [created] = await connector.contracts.create([
      {
        key,
        customerId: ada.id,
        status: 'active',
        currency: 'USD',
        interval: 'month',
        intervalCount: 1,
        maxCycles: null,
        nextBillingAt: Temporal.Instant.from('2026-02-20T05:00:00Z'),
        paymentMethodId: cards.value.get(ada.id)![0]!,
        variantId: plans[0]!.platformVariantId!,
        priceMinor: 2900,
        sellingPlan: { id: plans[0]!.platformSellingPlanId, name: 'VIP' },
        giftReceiverId
      }
    ])
    assert.ok(created!.ok)
    await settle(store)
    const { body } = await service.get(`/subscriptions?customer_id=${ada.id}`, store.key)
    return body.data.find((s: any) => s.shopify_subscription_id.endsWith(`/${(created as any).value}`))
  }
  const known = await contractFor(bo.id, 'of-a-shop-1')
  assert.equal(known.gift.receiver.email, 'bo@example.com')
  assert.deepEqual((await members(store))['bo@example.com'], ['active', 'VIP', '2026-02-20'])
  const unknown = await contractFor('987654', 'of-a-shop-2')
  assert.equal(unknown.gift, null)
  assert.deepEqual(
    (await activity(store, unknown.id)).map(({ kind, actor }) => [kind, actor]),
    [
      ['created', 'platform'],
      ['reconciled', 'platform']
    ]
  )
  await store.soundBooks()
})
