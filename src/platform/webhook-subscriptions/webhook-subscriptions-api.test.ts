import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlatform, data, lastPage, theValue } from '../../../test/fake-platform.ts'

const aNode = (id: string, topic: string, uri: string, other: object = {}) => ({
  id,
  topic,
  uri,
  format: 'JSON',
  filter: null,
  includeFields: [],
  ...other
})
const whole = (uri: string) => ({ uri, format: 'JSON', filter: '', includeFields: [], metafieldNamespaces: [] })

test('removes the subscriptions of our topics, and stops at the first refusal', async () => {
  let refused: string | null = null
  const { connector, requests } = await aPlatform((res, { operation, variables }) => {
    if (operation === 'WebhookSubscriptions') {
      const nodes = ['w1', 'w2'].map((id) => aNode(id, 'ORDERS_PAID', 'https://svc.example/hooks'))
      return data(res, { webhookSubscriptions: { nodes, pageInfo: lastPage } })
    }
    const userErrors = variables.id === refused ? [{ field: ['id'], message: 'No' }] : []
    return data(res, { webhookSubscriptionDelete: { deletedWebhookSubscriptionId: variables.id, userErrors } })
  })
  assert.equal(theValue(await connector.webhookSubscriptions.remove(['orders/paid'])), 2)
  assert.deepEqual(
    requests.slice(1).map(({ variables }) => variables),
    [{ id: 'w1' }, { id: 'w2' }]
  )
  refused = 'w1'
  assert.equal((await connector.webhookSubscriptions.remove(['orders/paid'])).ok, false)
  assert.equal(requests.length, 5)
})

test('creates missing webhook subscriptions, corrects an address, and leaves the rest', async () => {
  const uri = 'https://svc.example/platform/webhooks'
  const { connector, requests } = await aPlatform((res, { operation, variables }) => {
    if (operation === 'WebhookSubscriptions') {
      const nodes = [aNode('w1', 'ORDERS_PAID', uri), aNode('w2', 'CUSTOMERS_UPDATE', 'https://old.example')]
      return data(res, { webhookSubscriptions: { nodes, pageInfo: lastPage } })
    }
    const taken = variables.topic === 'SHOP_UPDATE'
    const userErrors = taken
      ? [{ field: ['webhookSubscription', 'callbackUrl'], message: 'Address for this topic has already been taken' }]
      : []
    const root = operation.replace('Webhook', 'webhook')
    return data(res, { [root]: { webhookSubscription: taken ? null : { id: 'w3' }, userErrors } })
  })
  const topics = ['orders/paid', 'customers/update', 'customer.tags_added', 'shop/update']
  assert.deepEqual(theValue(await connector.webhookSubscriptions.ensure(uri, topics)), {
    created: ['customer.tags_added'],
    updated: ['customers/update'],
    unchanged: ['orders/paid', 'shop/update'],
    removed: 0
  })
  assert.deepEqual(requests[0]!.variables.topics, [
    'ORDERS_PAID',
    'CUSTOMERS_UPDATE',
    'CUSTOMER_TAGS_ADDED',
    'SHOP_UPDATE'
  ])
  assert.deepEqual(requests[1]!.variables, { id: 'w2', input: whole(uri) })
  assert.deepEqual(requests[2]!.variables, { topic: 'CUSTOMER_TAGS_ADDED', input: whole(uri) })
})

test('a filter, a choice of fields and another format are undone, and second subscriptions of a topic removed', async () => {
  const uri = 'https://svc.example/platform/webhooks'
  const nodes = [
    aNode('w1', 'ORDERS_PAID', uri, { filter: 'total_price:>=10.00' }),
    aNode('w2', 'ORDERS_PAID', 'pubsub://project:topic'),
    aNode('w3', 'CUSTOMERS_UPDATE', uri, { includeFields: ['id'] }),
    aNode('w4', 'CUSTOMERS_CREATE', uri, { format: 'XML' }),
    aNode('w5', 'REFUNDS_CREATE', uri),
    aNode('w6', 'REFUNDS_CREATE', 'https://old.example')
  ]
  const { connector, requests } = await aPlatform((res, { operation, variables }) => {
    if (operation === 'WebhookSubscriptions') return data(res, { webhookSubscriptions: { nodes, pageInfo: lastPage } })
    const root = operation.replace('Webhook', 'webhook')
    return data(res, { [root]: { webhookSubscription: { id: variables.id }, userErrors: [] } })
  })
  const topics = ['orders/paid', 'customers/update', 'customers/create', 'refunds/create', 'shop/update']
  assert.deepEqual(theValue(await connector.webhookSubscriptions.look(uri, topics)), [
    { topic: 'orders/paid', uri, problem: 'has the filter total_price:>=10.00' },
    { topic: 'orders/paid', uri: 'pubsub://project:topic', problem: 'is sent to pubsub://project:topic' },
    { topic: 'customers/update', uri, problem: 'has only the fields id' },
    { topic: 'customers/create', uri, problem: 'is sent as xml' },
    { topic: 'refunds/create', uri, problem: null },
    { topic: 'refunds/create', uri: 'https://old.example', problem: 'is sent to https://old.example' },
    { topic: 'shop/update', uri: null, problem: 'is missing' }
  ])
  assert.equal(requests.length, 1)
  assert.deepEqual(theValue(await connector.webhookSubscriptions.ensure(uri, topics)), {
    created: ['shop/update'],
    updated: ['orders/paid', 'customers/update', 'customers/create'],
    unchanged: ['refunds/create'],
    removed: 2
  })
  assert.deepEqual(
    requests.slice(2).map(({ operation, variables }) => [operation, variables.id ?? variables.topic]),
    [
      ['WebhookSubscriptionUpdate', 'w1'],
      ['WebhookSubscriptionDelete', 'w2'],
      ['WebhookSubscriptionUpdate', 'w3'],
      ['WebhookSubscriptionUpdate', 'w4'],
      ['WebhookSubscriptionDelete', 'w6'],
      ['WebhookSubscriptionCreate', 'SHOP_UPDATE']
    ]
  )
  assert.deepEqual(requests[2]!.variables.input, whole(uri))
})

test('of products and collections only their ids are asked for', async () => {
  const uri = 'https://svc.example/platform/webhooks'
  const ids = ['id', 'admin_graphql_api_id']
  const nodes = [
    aNode('w1', 'PRODUCTS_UPDATE', uri),
    aNode('w2', 'PRODUCTS_CREATE', uri, { includeFields: [...ids].reverse() }),
    aNode('w4', 'PRODUCTS_DELETE', uri),
    aNode('w3', 'COLLECTIONS_UPDATE', uri, { includeFields: ['id'] })
  ]
  const { connector, requests } = await aPlatform((res, { operation, variables }) => {
    if (operation === 'WebhookSubscriptions') return data(res, { webhookSubscriptions: { nodes, pageInfo: lastPage } })
    const root = operation.replace('Webhook', 'webhook')
    return data(res, { [root]: { webhookSubscription: { id: variables.id }, userErrors: [] } })
  })
  const topics = ['products/update', 'products/create', 'products/delete', 'collections/update', 'collections/create']
  assert.deepEqual(
    theValue(await connector.webhookSubscriptions.look(uri, topics)).map(({ problem }) => problem),
    ['has more than the fields id, admin_graphql_api_id', null, null, 'has only the fields id', 'is missing']
  )
  assert.deepEqual(theValue(await connector.webhookSubscriptions.ensure(uri, topics)), {
    created: ['collections/create'],
    updated: ['products/update', 'collections/update'],
    unchanged: ['products/create', 'products/delete'],
    removed: 0
  })
  assert.deepEqual(
    requests.slice(2).map(({ variables }) => (variables.input as { includeFields: string[] }).includeFields),
    [ids, ids, ids]
  )
})

test('a topic that the platform refuses does not keep the others from being registered', async () => {
  const { connector, requests } = await aPlatform((res, { operation, variables }) => {
    if (operation === 'WebhookSubscriptions') {
      return data(res, { webhookSubscriptions: { nodes: [], pageInfo: lastPage } })
    }
    const userErrors = variables.topic === 'DISPUTES_CREATE' ? [{ field: ['topic'], message: 'No permission' }] : []
    return data(res, { webhookSubscriptionCreate: { webhookSubscription: null, userErrors } })
  })
  const ensured = await connector.webhookSubscriptions.ensure('https://svc.example', ['disputes/create', 'orders/paid'])
  assert.equal(ensured.ok ? null : ensured.failure.message, 'No permission')
  assert.deepEqual(
    requests.slice(1).map(({ variables }) => variables.topic),
    ['DISPUTES_CREATE', 'ORDERS_PAID']
  )
})
