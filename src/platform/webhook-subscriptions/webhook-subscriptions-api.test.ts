import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlatform, data, lastPage, theValue } from '../../../test/fake-platform.ts'

test('removes the subscriptions of our topics, and stops at the first refusal', async () => {
  let refused: string | null = null
  const { connector, requests } = await aPlatform((res, { operation, variables }) => {
    if (operation === 'WebhookSubscriptions') {
      const nodes = ['w1', 'w2'].map((id) => ({ id, topic: 'ORDERS_PAID', uri: 'https://svc.example/hooks' }))
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
  const node = (id: string, topic: string, at: string) => ({ id, topic, uri: at })
  const { connector, requests } = await aPlatform((res, { operation, variables }) => {
    if (operation === 'WebhookSubscriptions') {
      const nodes = [node('w1', 'ORDERS_PAID', uri), node('w2', 'CUSTOMERS_UPDATE', 'https://old.example')]
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
    unchanged: ['orders/paid', 'shop/update']
  })
  assert.deepEqual(requests[0]!.variables.topics, [
    'ORDERS_PAID',
    'CUSTOMERS_UPDATE',
    'CUSTOMER_TAGS_ADDED',
    'SHOP_UPDATE'
  ])
  assert.deepEqual(requests[1]!.variables, { id: 'w2', input: { uri, format: 'JSON' } })
  assert.deepEqual(requests[2]!.variables, { topic: 'CUSTOMER_TAGS_ADDED', input: { uri, format: 'JSON' } })
})
