import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { startSandbox, type TestShop } from '../../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

const CREATE =
  'mutation($query: String!) { segmentCreate(name: "Some", query: $query) { segment { id } userErrors { message } } }'

async function aTagged(shop: TestShop, email: string, tags: string[]) {
  const { customer } = await shop.mutate(
    'mutation($i: CustomerInput!) { customerCreate(input: $i) { customer { id } userErrors { message } } }',
    { i: { email, tags } }
  )
  return customer.id as string
}

test('the members of a segment are read in pages, with their number, and each can be asked for', async () => {
  const shop = await aShop()
  const vips: string[] = []
  for (let i = 0; i < 5; i++) vips.push(await aTagged(shop, `vip-${i}@example.com`, ['VIP']))
  const other = await aTagged(shop, 'other@example.com', ['none'])
  const id = (await shop.mutate(CREATE, { query: "customer_tags CONTAINS 'vip'" })).segment.id
  const PAGE = `query($id: ID!, $after: String) { customerSegmentMembers(segmentId: $id, first: 2, after: $after) {
    totalCount pageInfo { hasNextPage endCursor } edges { node { id displayName defaultEmailAddress { emailAddress } } } } }`
  const read: string[] = []
  for (let after: string | null = null, more = true; more; ) {
    const page: any = (await shop.graphql(PAGE, { id, after })).data.customerSegmentMembers
    assert.equal(page.totalCount, 5)
    for (const { node } of page.edges) read.push(node.defaultEmailAddress.emailAddress)
    more = page.pageInfo.hasNextPage
    after = page.pageInfo.endCursor
  }
  assert.deepEqual(
    read,
    [0, 1, 2, 3, 4].map((i) => `vip-${i}@example.com`)
  )
  const { data } = await shop.graphql(
    `query($a: ID!, $b: ID!, $s: [ID!]!) {
       a: customerSegmentMembership(customerId: $a, segmentIds: $s) { memberships { segmentId isMember } }
       b: customerSegmentMembership(customerId: $b, segmentIds: $s) { memberships { isMember } } }`,
    { a: vips[0], b: other, s: [id] }
  )
  assert.deepEqual(data.a.memberships, [{ segmentId: id, isMember: true }])
  assert.deepEqual(data.b.memberships, [{ isMember: false }])
})

test('members that are looked for are counted later, and a wrong query is an error', async () => {
  const shop = await aShop()
  await aTagged(shop, 'a@example.com', ['x'])
  const { customerSegmentMembersQuery: query } = await shop.mutate(
    `mutation { customerSegmentMembersQueryCreate(input: { query: "customer_tags CONTAINS 'x'" }) {
       customerSegmentMembersQuery { id currentCount done } userErrors { message } } }`
  )
  assert.deepEqual([query.currentCount, query.done], [0, false])
  await shop.settle()
  const { data } = await shop.graphql(
    `query($id: ID!) { customerSegmentMembersQuery(id: $id) { currentCount done }
       customerSegmentMembers(queryId: $id, first: 5) { totalCount } }`,
    { id: query.id }
  )
  assert.deepEqual(data, {
    customerSegmentMembersQuery: { currentCount: 1, done: true },
    customerSegmentMembers: { totalCount: 1 }
  })
  const wrong = await shop.graphql('{ customerSegmentMembers(query: "colour = 1", first: 1) { totalCount } }')
  assert.equal(wrong.errors?.[0]?.message, "Line 1 Column 0: 'colour' filter cannot be found.")
})

test('the segments of a shop are its own', async () => {
  const [shop, stranger] = [await aShop(), await aShop()]
  const id = (await shop.mutate(CREATE, { query: 'number_of_orders > 0' })).segment.id
  const { data, errors } = await stranger.graphql(
    'query($id: ID!) { segment(id: $id) { name } segmentsCount { count } }',
    {
      id
    }
  )
  assert.equal(errors?.[0]?.message, 'Segment does not exist')
  assert.deepEqual(data, { segment: null, segmentsCount: { count: 0 } })
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
