import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { startSandbox } from '../start-sandbox.test-helper.ts'
import { ACCESS_SCOPES } from './access.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

const without = (...scopes: string[]) => ACCESS_SCOPES.filter((scope) => !scopes.includes(scope))

/** A shop with a paid renewal, and what its app may then do. */
async function aPaidRenewal(access: { scopes?: string[]; withheld?: string[] }) {
  const shop = await aShop()
  await shop.aPlan()
  const { contract } = await shop.aMember()
  const { data } = await shop.charge(contract, 1)
  await shop.settle()
  await shop.sandbox.controls.setAccess({ storeId: shop.storeId, ...access })
  return { shop, contract, attempt: data.subscriptionBillingAttemptCreate.subscriptionBillingAttempt.id as string }
}

const READ = `query($ids: [ID!]!) { nodes(ids: $ids) { ... on SubscriptionBillingAttempt { id
  state { ... on SubscriptionBillingAttemptSuccessState { order { name email customer { id } } } }
  subscriptionContract { id customerPaymentMethod { id } } } } }`

test('a nested field whose scope is missing is null, and the rest of the response comes', async () => {
  const { shop, attempt, contract } = await aPaidRenewal({
    scopes: without('read_customer_payment_methods', 'read_customers', 'write_customers')
  })
  const { data, errors } = await shop.graphql(READ, { ids: [attempt] })
  const [found] = data.nodes
  assert.deepEqual(found, {
    id: attempt,
    state: { order: { name: '#1002', email: 'ada@example.com', customer: null } },
    subscriptionContract: { id: contract, customerPaymentMethod: null }
  })
  assert.deepEqual(
    errors?.map(({ path, extensions }) => [path!.join('.'), extensions!.code, extensions!.requiredAccess]).sort(),
    [
      ['nodes.0.state.order.customer', 'ACCESS_DENIED', '`read_customers` access scope.'],
      [
        'nodes.0.subscriptionContract.customerPaymentMethod',
        'ACCESS_DENIED',
        '`read_customer_payment_methods` access scope.'
      ]
    ]
  )
})

test('a shop without a list of its own has exactly the scopes that the app requests, nested fields included', async () => {
  const { aShop: aLimitedShop } = await startSandbox(
    db,
    without('read_customers', 'write_customers', 'write_discounts')
  )
  const shop = await aLimitedShop({ storeId: 900, domain: 'limited.test' })
  await shop.aPlan()
  const { contract } = await shop.aMember()
  const { data, errors } = await shop.graphql(
    'query($id: ID!) { subscriptionContract(id: $id) { id customer { id } } }',
    {
      id: contract
    }
  )
  assert.deepEqual(data.subscriptionContract, { id: contract, customer: null })
  assert.deepEqual(
    errors?.map(({ path, extensions }) => [path!.join('.'), extensions!.code]),
    [['subscriptionContract.customer', 'ACCESS_DENIED']]
  )
  const { data: own } = await shop.graphql('{ currentAppInstallation { accessScopes { handle } } }')
  assert.deepEqual(
    own.currentAppInstallation.accessScopes.map(({ handle }: { handle: string }) => handle),
    without('read_customers', 'write_customers', 'write_discounts')
  )
})

test('metafields of a customer need what a change of the customer needs, those of the shop nothing', async () => {
  const { aShop: aLimitedShop } = await startSandbox(db, without('write_customers'))
  const shop = await aLimitedShop({ storeId: 901, domain: 'metafields.test' })
  await shop.aPlan()
  const { customer } = await shop.aMember()
  const { data: own } = await shop.graphql('{ shop { id } }')
  const place = (ownerId: string) => ({ ownerId, namespace: 'svc', key: 'k' })
  const set = (ownerId: string) =>
    shop.graphql('mutation($m: [MetafieldsSetInput!]!) { metafieldsSet(metafields: $m) { userErrors { message } } }', {
      m: [{ ...place(ownerId), type: 'single_line_text_field', value: 'v' }]
    })
  const remove = (ownerId: string) =>
    shop.graphql(
      'mutation($m: [MetafieldIdentifierInput!]!) { metafieldsDelete(metafields: $m) { userErrors { message } } }',
      { m: [place(ownerId)] }
    )
  for (const change of [set, remove]) {
    const refused = (await change(`gid://platform/Customer/${customer.id}`)).errors?.map(
      ({ extensions }) => extensions!.requiredAccess
    )
    assert.deepEqual(refused, ['`write_customers` access scope.'])
    assert.equal((await change(own.shop.id)).errors, undefined)
  }
})

test('an object whose scope is missing is null among the nodes, and the others come', async () => {
  const { shop, attempt, contract } = await aPaidRenewal({ scopes: without('read_orders', 'write_orders') })
  const { orderId } = (await shop.sandbox.controls.charges(shop.storeId))[0]!
  const ids = [`gid://platform/Order/${orderId}`, contract]
  const { data, errors } = await shop.graphql('query($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })
  assert.deepEqual(data.nodes, [null, { id: contract }])
  assert.deepEqual(
    errors?.map(({ path }) => path),
    [['nodes', 0]]
  )
  const { data: read } = await shop.graphql(READ, { ids: [attempt] })
  assert.deepEqual(read.nodes[0].state, { order: null })
})

test('a single field can be withheld whatever the scopes are', async () => {
  const { shop, attempt } = await aPaidRenewal({ withheld: ['Order.email'] })
  const { data, errors } = await shop.graphql(READ, { ids: [attempt] })
  assert.deepEqual([data.nodes[0].state.order.name, data.nodes[0].state.order.email], ['#1002', null])
  assert.deepEqual(
    errors?.map(({ path }) => path!.join('.')),
    ['nodes.0.state.order.email']
  )
})

test('a mutation and a webhook topic without their scope change nothing', async () => {
  const shop = await aShop({
    accessScopes: without('write_own_subscription_contracts', 'read_customer_merge', 'write_customer_merge')
  })
  await shop.aPlan()
  const { contract } = await shop.aMember()
  const { data, errors } = await shop.charge(contract, 1)
  assert.equal(errors?.[0]?.extensions?.code, 'ACCESS_DENIED')
  assert.equal(data.subscriptionBillingAttemptCreate, null)
  await shop.settle()
  assert.deepEqual(await shop.sandbox.controls.charges(shop.storeId), [])
  await assert.rejects(shop.aReceiver(['CUSTOMERS_MERGE']), /permission to create or update webhooks with customers/)
  await shop.aReceiver(['CUSTOMERS_UPDATE'])
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
