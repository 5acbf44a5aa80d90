import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { test } from 'node:test'
import { validateSchema } from 'graphql'
import { request } from 'undici'
import { testDatabase } from '../../test/database.ts'
import { adminSchema } from '../admin/index.ts'
import { startSandbox } from '../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs, origin } = await startSandbox(db)

const errorOf = async (shop: Awaited<ReturnType<typeof aShop>>, query: string, variables = {}) => {
  const { status, errors } = await shop.graphql(query, variables)
  assert.equal(status, 200)
  return errors?.[0]
}

test('the schema is valid and small, and every root field has a resolver', () => {
  const schema = adminSchema()
  // Parsing delays the start: 100 KB take about 60 ms, twice as much twice as long, the whole published schema takes seconds.
  assert.ok(statSync(new URL('../schema/admin-2026-07.graphql', import.meta.url)).size < 260_000)
  assert.deepEqual(validateSchema(schema), [])
  for (const root of [schema.getQueryType()!, schema.getMutationType()!]) {
    for (const field of Object.values(root.getFields())) assert.ok(field.resolve, `${root.name}.${field.name}`)
  }
})

test("a request without the shop's token is refused with a string error", async () => {
  const shop = await aShop()
  const ask = async (url: string, headers: Record<string, string>) => {
    const response = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: '{ shop { name } }' })
    })
    return { status: response.statusCode, headers: response.headers, body: await response.body.json() }
  }
  const url = `${shop.base}/admin/api/2026-07/graphql.json`
  const refused = {
    errors: '[API] Invalid API key or access token (unrecognized login or wrong password)'
  }
  for (const token of [undefined, 'wrong', '']) {
    const { status, body } = await ask(url, token === undefined ? {} : { 'x-platform-access-token': token })
    assert.deepEqual([status, body], [401, refused])
  }
  assert.equal((await ask(`${origin}/nobody.test/admin/api/2026-07/graphql.json`, {})).status, 404)
  const token = { 'x-platform-access-token': shop.shop.accessToken }
  assert.equal((await ask(`${shop.base}/admin/api/2019-13/graphql.json`, token)).status, 404)
  const byHost = await ask(`${origin}/admin/api/2026-07/graphql.json`, { ...token, host: shop.shop.domain })
  assert.deepEqual((byHost.body as { data: unknown }).data, { shop: { name: 'Corner shop' } })
  assert.equal(byHost.headers['x-platform-api-version'], '2026-07')
})

test('a shop with the other profile has its own header names and gids', async () => {
  const shop = await aShop({ profile: 'shopify' })
  const response = await request(`${shop.base}/admin/api/2026-07/graphql.json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-shopify-access-token': shop.shop.accessToken },
    body: JSON.stringify({ query: '{ shop { id } }' })
  })
  assert.match(JSON.stringify(await response.body.json()), /gid:\/\/shopify\/Shop\/\d+/)
})

test('a version that is over gets the oldest that is served; one that never was is not found', async () => {
  const shop = await aShop()
  const get = async (version: string) => {
    const response = await request(`${shop.base}/admin/api/${version}/graphql.json`, {
      method: 'POST',
      dispatcher: shop.agent,
      headers: { 'content-type': 'application/json', 'x-platform-access-token': shop.shop.accessToken },
      body: JSON.stringify({ query: '{ shop { name } }' })
    })
    await response.body.dump()
    return [response.statusCode, response.headers['x-platform-api-version']]
  }
  assert.deepEqual(await get('2026-04'), [200, '2026-04'])
  assert.deepEqual(await get('2023-01'), [200, '2026-01'])
  assert.deepEqual(await get('unstable'), [200, 'unstable'])
  for (const version of ['2026-10', '2026-13', '2026-7', 'latest', '20260-07'])
    assert.deepEqual(await get(version), [404, undefined])
})

test("an invalid document is refused with the platform's message and code", async () => {
  const shop = await aShop()
  assert.deepEqual(await errorOf(shop, '{ shop { nothing } }'), {
    message: "Field 'nothing' doesn't exist on type 'Shop'",
    locations: [{ line: 1, column: 10 }],
    path: ['query', 'shop', 'nothing'],
    extensions: { code: 'undefinedField', typeName: 'Shop', fieldName: 'nothing' }
  })
  const codes = await Promise.all(
    [
      '{ customer { id } }',
      '{ draftOrders(first: 1) { nodes { id } } }',
      '{ customers(first: "x") { nodes { id } } }',
      '{ shop }',
      'query($x: Int!) { customer(id: $x) { id } }'
    ].map(async (query) => (await errorOf(shop, query))?.extensions?.code)
  )
  assert.deepEqual(codes, [
    'missingRequiredArguments',
    'undefinedField',
    'argumentLiteralsIncompatible',
    'selectionMismatch',
    'variableMismatch'
  ])
  assert.match((await errorOf(shop, '{ shop { '))!.message, /^syntax error/)
})

test('an invalid variable is refused with its problems', async () => {
  const shop = await aShop()
  const credit = `mutation($id: ID!, $creditInput: StoreCreditAccountCreditInput!) {
    storeCreditAccountCredit(id: $id, creditInput: $creditInput) { userErrors { code } } }`
  const creditInput = { creditAmount: { amount: '1.00', currencyCode: 'USD' }, attribution: { userId: 'x' } }
  assert.deepEqual(await errorOf(shop, credit, { id: 'gid://platform/Customer/1', creditInput }), {
    message:
      'Variable $creditInput of type StoreCreditAccountCreditInput! was provided invalid value for attribution (Field is not defined on StoreCreditAccountCreditInput)',
    locations: [{ line: 1, column: 20 }],
    extensions: {
      code: 'INVALID_VARIABLE',
      value: creditInput,
      problems: [{ path: ['attribution'], explanation: 'Field is not defined on StoreCreditAccountCreditInput' }]
    }
  })
  const missing = await errorOf(shop, credit, {
    creditInput: { creditAmount: { amount: 'many', currencyCode: 'USD' } }
  })
  assert.deepEqual(missing?.extensions?.problems, [{ path: [], explanation: 'Expected value to not be null' }])
  const topic = await errorOf(
    shop,
    `mutation($t: WebhookSubscriptionTopic!) { webhookSubscriptionCreate(topic: $t, webhookSubscription: {}) {
       userErrors { message } } }`,
    { t: 'CUSTOMERS_REDACT' }
  )
  assert.match(JSON.stringify(topic?.extensions?.problems), /Expected \\"CUSTOMERS_REDACT\\" to be one of: /)
  const many = await errorOf(shop, 'query($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: Array(251).fill('x') })
  assert.equal(many?.extensions?.code, 'MAX_INPUT_SIZE_EXCEEDED')
})

test('a gid of another type is an error; an unknown id returns null', async () => {
  const shop = await aShop()
  const read = (id: string) => shop.graphql('query($id: ID!) { customer(id: $id) { id } }', { id })
  const { errors: noGid } = await read('1')
  assert.deepEqual(noGid?.[0]?.extensions, {
    code: 'INVALID_VARIABLE',
    value: '1',
    problems: [{ path: [], explanation: "Invalid global id '1'", message: "Invalid global id '1'" }]
  })
  for (const id of ['gid://platform/Order/1', 'gid://shopify/Customer/1', 'gid://platform/Customer/9'.repeat(9)]) {
    const { errors } = await read(id)
    assert.deepEqual([errors?.[0]?.message, errors?.[0]?.extensions?.code], ['invalid id', 'RESOURCE_NOT_FOUND'])
  }
  assert.deepEqual((await read('gid://platform/Customer/1')).data, { customer: null })
})

test('a shop cannot read the data of another', async () => {
  const [one, other] = [await aShop(), await aShop()]
  const { gid } = await one.aCustomer()
  const { data } = await other.graphql('query($id: ID!) { customer(id: $id) { id } node(id: $id) { id } }', { id: gid })
  assert.deepEqual(data, { customer: null, node: null })
})

test('responses include their cost, and a full bucket throttles', async () => {
  const shop = await aShop({ costCapacity: 100, costRestoreRate: 0 })
  const first = await shop.graphql('{ customers(first: 50) { nodes { id tags } } }')
  assert.deepEqual(first.extensions?.cost, {
    requestedQueryCost: 8,
    actualQueryCost: 2,
    throttleStatus: { maximumAvailable: 100, currentlyAvailable: 98, restoreRate: 0 }
  })
  const dear = '{ customers(first: 200) { nodes { defaultEmailAddress { emailAddress } amountSpent { amount } } } }'
  assert.equal((await shop.graphql(dear)).extensions?.cost.requestedQueryCost, 26)
  const mutation = 'mutation { tagsAdd(id: "gid://platform/Customer/1", tags: ["a"]) { userErrors { message } } }'
  let last = await shop.graphql(mutation)
  for (let i = 0; i < 12 && !last.errors; i++) last = await shop.graphql(mutation)
  assert.equal(last.status, 200)
  assert.equal(last.errors?.[0]?.extensions?.code, 'THROTTLED')
  assert.equal(last.extensions?.cost.actualQueryCost, null)
})

test('a query above the maximum cost is refused before it runs', async () => {
  const shop = await aShop()
  const nested =
    '{ customers(first: 250) { nodes { subscriptionContracts(first: 250) { nodes { lines(first: 250) { nodes { currentPrice { amount } } } } } } } }'
  const error = await errorOf(shop, nested)
  assert.equal(error?.extensions?.code, 'MAX_COST_EXCEEDED')
  assert.equal(error?.extensions?.maxCost, 1000)
})

test('a field whose scope the app lacks is denied', async () => {
  const shop = await aShop({ accessScopes: ['read_products'] })
  const error = await errorOf(shop, '{ customers(first: 1) { nodes { id } } }')
  assert.equal(error?.extensions?.code, 'ACCESS_DENIED')
  assert.equal(error?.extensions?.requiredAccess, '`read_customers` access scope.')
})

test('lists are paginated in both directions and searched', async () => {
  const shop = await aShop()
  for (const name of ['ada', 'bob', 'cyd', 'dee', 'eve']) {
    await shop.aCustomer(`${name}@example.com`)
    shop.advance({ minutes: 1 })
  }
  const page = async (args: string) => {
    const { data } = await shop.graphql(
      `{ customers(${args}) { nodes { email } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
    )
    return {
      names: data.customers.nodes.map((node: { email: string }) => node.email[0]).join(''),
      ...data.customers.pageInfo
    }
  }
  const one = await page('first: 2, sortKey: UPDATED_AT')
  assert.deepEqual([one.names, one.hasNextPage], ['ab', true])
  const two = await page(`first: 2, sortKey: UPDATED_AT, after: "${one.endCursor}"`)
  assert.deepEqual([two.names, two.hasNextPage, two.hasPreviousPage], ['cd', true, true])
  assert.equal((await page(`last: 1, sortKey: UPDATED_AT, before: "${two.startCursor}"`)).names, 'b')
  assert.equal((await page('first: 9, sortKey: CREATED_AT, reverse: true')).names, 'edcba')
  assert.equal((await page('last: 2')).names, 'de')
  assert.equal((await page(`first: 9, query: "updated_at:>'2026-01-31T15:02:00Z'"`)).names, 'de')
  assert.equal(
    (await page(`first: 9, query: "updated_at:>=2026-01-31T15:02:00Z AND email:dee@example.com"`)).names,
    'd'
  )
  const { errors } = await shop.graphql('{ customers(first: 1, after: "nonsense") { nodes { id } } }')
  assert.equal(errors?.[0]?.extensions?.code, 'BAD_REQUEST')
  assert.equal(
    (await shop.graphql('{ customers { nodes { id } } }')).errors?.[0]?.message,
    'you must provide one of first or last'
  )
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
