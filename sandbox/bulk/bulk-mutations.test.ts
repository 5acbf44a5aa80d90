import assert from 'node:assert/strict'
import { test } from 'node:test'
import { request } from 'undici'
import { testDatabase } from '../../test/database.ts'
import { startSandbox, type TestShop } from '../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

const STAGE = `mutation($i: [StagedUploadInput!]!) { stagedUploadsCreate(input: $i) {
  stagedTargets { url resourceUrl parameters { name value } } userErrors { field message } } }`
const RUN = `mutation($m: String!, $p: String!) { bulkOperationRunMutation(mutation: $m, stagedUploadPath: $p) {
  bulkOperation { id status } userErrors { field message code } } }`
const READ = `query($id: ID!) { bulkOperation(id: $id) { status type objectCount rootObjectCount fileSize url partialDataUrl } }`
const TAG =
  'mutation($id: ID!, $tags: [String!]!) { tagsAdd(id: $id, tags: $tags) { node { id } userErrors { message } } }'

const stage = async (shop: TestShop, more: object = {}) =>
  (
    await shop.mutate(STAGE, {
      i: [{ filename: 'lines.jsonl', mimeType: 'text/jsonl', resource: 'BULK_MUTATION_VARIABLES', ...more }]
    })
  ).stagedTargets[0] as { url: string; parameters: { name: string; value: string }[] }

async function post(shop: TestShop, target: Awaited<ReturnType<typeof stage>>, content: string, changed: object = {}) {
  const form = new FormData()
  const fields = { ...Object.fromEntries(target.parameters.map(({ name, value }) => [name, value])), ...changed }
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value))
  form.append('file', new Blob([content]), 'lines.jsonl')
  const encoded = new Response(form)
  return request(target.url, {
    method: 'POST',
    dispatcher: shop.agent,
    headers: { 'content-type': encoded.headers.get('content-type')! },
    body: Buffer.from(await encoded.arrayBuffer())
  })
}

const keyOf = ({ parameters }: Awaited<ReturnType<typeof stage>>) =>
  parameters.find(({ name }) => name === 'key')!.value

async function uploaded(shop: TestShop, content: string): Promise<string> {
  const target = await stage(shop, { httpMethod: 'POST' })
  const { statusCode, body } = await post(shop, target, content)
  assert.equal(statusCode, 201)
  assert.match(await body.text(), new RegExp(`<Key>${keyOf(target)}</Key>`))
  return keyOf(target)
}

const read = async (shop: TestShop, id: string) => (await shop.graphql(READ, { id })).data.bulkOperation
const download = async (shop: TestShop, url: string) =>
  (await (await request(url.replace('http://shop', shop.base), { dispatcher: shop.agent })).body.text())
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

test('a mutation runs once for each line, and each line has its result; a bad line does not end it', async () => {
  const shop = await aShop()
  const [ada, bob] = [await shop.aCustomer('ada@example.com'), await shop.aCustomer('bob@example.com')]
  const received = await shop.aReceiver(['BULK_OPERATIONS_FINISH'])
  const path = await uploaded(
    shop,
    [
      JSON.stringify({ id: ada.gid, tags: ['one'] }),
      'not JSON',
      JSON.stringify({ id: 'gid://platform/Customer/999', tags: ['two'] }),
      JSON.stringify({ tags: ['three'] }),
      '',
      JSON.stringify({ id: bob.gid, tags: ['four', 'five'] })
    ].join('\n')
  )
  const { bulkOperation } = await shop.mutate(RUN, { m: TAG, p: path })
  assert.equal(bulkOperation.status, 'CREATED')
  await shop.settle()
  const done = await read(shop, bulkOperation.id)
  assert.deepEqual(
    [done.status, done.type, done.objectCount, done.rootObjectCount],
    ['COMPLETED', 'MUTATION', '5', '5']
  )
  const lines = await download(shop, done.url)
  assert.deepEqual(
    lines.map(({ __lineNumber }) => __lineNumber),
    [0, 1, 2, 3, 4]
  )
  assert.deepEqual(lines[0].data.tagsAdd, { node: { id: ada.gid }, userErrors: [] })
  assert.equal(lines[1].errors[0].message, 'The line is not a JSON object.')
  assert.deepEqual(lines[2].data.tagsAdd.userErrors, [{ message: 'Customer does not exist' }])
  assert.match(lines[3].errors[0].message, /\$id/)
  const { data } = await shop.graphql('query($id: ID!) { customer(id: $id) { tags } }', { id: bob.gid })
  assert.deepEqual(data.customer.tags, ['five', 'four'])
  assert.deepEqual(
    received.map(({ body }) => [body.type, body.status]),
    [['mutation', 'completed']]
  )
})

test('a long file is run step by step, can be canceled in between, and keeps what was done', async () => {
  const shop = await aShop()
  const { gid } = await shop.aCustomer()
  const path = await uploaded(
    shop,
    Array.from({ length: 250 }, (_, i) => JSON.stringify({ id: gid, tags: [`tag-${i}`] })).join('\n')
  )
  const { bulkOperation } = await shop.mutate(RUN, { m: TAG, p: path })
  await shop.sandbox.engine.runOnce(shop.storeId)
  assert.deepEqual((await read(shop, bulkOperation.id)).objectCount, '100')
  await shop.mutate('mutation($id: ID!) { bulkOperationCancel(id: $id) { userErrors { message } } }', {
    id: bulkOperation.id
  })
  await shop.settle()
  const { status, objectCount } = await read(shop, bulkOperation.id)
  assert.deepEqual([status, objectCount], ['CANCELED', '100'])
})

test('a file goes only to its place, with its signature, and within a day', async () => {
  const shop = await aShop()
  const form = await stage(shop, { httpMethod: 'POST' })
  assert.equal((await post(shop, form, 'x', { 'x-goog-signature': 'ab' })).statusCode, 403)
  assert.equal((await post(shop, form, 'x', { key: 'tmp/1/bulk/other/x.jsonl' })).statusCode, 403)
  assert.equal((await post(shop, form, '')).statusCode, 400)
  const { bulkOperation, userErrors } = (await shop.graphql(RUN, { m: TAG, p: keyOf(form) })).data
    .bulkOperationRunMutation
  assert.deepEqual([bulkOperation, userErrors[0].code], [null, 'NO_SUCH_FILE'])

  const put = await stage(shop)
  const send = (url: string) => request(url, { method: 'PUT', dispatcher: shop.agent, body: '{}' })
  assert.equal((await send(put.url.replace(/signature=\w{4}/, 'signature=0000'))).statusCode, 403)
  assert.equal((await send(put.url)).statusCode, 200)
  shop.advance({ hours: 25 })
  assert.equal((await send(put.url)).statusCode, 403)

  const other = await shop.graphql(STAGE, { i: [{ filename: 'a.png', mimeType: 'image/png', resource: 'IMAGE' }] })
  assert.deepEqual(other.data.stagedUploadsCreate.userErrors[0].field, ['input', '0', 'resource'])
})

test('five queries and five mutations run at once, and all are listed', async () => {
  const shop = await aShop()
  const path = await uploaded(shop, '{}')
  for (let i = 0; i < 5; i++) {
    await shop.mutate(RUN, { m: TAG, p: path })
    await shop.mutate(
      'mutation { bulkOperationRunQuery(query: "{ customers { edges { node { id } } } }") { userErrors { message } } }'
    )
  }
  const { code, message } = (await shop.graphql(RUN, { m: TAG, p: path })).data.bulkOperationRunMutation.userErrors[0]
  assert.equal(code, 'OPERATION_IN_PROGRESS')
  assert.match(message, /^A bulk mutation operation .*(gid:\/\/platform\/BulkOperation\/\d+(, |\.)){5}$/)
  const LIST = `query($q: String) { bulkOperations(first: 20, query: $q) { nodes { type status } } }`
  const count = async (q: string) => (await shop.graphql(LIST, { q })).data.bulkOperations.nodes.length
  assert.deepEqual([await count('status:created'), await count('operation_type:mutation')], [10, 5])
  await shop.settle()
  assert.deepEqual([await count('status:created'), await count('status:completed')], [0, 10])
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
