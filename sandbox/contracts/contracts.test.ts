import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { startSandbox, type TestShop } from '../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

const TOPICS = ['CREATE', 'UPDATE', 'PAUSE', 'ACTIVATE', 'CANCEL', 'FAIL'].map(
  (word) => `SUBSCRIPTION_CONTRACTS_${word}`
)

async function aShopWithMember() {
  const shop = await aShop()
  await shop.aPlan()
  const received = await shop.aReceiver(TOPICS)
  const member = await shop.aMember()
  return { shop, received, ...member }
}

const FIELDS = `id status nextBillingDate revisionId deliveryPrice { amount } billingPolicy { interval intervalCount }
  lines(first: 5) { nodes { id currentPrice { amount } lineDiscountedPrice { amount } } }
  discounts(first: 5) { nodes { id title targetType usageCount recurringCycleLimit } }`

async function read(shop: TestShop, id: string) {
  return (await shop.graphql(`query($id: ID!) { subscriptionContract(id: $id) { ${FIELDS} } }`, { id })).data
    .subscriptionContract
}

async function change(shop: TestShop, name: string, id: string) {
  const { data } = await shop.graphql(
    `mutation($id: ID!) { ${name}(subscriptionContractId: $id) { contract { status } userErrors { field message code } } }`,
    { id }
  )
  return data[name]
}

test("a contract of the last day of a month is due on the last day of the next, on the shop's calendar", async () => {
  const { shop, contract, contractId, orderId, customer, received } = await aShopWithMember()
  assert.equal((await read(shop, contract)).nextBillingDate, '2026-02-28T15:00:00Z')
  const { data } = await shop.graphql(
    `query($id: ID!, $from: DateTime!, $to: DateTime!) { subscriptionBillingCycles(contractId: $id, first: 12,
       billingCyclesDateRangeSelector: { startDate: $from, endDate: $to }) {
         nodes { cycleIndex cycleStartAt billingAttemptExpectedDate status } } }`,
    { id: contract, from: '2026-01-31T15:00:00Z', to: '2026-03-15T00:00:00Z' }
  )
  assert.deepEqual(data.subscriptionBillingCycles.nodes, [
    {
      cycleIndex: 1,
      cycleStartAt: '2026-01-31T15:00:00Z',
      billingAttemptExpectedDate: '2026-02-28T15:00:00Z',
      status: 'UNBILLED'
    },
    {
      cycleIndex: 2,
      cycleStartAt: '2026-02-28T15:00:00Z',
      // An hour earlier in UTC, since daylight saving time has started in the shop.
      billingAttemptExpectedDate: '2026-03-31T14:00:00Z',
      status: 'UNBILLED'
    }
  ])
  await shop.settle()
  const { revision_id: revision, ...reported } = received[0]!.body
  assert.match(String(revision), /^\d+$/)
  assert.deepEqual(reported, {
    admin_graphql_api_id: contract,
    id: Number(contractId),
    billing_policy: { interval: 'month', interval_count: 1, min_cycles: null, max_cycles: null },
    currency_code: 'USD',
    customer_id: Number(customer.id),
    admin_graphql_api_customer_id: customer.gid,
    delivery_policy: { interval: 'month', interval_count: 1 },
    status: 'active',
    admin_graphql_api_origin_order_id: `gid://platform/Order/${orderId}`,
    origin_order_id: Number(orderId)
  })
})

test('a contract changes its status only as allowed, with one webhook per change', async () => {
  const { shop, contract, received } = await aShopWithMember()
  await shop.settle()
  received.length = 0
  for (const name of ['Pause', 'Pause', 'Activate', 'Fail', 'Activate', 'Cancel']) {
    assert.deepEqual((await change(shop, `subscriptionContract${name}`, contract)).userErrors, [])
  }
  const ended = await change(shop, 'subscriptionContractActivate', contract)
  assert.deepEqual([ended.contract, ended.userErrors[0].code], [null, 'CONTRACT_TERMINATED'])
  const unknown = await change(shop, 'subscriptionContractPause', 'gid://platform/SubscriptionContract/1')
  assert.equal(unknown.userErrors[0].code, 'INVALID')
  await shop.settle()
  assert.deepEqual(
    received.map(({ topic, body }) => [topic.split('/')[1], body.status]),
    [
      ['pause', 'paused'],
      ['activate', 'active'],
      ['fail', 'failed'],
      ['activate', 'active'],
      ['cancel', 'cancelled']
    ]
  )
  const revisions = received.map(({ body }) => BigInt(String(body.revision_id)))
  assert.deepEqual(
    revisions,
    revisions.toSorted((a, b) => (a < b ? -1 : 1))
  )
})

/** Opens a draft and edits it; `edit` is a mutation's name, its input type and its selection. */
async function aDraft(shop: TestShop, contract: string) {
  const { draft } = await shop.mutate(
    'mutation($id: ID!) { subscriptionContractUpdate(contractId: $id) { draft { id } userErrors { message } } }',
    { id: contract }
  )
  return {
    edit: async (name: string, type: string, selection: string, variables: object, line = '') =>
      (
        await shop.graphql(
          `mutation($draft: ID!, $input: ${type}${line && ', $line: ID!'}) { ${name}(draftId: $draft, ${line}input: $input) {
             ${selection} userErrors { field message code } } }`,
          { draft: draft.id, ...variables }
        )
      ).data[name],
    commit: async () =>
      (
        await shop.graphql(
          `mutation($id: ID!) { subscriptionDraftCommit(draftId: $id) { contract { ${FIELDS} } userErrors { code } } }`,
          { id: draft.id }
        )
      ).data.subscriptionDraftCommit
  }
}

test('a draft changes price, interval and date, and a discount ends at its cycle limit', async () => {
  const { shop, contract } = await aShopWithMember()
  const before = await read(shop, contract)
  const draft = await aDraft(shop, contract)
  const lineId = before.lines.nodes[0].id
  await draft.edit(
    'subscriptionDraftLineUpdate',
    'SubscriptionLineUpdateInput!',
    'lineUpdated { currentPrice { amount } }',
    { line: lineId, input: { currentPrice: '19.99' } },
    'lineId: $line, '
  )
  await draft.edit('subscriptionDraftUpdate', 'SubscriptionDraftInput!', 'draft { nextBillingDate }', {
    input: {
      nextBillingDate: '2026-03-05T09:00:00Z',
      billingPolicy: { interval: 'MONTH', intervalCount: 2 },
      deliveryPolicy: { interval: 'MONTH', intervalCount: 2 }
    }
  })
  const added = await draft.edit(
    'subscriptionDraftDiscountAdd',
    'SubscriptionManualDiscountInput!',
    'discountAdded { id value { ... on SubscriptionDiscountPercentageValue { percentage } } }',
    { input: { title: 'Stay', value: { percentage: 20 }, recurringCycleLimit: 1, entitledLines: { all: true } } }
  )
  assert.equal(added.discountAdded.value.percentage, 20)
  const bad = await draft.edit('subscriptionDraftDiscountAdd', 'SubscriptionManualDiscountInput!', 'draft { id }', {
    input: { title: 'No', value: { percentage: 0 }, entitledLines: { all: true } }
  })
  assert.equal(bad.userErrors[0].code, 'INVALID')
  assert.deepEqual(await read(shop, contract), before)

  const { contract: after, userErrors } = await draft.commit()
  assert.deepEqual(userErrors, [])
  assert.equal(after.nextBillingDate, '2026-03-05T09:00:00Z')
  assert.deepEqual(after.billingPolicy, { interval: 'MONTH', intervalCount: 2 })
  assert.deepEqual(after.lines.nodes, [
    { id: lineId, currentPrice: { amount: '19.99' }, lineDiscountedPrice: { amount: '15.99' } }
  ])
  assert.equal((await draft.commit()).userErrors[0].code, 'COMMITTED')

  const totals: string[] = []
  for (const cycle of [1, 2]) {
    await shop.charge(contract, cycle)
    await shop.settle()
  }
  const { data } = await shop.graphql(
    `query($id: ID!) { subscriptionContract(id: $id) { orders(first: 5) { nodes { totalPriceSet { shopMoney { amount } }
       discountApplications(first: 1) { nodes { value { ... on PricingPercentageValue { percentage } } } } } } } }`,
    { id: contract }
  )
  for (const order of data.subscriptionContract.orders.nodes) totals.push(order.totalPriceSet.shopMoney.amount)
  assert.deepEqual(totals, ['29.0', '15.99', '19.99'])
})

test('a draft is stale once its contract has changed', async () => {
  const { shop, contract } = await aShopWithMember()
  const draft = await aDraft(shop, contract)
  await shop.mutate(
    `mutation($id: ID!, $date: DateTime!) { subscriptionContractSetNextBillingDate(contractId: $id, date: $date) {
       contract { nextBillingDate } userErrors { message } } }`,
    { id: contract, date: '2026-03-10T00:00:00Z' }
  )
  assert.equal((await draft.commit()).userErrors[0].code, 'STALE_CONTRACT')
})

test('a contract can be created without a checkout', async () => {
  const shop = await aShop()
  const { variantId } = await shop.aPlan()
  const customer = await shop.aCustomer()
  const create = async (currentPrice: string, customerId = customer.gid) =>
    (
      await shop.graphql(
        `mutation($input: SubscriptionContractAtomicCreateInput!) { subscriptionContractAtomicCreate(input: $input) {
           contract { ${FIELDS} customerPaymentMethod { id } } userErrors { field code } } }`,
        {
          input: {
            customerId,
            currencyCode: 'USD',
            nextBillingDate: '2026-04-01T00:00:00Z',
            contract: {
              billingPolicy: { interval: 'YEAR', intervalCount: 1 },
              deliveryPolicy: { interval: 'YEAR', intervalCount: 1 },
              deliveryPrice: '4.50'
            },
            lines: [{ line: { productVariantId: variantId, quantity: 2, currentPrice } }]
          }
        }
      )
    ).data.subscriptionContractAtomicCreate
  const { contract } = await create('9.99')
  assert.equal(contract.deliveryPrice.amount, '4.5')
  assert.equal(contract.lines.nodes[0].lineDiscountedPrice.amount, '19.98')
  assert.equal((await create('-1')).userErrors[0].code, 'INVALID_LINES')
  assert.equal((await create('1', 'gid://platform/Customer/1')).userErrors[0].code, 'CUSTOMER_DOES_NOT_EXIST')
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
