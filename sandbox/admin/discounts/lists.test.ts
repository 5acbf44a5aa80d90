// Lists of discounts with their searches, changes of their lists, and work on many of them. What a real store answered is in test/recorded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { startSandbox, type TestShop } from '../../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

const ALL = { items: { all: true } }
const CREATE = {
  Code: `mutation($d: DiscountCodeBasicInput!) { discountCodeBasicCreate(basicCodeDiscount: $d) {
    node: codeDiscountNode { id } userErrors { field message } } }`,
  Automatic: `mutation($d: DiscountAutomaticBasicInput!) { discountAutomaticBasicCreate(automaticBasicDiscount: $d) {
    node: automaticDiscountNode { id } userErrors { field message } } }`
}

async function make(shop: TestShop, method: 'Code' | 'Automatic', input: object): Promise<string> {
  const d = {
    title: 'Some',
    startsAt: '2026-01-01T00:00:00Z',
    customerGets: { value: { percentage: 0.1 }, ...ALL },
    ...input
  }
  return (await shop.mutate(CREATE[method], { d })).node.id
}

const titles = async (shop: TestShop, query: string): Promise<string[]> => {
  const { data, errors } = await shop.graphql(
    `query($q: String!) { discountNodes(first: 20, query: $q, sortKey: TITLE) { nodes { discount {
       ... on DiscountCodeBasic { title } ... on DiscountAutomaticBasic { title } } } } discountNodesCount(query: $q) { count } }`,
    { q: query }
  )
  assert.equal(errors, undefined)
  const found = data.discountNodes.nodes.map(({ discount }: any) => discount.title)
  assert.equal(data.discountNodesCount.count, found.length)
  return found
}

test('discounts are found by what they are', async () => {
  const shop = await aShop()
  const mug = (await shop.graphql('{ productByIdentifier(identifier: { handle: "stoneware-mug" }) { id } }')).data
  const items = { products: { productsToAdd: [mug.productByIdentifier.id] } }
  await make(shop, 'Code', { title: 'A now', code: 'NOW', tags: ['spring'] })
  await make(shop, 'Code', { title: 'B later', code: 'LATER', startsAt: '2026-12-01T00:00:00Z' })
  await make(shop, 'Code', { title: 'C over', code: 'OVER', endsAt: '2026-01-15T00:00:00Z' })
  await make(shop, 'Automatic', {
    title: 'D mugs',
    customerGets: { value: { discountAmount: { amount: '2.00' } }, items }
  })
  for (const [query, expected] of [
    ['', ['A now', 'B later', 'C over', 'D mugs']],
    ['status:active', ['A now', 'D mugs']],
    ['status:scheduled', ['B later']],
    ['status:expired', ['C over']],
    ['method:automatic', ['D mugs']],
    ['code:later', ['B later']],
    ['discount_class:product', ['D mugs']],
    ['discount_type:fixed_amount', ['D mugs']],
    ['type:percentage status:active', ['A now']],
    ['tag:SPRING', ['A now']],
    ['times_used:>0', []],
    ['starts_at:>2026-06-01', ['B later']],
    ['title:"c over"', ['C over']],
    ['mugs', ['D mugs']]
  ] as const) {
    assert.deepEqual(await titles(shop, query), expected, query)
  }
  const wrong = await shop.graphql('{ discountNodes(first: 1, query: "starts_at:>soon") { nodes { id } } }')
  assert.match(wrong.errors?.[0]?.message ?? '', /Invalid timestamp: soon/)
})

test('products and segments are added to a discount and taken from it', async () => {
  const shop = await aShop()
  const { data } = await shop.graphql('{ products(first: 2) { nodes { id } } } ')
  const [one, two] = data.products.nodes.map(({ id }: { id: string }) => id)
  const id = await make(shop, 'Automatic', {
    customerGets: { value: { percentage: 0.1 }, items: { products: { productsToAdd: [one] } } }
  })
  const change = (items: object) =>
    shop.mutate(
      `mutation($id: ID!, $d: DiscountAutomaticBasicInput!) {
         discountAutomaticBasicUpdate(id: $id, automaticBasicDiscount: $d) { userErrors { field message } } }`,
      { id, d: { customerGets: { items } } }
    )
  const products = async () => {
    const found = await shop.graphql(
      `query($id: ID!) { node(id: $id) { ... on DiscountAutomaticNode { automaticDiscount { ... on DiscountAutomaticBasic {
         discountClasses customerGets { value { ... on DiscountPercentage { percentage } } items {
           ... on DiscountProducts { products(first: 5) { nodes { id } } } ... on AllDiscountItems { allItems } } } } } } } }`,
      { id }
    )
    return found.data.node.automaticDiscount
  }
  await change({ products: { productsToAdd: [two] } })
  const both = await products()
  assert.deepEqual(
    both.customerGets.items.products.nodes.map(({ id: found }: { id: string }) => found),
    [one, two]
  )
  assert.deepEqual([both.customerGets.value.percentage, both.discountClasses], [0.1, ['PRODUCT']])
  await change({ products: { productsToRemove: [one] } })
  assert.deepEqual((await products()).customerGets.items.products.nodes, [{ id: two }])
  await change({ all: true })
  const all = await products()
  assert.deepEqual([all.customerGets.items, all.discountClasses], [{ allItems: true }, ['ORDER']])
})

test('every problem of an input is told, each with its place', async () => {
  const shop = await aShop()
  const d = {
    title: ' ',
    code: 'A\nB',
    endsAt: '2026-01-01T00:00:00Z',
    startsAt: '2026-02-01T00:00:00Z',
    customerGets: { value: { percentage: 1.5 } },
    minimumRequirement: {
      quantity: { greaterThanOrEqualToQuantity: '2' },
      subtotal: { greaterThanOrEqualToSubtotal: '5.00' }
    },
    context: { customers: { add: ['gid://platform/Customer/404'] } }
  }
  const { userErrors } = (await shop.graphql(CREATE.Code, { d })).data.discountCodeBasicCreate
  assert.deepEqual(
    userErrors.map(({ field }: { field: string[] }) => field.slice(1).join('.')),
    [
      'title',
      'code',
      'endsAt',
      'customerGets.value.percentage',
      'customerGets.items',
      'minimumRequirement',
      'context.customers.add'
    ]
  )
})

test('codes that are added are redeemed like the first, and one that was deleted is not', async () => {
  const shop = await aShop()
  const customer = await shop.aCustomer()
  const id = await make(shop, 'Code', { code: 'FIRST', appliesOncePerCustomer: true })
  await shop.mutate(
    `mutation($id: ID!) { discountRedeemCodeBulkAdd(discountId: $id, codes: [{ code: "SECOND" }, { code: "first" }]) {
       bulkCreation { id } userErrors { message } } }`,
    { id }
  )
  await shop.settle()
  const { storeId } = shop
  const order = (code: string) =>
    shop.sandbox.controls.order({ storeId, customerId: customer.id, total: '40.00', codes: [code] })
  await order('second')
  await assert.rejects(order('FIRST'), /the customer has used it/)
  const CODES = `query($id: ID!) { codeDiscountNode(id: $id) { codeDiscount { ... on DiscountCodeBasic { asyncUsageCount
    codes(first: 5) { nodes { id code asyncUsageCount } } } } } }`
  const { codeDiscount } = (await shop.graphql(CODES, { id })).data.codeDiscountNode
  assert.equal(codeDiscount.asyncUsageCount, 1)
  assert.deepEqual(
    codeDiscount.codes.nodes.map(({ code, asyncUsageCount }: any) => [code, asyncUsageCount]),
    [
      ['FIRST', 0],
      ['SECOND', 1]
    ]
  )
  await shop.mutate(
    `mutation($id: ID!, $ids: [ID!]) { discountCodeRedeemCodeBulkDelete(discountId: $id, ids: $ids) { userErrors { message } } }`,
    { id, ids: [codeDiscount.codes.nodes[0].id] }
  )
  await assert.rejects(order('FIRST'), { code: 'not_found' })
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
