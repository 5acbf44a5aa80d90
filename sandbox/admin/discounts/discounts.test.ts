import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { startSandbox } from '../../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

// Where a response of a real store was recorded, the expected values are those of the recording.

const SET = `mutation($metafields: [MetafieldsSetInput!]!) { metafieldsSet(metafields: $metafields) {
  metafields { id namespace key type value jsonValue compareDigest owner { ... on Customer { id } } }
  userErrors { field message code elementIndex } } }`

const DISCOUNT = `codeDiscountNode { id codeDiscount { ... on DiscountCodeBasic {
  title status summary startsAt endsAt asyncUsageCount discountClasses
  combinesWith { productDiscounts orderDiscounts shippingDiscounts } codes(first: 2) { nodes { code asyncUsageCount } }
  context { ... on DiscountBuyerSelectionAll { all } }
  customerGets { value { ... on DiscountPercentage { percentage } ... on DiscountAmount { amount { amount currencyCode } } }
    items { ... on AllDiscountItems { allItems } } appliesOnOneTimePurchase appliesOnSubscription }
  minimumRequirement { ... on DiscountMinimumSubtotal { greaterThanOrEqualToSubtotal { amount currencyCode } } } } } }
  userErrors { field message code }`

test('a code is created once, deactivated, activated and deleted', async () => {
  const shop = await aShop()
  const input = {
    title: 'Life',
    code: 'LIFE10',
    startsAt: '2026-01-30T15:48:38.621Z',
    combinesWith: { orderDiscounts: true },
    context: { all: 'ALL' },
    minimumRequirement: { subtotal: { greaterThanOrEqualToSubtotal: '1.00' } },
    customerGets: { value: { percentage: 0.1 }, items: { all: true } }
  }
  const create = (discount: object) =>
    shop.graphql(
      `mutation($d: DiscountCodeBasicInput!) { discountCodeBasicCreate(basicCodeDiscount: $d) { ${DISCOUNT} } }`,
      {
        d: discount
      }
    )
  const { codeDiscountNode: created } = (await create(input)).data.discountCodeBasicCreate
  assert.deepEqual(created.codeDiscount, {
    title: 'Life',
    status: 'ACTIVE',
    summary: '10% off one-time purchase products • Minimum purchase of $1.00',
    startsAt: '2026-01-30T15:48:38Z',
    endsAt: null,
    asyncUsageCount: 0,
    discountClasses: ['ORDER'],
    combinesWith: { productDiscounts: false, orderDiscounts: true, shippingDiscounts: false },
    codes: { nodes: [{ code: 'LIFE10', asyncUsageCount: 0 }] },
    context: { all: 'ALL' },
    customerGets: {
      value: { percentage: 0.1 },
      items: { allItems: true },
      appliesOnOneTimePurchase: true,
      appliesOnSubscription: false
    },
    minimumRequirement: { greaterThanOrEqualToSubtotal: { amount: '1.0', currencyCode: 'USD' } }
  })
  const taken = (await create({ ...input, code: 'life10' })).data.discountCodeBasicCreate
  assert.deepEqual(taken.userErrors, [
    {
      field: ['basicCodeDiscount', 'code'],
      message: 'Code must be unique. Please try a different code.',
      code: 'TAKEN'
    }
  ])
  const change = async (name: string) =>
    (await shop.mutate(`mutation($id: ID!) { ${name}(id: $id) { ${DISCOUNT} } }`, { id: created.id })).codeDiscountNode
      .codeDiscount.status
  assert.equal(await change('discountCodeDeactivate'), 'EXPIRED')
  assert.equal(await change('discountCodeActivate'), 'ACTIVE')

  const customer = await shop.aCustomer()
  const { storeId } = shop
  const order = { storeId, customerId: customer.id, total: '40.00', codes: ['LIFE10'] }
  const placed = await shop.sandbox.controls.order(order)
  const { data } = await shop.graphql(
    `query($id: ID!, $code: String!) {
       order(id: $id) { discountCodes totalPriceSet { shopMoney { amount } } totalDiscountsSet { shopMoney { amount } } }
       codeDiscountNodeByCode(code: $code) { codeDiscount { ... on DiscountCodeBasic { asyncUsageCount } } } }`,
    { id: `gid://platform/Order/${placed.id}`, code: 'life10' }
  )
  assert.deepEqual(data.order.discountCodes, ['LIFE10'])
  assert.equal(data.order.totalPriceSet.shopMoney.amount, '36.0')
  assert.equal(data.codeDiscountNodeByCode.codeDiscount.asyncUsageCount, 1)

  await shop.mutate(
    'mutation($id: ID!) { discountCodeDelete(id: $id) { deletedCodeDiscountId userErrors { message } } }',
    {
      id: created.id
    }
  )
  await assert.rejects(shop.sandbox.controls.order(order), { code: 'not_found' })
})

test('the metafields of an automatic discount are found by each of its ids', async () => {
  const shop = await aShop()
  await shop.sandbox.controls.setFunctions({ storeId: shop.storeId, functions: [{ handle: 'vip' }] })
  const { automaticAppDiscount } = await shop.mutate(
    `mutation($d: DiscountAutomaticAppInput!) { discountAutomaticAppCreate(automaticAppDiscount: $d) {
       automaticAppDiscount { discountId status discountClasses } userErrors { field message code } } }`,
    {
      d: {
        title: 'VIP',
        functionHandle: 'vip',
        startsAt: '2026-01-01T00:00:00Z',
        discountClasses: ['PRODUCT'],
        metafields: [{ namespace: 'svc', key: 'ids', type: 'json', value: '{"a":1}' }]
      }
    }
  )
  const id = automaticAppDiscount.discountId
  assert.match(id, /^gid:\/\/platform\/DiscountAutomaticNode\/\d+$/)
  await shop.mutate(SET, {
    metafields: [{ ownerId: id, namespace: 'svc', key: 'more', type: 'boolean', value: 'true' }]
  })
  const { data } = await shop.graphql(
    `query($id: ID!) { discountNode(id: $id) { id discount { ... on DiscountAutomaticApp { title } }
       metafields(namespace: "svc", first: 5) { nodes { key jsonValue } } } }`,
    { id: id.replace('AutomaticNode', 'Node') }
  )
  assert.deepEqual(data.discountNode.metafields.nodes, [
    { key: 'ids', jsonValue: { a: 1 } },
    { key: 'more', jsonValue: true }
  ])
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
