import assert from 'node:assert/strict'
import { test } from 'node:test'
import { request } from 'undici'
import { testDatabase } from '../../test/database.ts'
import { startSandbox } from '../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

// Where a response of a real store was recorded, the expected values are those of the recording.

test('a webhook address is unique per topic, and must be https or on this machine', async () => {
  const shop = await aShop()
  const create = async (uri: string) =>
    (
      await shop.graphql(
        `mutation($s: WebhookSubscriptionInput!) { webhookSubscriptionCreate(topic: ORDERS_CREATE, webhookSubscription: $s) {
           webhookSubscription { id topic uri apiVersion { handle } } userErrors { field message } } }`,
        { s: { uri } }
      )
    ).data.webhookSubscriptionCreate
  const { webhookSubscription } = await create('https://app.example/hooks')
  assert.equal(webhookSubscription.topic, 'ORDERS_CREATE')
  const message = async (uri: string) => (await create(uri)).userErrors[0].message
  assert.equal(await message('https://app.example/hooks'), 'Address for this topic has already been taken')
  assert.equal(await message('http://app.example/hooks'), 'Address protocol http:// is not supported')
  await shop.mutate(
    `mutation($id: ID!, $s: WebhookSubscriptionInput!) { webhookSubscriptionUpdate(id: $id, webhookSubscription: $s) {
       webhookSubscription { uri } userErrors { message } } }`,
    { id: webhookSubscription.id, s: { uri: 'https://app.example/other' } }
  )
  await shop.mutate('mutation($id: ID!) { webhookSubscriptionDelete(id: $id) { userErrors { message } } }', {
    id: webhookSubscription.id
  })
  const { data } = await shop.graphql('{ webhookSubscriptions(first: 5) { nodes { id } } }')
  assert.deepEqual(data.webhookSubscriptions.nodes, [])
})

test('a bulk operation writes one line per object, children after their parent', async () => {
  const shop = await aShop()
  await shop.aPlan()
  for (const name of ['ada', 'bob']) await shop.aMember(`${name}@example.com`)
  const received = await shop.aReceiver(['BULK_OPERATIONS_FINISH'])
  const run = async (query: string) =>
    (
      await shop.graphql(
        `mutation($q: String!) { bulkOperationRunQuery(query: $q, groupObjects: false) {
           bulkOperation { id status } userErrors { field message code } } }`,
        { q: query }
      )
    ).data.bulkOperationRunQuery
  assert.equal((await run('{ customers { nodes { id } } }')).userErrors[0].code, 'INVALID')
  assert.equal((await run('{ shop { id } }')).userErrors[0].code, 'INVALID')
  const { bulkOperation } = await run(
    '{ customers { edges { node { id email subscriptionContracts { edges { node { id status } } } } } } }'
  )
  assert.equal(bulkOperation.status, 'CREATED')
  await shop.settle()
  const { data } = await shop.graphql(
    'query($id: ID!) { bulkOperation(id: $id) { status objectCount rootObjectCount url } }',
    {
      id: bulkOperation.id
    }
  )
  assert.deepEqual(
    [data.bulkOperation.status, data.bulkOperation.objectCount, data.bulkOperation.rootObjectCount],
    ['COMPLETED', '4', '2']
  )
  const file = await (await request(data.bulkOperation.url)).body.text()
  const lines = file
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ email, status }) => email ?? status),
    ['ada@example.com', 'ACTIVE', 'bob@example.com', 'ACTIVE']
  )
  assert.equal(lines[1].__parentId, lines[0].id)
  assert.equal((await request(data.bulkOperation.url.replace(/.$/, 'x'))).statusCode, 403)
  assert.equal(received[0]?.body.admin_graphql_api_id, bulkOperation.id)
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
