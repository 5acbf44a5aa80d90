import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anOrder, aPlatform, data, json, lastPage, theFailure, theValue } from '../../../test/fake-platform.ts'

test('reads an order, with the billing address where nothing is shipped', async () => {
  const { connector } = await aPlatform((res) => data(res, { nodes: [anOrder('5'), null] }))
  const orders = theValue(await connector.orders.findMany(['5', '6']))
  assert.deepEqual(JSON.parse(JSON.stringify([...orders])), [
    [
      '5',
      {
        id: '5',
        name: '#1001',
        number: '1001',
        createdAt: '2026-01-31T10:00:00Z',
        processedAt: '2026-01-31T10:00:00Z',
        updatedAt: '2026-01-31T10:00:01Z',
        cancelledAt: null,
        currency: 'USD',
        totalMinor: 2900,
        taxMinor: 0,
        discountMinor: 150,
        refundedMinor: 500,
        financialStatus: 'partially_refunded',
        customerId: '7',
        email: 'ann@example.com',
        gateway: 'bogus',
        countryCode: 'US',
        province: 'New York',
        tags: ['recharge'],
        discountCodes: [],
        sourceName: 'subscription_contract'
      }
    ]
  ])
})

const usd = (amount: string) => ({ shopMoney: { amount, currencyCode: 'USD' } })
const gid = (type: string, id: number | string) => `gid://platform/${type}/${id}`
const allocated = (amount: string, code: string | null) => ({
  allocatedAmountSet: usd(amount),
  discountApplication: code === null ? {} : { code }
})
const aLine = (n: number) => ({
  id: gid('LineItem', n),
  title: `Line ${n}`,
  quantity: 2,
  product: { id: gid('Product', 9) },
  variant: null,
  sellingPlan: n === 1 ? { sellingPlanId: gid('SellingPlan', 3) } : null,
  contract: n === 1 ? { id: gid('SubscriptionContract', 4) } : null,
  originalTotalSet: usd('30.00'),
  discountAllocations: [allocated('1.50', 'A'), allocated('0.25', null)]
})
const aTransaction = (n: number) => ({
  id: gid('OrderTransaction', n),
  kind: n === 1 ? 'SALE' : 'REFUND',
  status: 'SUCCESS',
  gateway: n === 1 ? 'shopify_store_credit' : 'bogus',
  createdAt: '2026-01-31T10:00:00Z',
  processedAt: null,
  parentTransaction: n === 1 ? null : { id: gid('OrderTransaction', 1) },
  amountSet: usd('5.00')
})
const aWholeOrder = (
  id: string,
  lines = [aLine(1)],
  pageInfo: unknown = lastPage,
  transactions = [aTransaction(1)]
) => ({
  ...anOrder(id),
  discountCodes: ['A', 'FREE'],
  customer: { id: gid('Customer', 7), firstName: 'Ann', lastName: 'Arbor' },
  billingAddress: { ...anOrder(id).billingAddress, name: ' ' },
  shippingAddress: null,
  app: { id: gid('App', 580111), name: 'Online Store' },
  customAttributes: [{ key: 'brand', value: null }],
  subtotalPriceSet: usd('25.00'),
  taxesIncluded: true,
  currentTotalPriceSet: usd('14.00'),
  totalShippingPriceSet: usd('4.00'),
  lineItems: { nodes: lines, pageInfo },
  transactions,
  refunds: [
    { id: gid('Refund', 1), createdAt: null, processedAt: '2026-02-01T10:00:00Z', totalRefundedSet: usd('5.00') }
  ],
  shippingLine: { discountAllocations: [allocated('4.00', 'FREE')] }
})

test('a whole order says which pieces are gone and what it comes to without them, and which line is a gift card', async () => {
  const lines = [
    { ...aLine(1), currentQuantity: 1 },
    { ...aLine(2), currentQuantity: 2, isGiftCard: true }
  ]
  const { connector } = await aPlatform((res) =>
    data(res, { nodes: [{ ...aWholeOrder('5', lines), taxesIncluded: false }] })
  )
  const { details } = theValue(await connector.orders.findWhole(['5'])).get('5')!
  assert.deepEqual(
    details!.lines.map(({ quantity, currentQuantity, isGiftCard }) => [quantity, currentQuantity, isGiftCard]),
    [
      [2, 1, undefined],
      [2, undefined, true]
    ]
  )
  assert.deepEqual([details!.currentTotalMinor, details!.isTaxIncluded], [1400, undefined])
})

test('a whole order has what only the platform says, and what each code took off', async () => {
  const { connector, requests } = await aPlatform((res) => data(res, { nodes: [aWholeOrder('5'), null] }))
  const { details, ...order } = theValue(await connector.orders.findWhole(['5', '6'])).get('5')!
  assert.equal(order.totalMinor, 2900)
  assert.deepEqual(JSON.parse(JSON.stringify(details)), {
    customerName: null,
    customer: { firstName: 'Ann', lastName: 'Arbor', createdAt: null },
    subtotalMinor: 2500,
    isTaxIncluded: true,
    shippingMinor: 400,
    shippingDiscountMinor: 400,
    appId: '580111',
    appName: 'Online Store',
    attributes: [{ name: 'brand', value: '' }],
    coupons: [
      { code: 'A', amountMinor: 150 },
      { code: 'FREE', amountMinor: 400 }
    ],
    lines: [
      {
        id: '1',
        productId: '9',
        variantId: null,
        title: 'Line 1',
        quantity: 2,
        priceMinor: 1500,
        discountMinor: 175,
        sellingPlanId: '3',
        contractId: '4'
      }
    ],
    refunds: [{ id: '1', orderId: '5', amountMinor: 500, refundedAt: '2026-02-01T10:00:00Z', transactions: [] }],
    transactions: [
      {
        id: '1',
        orderId: '5',
        kind: 'sale',
        status: 'success',
        gateway: 'shopify_store_credit',
        amountMinor: 500,
        giftCardId: null,
        parentId: null,
        processedAt: '2026-01-31T10:00:00Z'
      }
    ]
  })
  assert.equal(requests.length, 1)
})

test('an order whose lists are longer than the document asks for is read by itself, page by page', async () => {
  const next = { hasNextPage: true, endCursor: 'c1' }
  const { connector, requests } = await aPlatform((res, { operation }) => {
    if (operation === 'WholeOrdersByIds') data(res, { nodes: [aWholeOrder('5', [aLine(1)], next), aWholeOrder('6')] })
    else if (operation === 'WholeOrder') data(res, { order: aWholeOrder('5', [aLine(1), aLine(2)], next) })
    else data(res, { order: { lineItems: { nodes: [aLine(3)], pageInfo: lastPage } } })
  })
  const { details } = theValue(await connector.orders.findWhole(['5', '6'])).get('5')!
  assert.deepEqual(
    details!.lines.map(({ id }) => id),
    ['1', '2', '3']
  )
  assert.equal(details!.coupons.find(({ code }) => code === 'A')!.amountMinor, 450)
  assert.deepEqual(
    requests.map(({ operation }) => operation),
    ['WholeOrdersByIds', 'WholeOrder', 'LinesOfOrder']
  )
  assert.deepEqual(requests[2]!.variables, { id: gid('Order', 5), after: 'c1' })
})

test('an order with as many transactions as were asked for is read again, since it may have more', async () => {
  const many = Array.from({ length: 5 }, (_, i) => aTransaction(i + 1))
  const more = [...many, aTransaction(6)]
  const { connector } = await aPlatform((res, { operation }) =>
    operation === 'WholeOrder'
      ? data(res, { order: aWholeOrder('5', [aLine(1)], lastPage, more) })
      : data(res, { nodes: [aWholeOrder('5', [aLine(1)], lastPage, many)] })
  )
  assert.equal(theValue(await connector.orders.findWhole(['5'])).get('5')!.details!.transactions.length, 6)
})

test('seven orders are read at once, since each costs many points', async () => {
  const { connector, requests } = await aPlatform((res, { variables }) =>
    data(res, { nodes: (variables.ids as string[]).map((id) => aWholeOrder(id.split('/').at(-1)!)) })
  )
  const ids = Array.from({ length: 16 }, (_, i) => String(i + 1))
  assert.equal(theValue(await connector.orders.findWhole(ids)).size, 16)
  assert.deepEqual(requests.map(({ variables }) => (variables.ids as string[]).length).sort(), [2, 7, 7])
})

test('changed orders are listed by the time of their change', async () => {
  const { connector, requests } = await aPlatform((res) =>
    data(res, {
      orders: {
        nodes: [{ id: gid('Order', 5), updatedAt: '2026-01-31T10:00:01Z', tags: ['VIP'] }],
        pageInfo: { hasNextPage: true, endCursor: 'c2' }
      }
    })
  )
  const page = theValue(
    await connector.orders.listUpdatedSince(Temporal.Instant.from('2026-01-31T10:00:00.900Z'), 'c1')
  )
  assert.deepEqual(JSON.parse(JSON.stringify(page)), {
    items: [{ id: '5', updatedAt: '2026-01-31T10:00:01Z', tags: ['VIP'] }],
    after: 'c2'
  })
  assert.deepEqual(requests[0]!.variables, { query: "updated_at:>='2026-01-31T10:00:00Z'", after: 'c1' })
})

test('disputes are read with their order; one of no order is left out, and a refusal is one', async () => {
  const dispute = (id: number, order: unknown) => ({
    id: gid('ShopifyPaymentsDispute', id),
    type: 'INQUIRY',
    status: 'UNDER_REVIEW',
    initiatedAt: '2026-01-31T10:00:00Z',
    finalizedOn: null,
    amount: { amount: '11.50', currencyCode: 'CAD' },
    reasonDetails: { reason: 'FRAUDULENT', networkReasonCode: '4837' },
    order
  })
  let isGranted = true
  const { connector } = await aPlatform((res, { operation }) => {
    if (!isGranted) {
      const error = {
        message: 'Access denied for disputes field',
        path: ['disputes'],
        extensions: { code: 'ACCESS_DENIED' }
      }
      return json(res, { data: null, errors: [error] })
    }
    const nodes = [dispute(1, { id: gid('Order', 5) }), dispute(2, null)]
    return operation === 'DisputesByIds' ? data(res, { nodes }) : data(res, { disputes: { nodes, pageInfo: lastPage } })
  })
  const since = Temporal.Instant.from('2026-01-31T10:00:00Z')
  const { items } = theValue(await connector.orders.listDisputesSince(since, null))
  assert.deepEqual(JSON.parse(JSON.stringify(items)), [
    {
      id: '1',
      orderId: '5',
      type: 'inquiry',
      status: 'under_review',
      reason: 'fraudulent',
      networkReasonCode: '4837',
      amountMinor: 1150,
      currency: 'CAD',
      initiatedAt: '2026-01-31T10:00:00Z',
      finalizedAt: null
    }
  ])
  assert.deepEqual([...theValue(await connector.orders.findDisputes(['1', '2'])).keys()], ['1'])
  isGranted = false
  assert.equal(theFailure(await connector.orders.listDisputesSince(since, null)).code, 'access_denied')
})
