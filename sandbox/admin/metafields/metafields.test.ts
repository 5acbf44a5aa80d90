import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Dispatcher, request } from 'undici'
import { testDatabase } from '../../../test/database.ts'
import { startSandbox } from '../../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

// Where a response of a real store was recorded, the expected values are those of the recording.

test('tags are split at commas, compared ignoring case and sorted', async () => {
  const shop = await aShop()
  const withTags = async (mutation: 'tagsAdd' | 'tagsRemove', tags: unknown) => {
    const { product } = await shop.mutate(
      `mutation { productCreate(product: { title: "Tagged", status: DRAFT, tags: ["Red"] }) {
         product { id status } userErrors { field message } } }`
    )
    const { node } = await shop.mutate(
      `mutation($id: ID!, $tags: [String!]!) { ${mutation}(id: $id, tags: $tags) {
         node { ... on Product { tags } } userErrors { field message } } }`,
      { id: product.id, tags }
    )
    return node.tags
  }
  assert.deepEqual(await withTags('tagsAdd', 'blue, green'), ['blue', 'green', 'Red'])
  assert.deepEqual(await withTags('tagsAdd', ['blue,green']), ['blue', 'green', 'Red'])
  assert.deepEqual(await withTags('tagsAdd', ['red']), ['Red'])
  assert.deepEqual(await withTags('tagsRemove', ['red']), [])
  assert.deepEqual(await withTags('tagsRemove', 'Red'), [])
  const missing = await shop.graphql(
    'mutation { tagsAdd(id: "gid://platform/Customer/1", tags: ["a"]) { userErrors { field message } } }'
  )
  assert.deepEqual(missing.data.tagsAdd.userErrors, [{ field: ['id'], message: 'Customer does not exist' }])
})

test("a change of a customer's tags sends one webhook with only the changed tags", async () => {
  const shop = await aShop()
  const { gid } = await shop.aCustomer()
  const received = await shop.aReceiver(['CUSTOMER_TAGS_ADDED', 'CUSTOMER_TAGS_REMOVED'])
  const change = (name: string, tags: string[]) =>
    shop.mutate(`mutation($id: ID!, $tags: [String!]!) { ${name}(id: $id, tags: $tags) { userErrors { message } } }`, {
      id: gid,
      tags
    })
  await change('tagsAdd', ['SVC: VIP: Active', 'gold'])
  await change('tagsAdd', ['GOLD'])
  await change('tagsRemove', ['Gold'])
  await shop.settle()
  assert.deepEqual(
    received.map(({ topic, body }) => [topic, body.tags]),
    [
      ['customer.tags_added', ['gold', 'SVC: VIP: Active']],
      ['customer.tags_removed', ['gold']]
    ]
  )
  assert.equal(received[0]!.body.customerId, gid)
})

test("an update that replaces a customer's tags sends what it added and removed, and one without tags keeps them", async () => {
  const shop = await aShop()
  const { gid } = await shop.aCustomer()
  const received = await shop.aReceiver(['CUSTOMER_TAGS_ADDED', 'CUSTOMER_TAGS_REMOVED'])
  const update = (input: object) =>
    shop.mutate('mutation($input: CustomerInput!) { customerUpdate(input: $input) { userErrors { message } } }', {
      input: { id: gid, ...input }
    })
  await update({ tags: ['SVC: VIP: Active', 'gold'] })
  await update({ tags: ['silver', 'gold'] })
  await update({ tags: ['gold', 'silver'] })
  await update({ firstName: 'Ada' })
  await update({ tags: [] })
  await shop.settle()
  assert.deepEqual(
    received.map(({ topic, body }) => [topic, body.tags]),
    [
      ['customer.tags_added', ['gold', 'SVC: VIP: Active']],
      ['customer.tags_added', ['silver']],
      ['customer.tags_removed', ['SVC: VIP: Active']],
      ['customer.tags_removed', ['gold', 'silver']]
    ]
  )
})

const SET = `mutation($metafields: [MetafieldsSetInput!]!) { metafieldsSet(metafields: $metafields) {
  metafields { id namespace key type value jsonValue compareDigest owner { ... on Customer { id } } }
  userErrors { field message code elementIndex } } }`

test('metafieldsSet writes all entries or none, and refuses an outdated digest', async () => {
  const shop = await aShop()
  const { gid, id } = await shop.aCustomer()
  const set = async (...metafields: object[]) => (await shop.graphql(SET, { metafields })).data.metafieldsSet
  const text = { ownerId: gid, namespace: 'svc', key: 'name', type: 'single_line_text_field', value: 'Canvas' }

  const created = await set(text, { ...text, key: 'count', type: 'number_integer', value: '7' })
  assert.deepEqual(created.userErrors, [])
  assert.deepEqual(
    created.metafields.map((m: { jsonValue: unknown }) => m.jsonValue),
    ['Canvas', 7]
  )
  assert.equal(created.metafields[0].owner.id, gid)
  assert.match(created.metafields[0].compareDigest, /^[0-9a-f]{64}$/)

  assert.deepEqual(await set({ ...text, key: 'other', type: undefined }, { ...text, value: 'Silk' }), {
    metafields: [],
    userErrors: [
      { field: ['metafields', '0', 'type'], message: "Type can't be blank", code: 'BLANK', elementIndex: null }
    ]
  })
  const bad = await set({ ...text, ownerId: 'gid://platform/Customer/1' })
  assert.deepEqual(
    bad.userErrors.map((e: { field: unknown; message: unknown; code: unknown }) => [e.field, e.message, e.code]),
    [[['metafields', '0', 'ownerId'], 'Owner does not exist.', 'INVALID_VALUE']]
  )
  const codes = async (change: object) =>
    (await set({ ...text, ...change })).userErrors.map((e: { code: string }) => e.code)
  assert.deepEqual(await codes({ namespace: 'ab' }), ['TOO_SHORT'])
  assert.deepEqual(await codes({ key: 'k'.repeat(65) }), ['TOO_LONG'])
  assert.deepEqual(await codes({ namespace: 'app--123--x' }), ['APP_NOT_AUTHORIZED'])
  assert.deepEqual(await codes({ type: 'json', value: '{' }), ['INVALID_VALUE'])
  assert.deepEqual(await codes({ compareDigest: 'stale', value: 'Wool' }), ['STALE_OBJECT'])
  // Nothing would change, so that nothing was overlooked.
  assert.deepEqual(await codes({ compareDigest: 'stale' }), [])
  assert.deepEqual(await codes({ compareDigest: created.metafields[0].compareDigest, value: 'Silk' }), [])
  const many = await set(...Array.from({ length: 26 }, (_, i) => ({ ...text, key: `k${i}` })))
  assert.deepEqual(many.metafields, null)
  assert.equal(many.userErrors[0].message, 'Exceeded the maximum metafields input limit of 25.')

  const { data } = await shop.graphql(
    `query($id: ID!) { customer(id: $id) { one: metafield(namespace: "svc", key: "name") { value }
       none: metafield(namespace: "svc", key: "none") { value } metafields(first: 5, namespace: "svc") { nodes { key } } } }`,
    { id: gid }
  )
  assert.deepEqual(data.customer, {
    one: { value: 'Silk' },
    none: null,
    metafields: { nodes: [{ key: 'name' }, { key: 'count' }] }
  })
  const gone = await shop.mutate(
    `mutation($m: [MetafieldIdentifierInput!]!) { metafieldsDelete(metafields: $m) {
       deletedMetafields { key } userErrors { field message } } }`,
    { m: ['name', 'none'].map((key) => ({ ownerId: gid, namespace: 'svc', key })) }
  )
  assert.deepEqual(gone.deletedMetafields, [{ key: 'name' }, null])

  // REST returns numbers as JSON numbers, and limits calls.
  const rest = async (path: string, token = shop.shop.accessToken) => {
    const response = await request(`${shop.base}/admin/api/2026-07/${path}`, {
      headers: { 'x-platform-access-token': token }
    })
    const body = (await response.body.json()) as { metafields: Record<string, unknown>[] }
    return { status: response.statusCode, headers: response.headers, body }
  }
  const listed = await rest(`customers/${id}/metafields.json?namespace=svc`)
  assert.equal(listed.headers['x-platform-shop-api-call-limit'], '1/40')
  assert.deepEqual(
    listed.body.metafields.map(({ key, value, owner_resource }) => [key, value, owner_resource]),
    [['count', 7, 'customer']]
  )
  assert.equal((await rest('metafields.json', 'wrong')).status, 401)
  assert.deepEqual((await rest('metafields.json')).body, { metafields: [] })
  assert.equal((await rest('customers/1/metafields.json')).status, 404)
  let last = await rest('metafields.json')
  for (let i = 0; i < 60 && last.status === 200; i++) last = await rest('metafields.json')
  assert.equal(last.status, 429)
  assert.ok(Number(last.headers['retry-after']) > 0)
})

test('REST metafields of the shop are paginated', async () => {
  const shop = await aShop()
  const { data } = await shop.graphql('{ shop { id } }')
  await shop.mutate(SET, {
    metafields: ['one', 'two', 'three'].map((key) => ({
      ownerId: data.shop.id,
      namespace: 'svc',
      key,
      type: 'boolean',
      value: 'true'
    }))
  })
  const keys: unknown[] = []
  for (let url: string | undefined = `${shop.base}/admin/api/2026-07/metafields.json?namespace=svc&limit=2`; url; ) {
    const response: Dispatcher.ResponseData = await request(url, {
      headers: { 'x-platform-access-token': shop.shop.accessToken }
    })
    const { metafields } = (await response.body.json()) as {
      metafields: { key: string; value: unknown; created_at: string }[]
    }
    for (const found of metafields) keys.push([found.key, found.value, found.created_at])
    url = /<([^>]+)>; rel="next"/.exec(String(response.headers.link))?.[1]
  }
  const at = '2026-01-31T10:00:00-05:00'
  assert.deepEqual(keys, [
    ['one', true, at],
    ['two', true, at],
    ['three', true, at]
  ])
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
