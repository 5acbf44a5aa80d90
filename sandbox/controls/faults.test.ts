import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { startSandbox, type TestShop } from '../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

/** A shop with a customer whose contract is in its first cycle. */
async function aMember(shop: TestShop, email = 'ada@example.com') {
  const { id: customerId } = await shop.aCustomer(email)
  const joined = await shop.sandbox.controls.join({ storeId: shop.storeId, customerId, plan: 'VIP' })
  return { customerId, ...joined }
}

async function charge(shop: TestShop, contractId: string, key: string) {
  const { subscriptionBillingAttempt } = await shop.mutate(
    `mutation($id: ID!, $key: String!) { subscriptionBillingAttemptCreate(subscriptionContractId: $id,
       subscriptionBillingAttemptInput: { idempotencyKey: $key, billingCycleSelector: { index: 2 } }) {
       subscriptionBillingAttempt { id } userErrors { message } } }`,
    { id: `gid://platform/SubscriptionContract/${contractId}`, key }
  )
  await shop.settle()
  const { data } = await shop.graphql(
    `query($id: ID!) { subscriptionBillingAttempt(id: $id) { state { __typename } errorCode order { id } } }`,
    { id: subscriptionBillingAttempt.id }
  )
  return { id: subscriptionBillingAttempt.id as string, ...data.subscriptionBillingAttempt }
}

test('`reported_failed` becomes a success after an hour without a webhook, and the cycle cannot be charged again', async () => {
  const shop = await aShop({ chargeFaults: null })
  await shop.aPlan()
  const { customerId, contractId } = await aMember(shop)
  const received = await shop.aReceiver(['SUBSCRIPTION_BILLING_ATTEMPTS_FAILURE', 'ORDERS_CREATE'])
  await shop.sandbox.controls.setCard({ storeId: shop.storeId, customerId, outcome: ['reported_failed', 'success'] })
  const reported = await charge(shop, contractId, 'one')
  assert.equal(reported.state.__typename, 'SubscriptionBillingAttemptFailedState')
  assert.equal(reported.order, null)
  assert.equal((await charge(shop, contractId, 'two')).errorCode, 'INVOICE_ALREADY_PAID')
  shop.advance({ hours: 1 })
  await shop.settle()
  const { data } = await shop.graphql(
    'query($id: ID!) { subscriptionBillingAttempt(id: $id) { state { __typename } order { id } } }',
    { id: reported.id }
  )
  assert.equal(data.subscriptionBillingAttempt.state.__typename, 'SubscriptionBillingAttemptSuccessState')
  assert.ok(data.subscriptionBillingAttempt.order.id)
  assert.equal((await shop.sandbox.controls.charges(shop.storeId)).length, 1)
  assert.deepEqual(
    received.map(({ topic }) => topic),
    ['subscription_billing_attempts/failure', 'subscription_billing_attempts/failure']
  )
})

test('webhook faults drop, duplicate, delay and reorder messages, the same way for the same seed', async () => {
  const play = async (seed: number) => {
    const shop = await aShop()
    const received = await shop.aReceiver(['CUSTOMERS_CREATE'])
    const faults = { drop: 0.3, duplicate: 0.3, late: 0.3, delayHours: 24, shuffle: true, seed }
    await shop.sandbox.controls.setWebhookFaults({ storeId: shop.storeId, faults })
    for (let i = 0; i < 30; i++) await shop.aCustomer(`c${i}@example.com`)
    await shop.settle()
    shop.advance({ minutes: 10 })
    await shop.settle()
    const early = received.map(({ body }) => String(body.email))
    shop.advance({ hours: 24 })
    await shop.settle()
    return { early, all: received.map(({ body }) => String(body.email)) }
  }
  const [one, again, other] = [await play(1), await play(1), await play(2)]
  const reported = new Set(one.all)
  assert.ok(reported.size < 30 && reported.size > 10, `${reported.size} of 30 were sent`)
  assert.ok(one.all.length > reported.size, 'none was duplicated')
  assert.ok(one.early.length < one.all.length, 'none was delayed')
  assert.deepEqual(one.all.toSorted(), again.all.toSorted())
  assert.notDeepEqual(one.all.toSorted(), other.all.toSorted())
  await assert.rejects(
    aShop().then((s) => s.sandbox.controls.setWebhookFaults({ storeId: s.storeId, faults: { drop: 2 } })),
    {
      code: 'invalid_request'
    }
  )
})

test('deleting or merging customers, revoking a card and changing the shop each send a webhook', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { controls } = shop.sandbox
  await shop.aPlan()
  const [ada, bob] = [await aMember(shop), await aMember(shop, 'bob@example.com')]
  const received = await shop.aReceiver([
    'CUSTOMERS_DELETE',
    'CUSTOMERS_MERGE',
    'CUSTOMER_PAYMENT_METHODS_REVOKE',
    'SHOP_UPDATE',
    'APP_UNINSTALLED'
  ])
  await controls.mergeCustomers({ storeId, customerId: ada.customerId, intoId: bob.customerId })
  const gid = `gid://platform/SubscriptionContract/${ada.contractId}`
  const { data } = await shop.graphql('query($id: ID!) { subscriptionContract(id: $id) { customer { id } } }', {
    id: gid
  })
  assert.equal(data.subscriptionContract.customer.id, `gid://platform/Customer/${bob.customerId}`)
  await assert.rejects(controls.deleteCustomer({ storeId, customerId: ada.customerId }), { code: 'not_found' })
  await controls.revokeCard({ storeId, customerId: bob.customerId })
  await assert.rejects(controls.revokeCard({ storeId, customerId: bob.customerId }), { code: 'conflict' })
  await controls.changeShop({ storeId, timezone: 'Europe/Vienna' })
  await controls.deleteCustomer({ storeId, customerId: bob.customerId })
  assert.equal((await charge(shop, ada.contractId, 'k')).errorCode, 'CUSTOMER_NOT_FOUND')
  await shop.settle()
  assert.deepEqual(received.map(({ topic }) => topic).sort(), [
    'customer_payment_methods/revoke',
    'customer_payment_methods/revoke',
    'customers/delete',
    'customers/merge',
    'shop/update'
  ])
  assert.equal(received.find(({ topic }) => topic === 'shop/update')!.body.iana_timezone, 'Europe/Vienna')

  await controls.uninstall({ storeId })
  await shop.settle()
  assert.equal(received.at(-1)!.topic, 'app/uninstalled')
  assert.equal((await shop.graphql('{ shop { name } }')).status, 401)
  await controls.install({ storeId, accessToken: shop.shop.accessToken })
  assert.equal((await shop.graphql('{ shop { name } }')).status, 200)
})

test('lists can be filtered and sorted by creation and update time', async () => {
  const shop = await aShop()
  await shop.aPlan()
  const first = await aMember(shop)
  shop.advance({ hours: 1 })
  const second = await aMember(shop, 'bob@example.com')
  const since = async (at: Temporal.Instant) => {
    const { data } = await shop.graphql(
      'query($q: String!) { subscriptionContracts(first: 5, query: $q, sortKey: UPDATED_AT) { nodes { id } } }',
      { q: `updated_at:>='${at}'` }
    )
    return data.subscriptionContracts.nodes.map(({ id }: { id: string }) => id.split('/').at(-1))
  }
  assert.deepEqual(await since(shop.now.subtract({ hours: 2 })), [first.contractId, second.contractId])
  assert.deepEqual(await since(shop.now.subtract({ minutes: 1 })), [second.contractId])
})

test('a share of the answers about credit is lost: of some the change is made, of others it is not', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { gid } = await shop.aCustomer()
  const credit = () =>
    shop.graphql(
      `mutation($id: ID!, $input: StoreCreditAccountCreditInput!) { storeCreditAccountCredit(id: $id, creditInput: $input) {
         userErrors { message } } }`,
      { id: gid, input: { creditAmount: { amount: '1.00', currencyCode: 'USD' } } }
    )
  const { setAnswerFaults } = shop.sandbox.controls
  await assert.rejects(setAnswerFaults({ storeId, faults: { lost: 0.6, unheard: 0.6 } }), {
    message: /^lost must not be/
  })
  await setAnswerFaults({ storeId, faults: { lost: 0.3, unheard: 0.2, seed: 5 } })
  let answered = 0
  for (let i = 0; i < 60; i++)
    answered += await credit().then(
      () => 1,
      () => 0
    )
  await setAnswerFaults({ storeId, faults: null })
  const { data } = await shop.graphql(
    'query($id: ID!) { customer(id: $id) { storeCreditAccounts(first: 1) { nodes { balance { amount } } } } }',
    { id: gid }
  )
  const done = Number(data.customer.storeCreditAccounts.nodes[0].balance.amount)
  assert.ok(answered < done && done < 60, `${answered} were answered, ${done} done`)
  assert.ok(answered > 15, `${answered} were answered`)
  await credit()
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))

test('a customer whose card was revoked gets a new one with a checkout or with setCard', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { controls } = shop.sandbox
  await shop.aPlan()
  const ada = await aMember(shop)
  const received = await shop.aReceiver(['CUSTOMER_PAYMENT_METHODS_CREATE'])
  await controls.revokeCard({ storeId, customerId: ada.customerId })
  const again = await controls.join({ storeId, customerId: ada.customerId, plan: 'VIP' })
  assert.equal((await charge(shop, ada.contractId, 'one')).errorCode, 'INVALID_PAYMENT_METHOD')
  assert.equal((await charge(shop, again.contractId, 'two')).errorCode, null)
  await controls.revokeCard({ storeId, customerId: ada.customerId })
  await controls.setCard({ storeId, customerId: ada.customerId, outcome: 'success' })
  await shop.settle()
  assert.equal(received.length, 2)
})
