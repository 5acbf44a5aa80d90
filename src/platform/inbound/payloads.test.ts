import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseExactJson } from '#kit/storable-json'
import { compareRevisions } from '../contracts/compare-revisions.ts'
import { MalformedPayload } from '../wire/fields.ts'
import {
  parseDisputePayload,
  parseOrderPayload,
  parseRefundPayload,
  parseTransactionPayload
} from './order-payloads.ts'
import {
  parseAttemptPayload,
  parseCatalogPayload,
  parseContractPayload,
  parseCustomerPayload,
  parseDeletedCustomerPayload,
  parseEmailConsentPayload,
  parseMergePayload,
  parsePaymentMethodPayload,
  parseSmsConsentPayload
} from './payloads.ts'

const fixtures = new URL('../../../test/fixtures/platform/payloads/', import.meta.url)
const payload = (name: string) => JSON.parse(readFileSync(new URL(name, fixtures), 'utf8'))
const instant = (text: string) => Temporal.Instant.from(text)

const parsers: [prefix: string, parse: (payload: unknown) => unknown][] = [
  ['subscription_contracts__', parseContractPayload],
  ['subscription_billing_attempts__', parseAttemptPayload],
  ['orders__', parseOrderPayload],
  ['customers__create', parseCustomerPayload],
  ['customers__update', parseCustomerPayload],
  ['customers__enable', parseCustomerPayload],
  ['customers__disable', parseCustomerPayload],
  ['customers__delete', parseDeletedCustomerPayload],
  ['customers__merge', parseMergePayload],
  ['customer_payment_methods__', parsePaymentMethodPayload]
]
for (const name of readdirSync(fixtures)) {
  const parse = parsers.find(([prefix]) => name.startsWith(prefix))?.[1]
  if (parse) test(`reads the sample ${name}`, () => assert.doesNotThrow(() => parse(payload(name))))
}

test('a contract', () => {
  assert.deepEqual(parseContractPayload(payload('subscription_contracts__cancel.json')), {
    id: '9264106522',
    status: 'cancelled',
    revision: '4690720903',
    customerId: '1',
    originOrderId: '1',
    currency: 'CAD',
    interval: 'week',
    intervalCount: 4,
    minCycles: 1,
    maxCycles: 2
  })
})

test('a failed attempt: the code in lower case, the id unknown as in the sample', () => {
  assert.deepEqual(parseAttemptPayload(payload('subscription_billing_attempts__failure.json')), {
    id: null,
    idempotencyKey: '9a453d81-d41d-403e-806f-714dee215ff9',
    contractId: '9998878778',
    orderId: null,
    ready: true,
    errorCode: 'payment_method_declined',
    errorMessage: 'Payment method was declined by processor.'
  })
})

test('an order, with the digits of its ids that JSON numbers lose', () => {
  const order = parseOrderPayload(payload('orders__paid.json'))
  assert.deepEqual(
    { ...order, details: null, createdAt: null, processedAt: null, updatedAt: null, cancelledAt: null },
    {
      details: null,
      id: '820982911946154508',
      name: '#9999',
      number: '1234',
      createdAt: null,
      processedAt: null,
      updatedAt: null,
      cancelledAt: null,
      currency: 'USD',
      totalMinor: 40495,
      taxMinor: 0,
      discountMinor: 2000,
      refundedMinor: 0,
      financialStatus: 'voided',
      customerId: '115310627314723954',
      email: 'jon@example.com',
      gateway: 'visa',
      countryCode: 'US',
      province: 'Kentucky',
      tags: ['tag1', 'tag2'],
      discountCodes: [],
      sourceName: 'web'
    }
  )
  assert.equal(order.processedAt.toString(), '2022-01-01T00:00:00Z')
  assert.deepEqual(order.cancelledAt, instant('2022-01-01T00:00:00Z'))
})

const TRANSACTION = { created_at: '2026-01-02T00:00:00Z', gateway: 'bogus', parent_id: 20 }

test('refunds of an order are summed, and only those that succeeded', () => {
  const order = {
    ...payload('orders__paid.json'),
    discount_codes: [{ code: 'WELCOME', amount: '5.00', type: 'fixed_amount' }],
    refunds: [
      payload('refunds__create.json'),
      {
        id: 2,
        created_at: '2026-01-02T00:00:00Z',
        transactions: [
          { ...TRANSACTION, id: 21, kind: 'refund', status: 'failure', amount: '1.00' },
          { ...TRANSACTION, id: 22, kind: 'void', status: 'success', amount: '2.00' },
          // The shop's currency counts, not the buyer's.
          {
            ...TRANSACTION,
            id: 23,
            kind: 'refund',
            status: 'success',
            amount: '9.00',
            amount_set: { shop_money: { amount: '4.00' } }
          }
        ]
      }
    ]
  }
  assert.equal(parseOrderPayload(order).refundedMinor, 8500 + 400)
  const { discountCodes, details } = parseOrderPayload(order)
  assert.deepEqual(discountCodes, ['WELCOME'])
  assert.deepEqual(details!.coupons, [{ code: 'WELCOME', amountMinor: 500 }])
  assert.deepEqual(
    details!.refunds.map(({ id, amountMinor }) => [id, amountMinor]),
    [
      ['890088186047892319', 8500],
      ['2', 400]
    ]
  )
})

test('an order says whose it is, what was bought and where it came from', () => {
  const { details } = parseOrderPayload({
    ...payload('orders__paid.json'),
    app_id: 580111,
    note_attributes: [
      { name: 'brand', value: 'Acme' },
      { name: 'gift', value: true }
    ]
  })
  const { lines, customer, ...rest } = details!
  assert.deepEqual(rest, {
    customerName: 'Steve Shipper',
    subtotalMinor: 40495,
    shippingMinor: 1000,
    appId: '580111',
    appName: null,
    attributes: [
      { name: 'brand', value: 'Acme' },
      { name: 'gift', value: 'true' }
    ],
    coupons: [],
    refunds: [],
    transactions: []
  })
  assert.deepEqual(customer, { firstName: 'John', lastName: 'Smith', createdAt: null })
  assert.equal(lines.length, 5)
  assert.deepEqual(
    { ...lines[0], productId: null },
    {
      id: '487817672276298554',
      productId: null,
      variantId: null,
      title: 'Aviator sunglasses',
      quantity: 1,
      priceMinor: 8999,
      discountMinor: 0,
      sellingPlanId: null,
      contractId: null
    }
  )
})

test('an order says whether prices include tax, which pieces are gone, what it comes to without them, and which line is a gift card', () => {
  const whole = payload('orders__paid.json') as { line_items: object[] }
  const read = (more: object, first: object = {}) => {
    const [line, ...rest] = whole.line_items
    const { details } = parseOrderPayload({ ...whole, ...more, line_items: [{ ...line, ...first }, ...rest] })
    const { quantity, currentQuantity, isGiftCard } = details!.lines[0]!
    return [details!.isTaxIncluded, details!.currentTotalMinor, quantity, currentQuantity, isGiftCard]
  }
  assert.deepEqual(read({}), [undefined, undefined, 1, undefined, undefined])
  assert.deepEqual(read({ taxes_included: true }, { gift_card: true }), [true, undefined, 1, undefined, true])
  assert.deepEqual(read({ taxes_included: undefined }), [null, undefined, 1, undefined, undefined])
  assert.deepEqual(read({ current_total_price: '324.96' }, { current_quantity: 0 }), [
    undefined,
    32496,
    1,
    0,
    undefined
  ])
  assert.throws(
    () => read({ taxes_included: 'yes' }),
    /^MalformedPayload: order\.taxes_included must be true or false$/
  )
})

test('what discounts took off the shipping is read from its lines', () => {
  const allocated = (amount: string) => ({ amount, discount_application_index: 0 })
  const of = (...lines: object[]) =>
    parseOrderPayload({ ...payload('orders__paid.json'), shipping_lines: lines }).details!.shippingDiscountMinor
  assert.equal(of({ discount_allocations: [allocated('4.00'), allocated('1.00')] }, { discount_allocations: [] }), 500)
  assert.equal(of({ discount_allocations: [] }), undefined)
})

test('the gateway of an order is the first that is neither store credit nor a gift card, else the first', () => {
  const gatewayOf = (...names: string[]) =>
    parseOrderPayload({ ...payload('orders__paid.json'), payment_gateway_names: names }).gateway
  assert.equal(gatewayOf('shopify_store_credit', 'gift_card', 'bogus', 'visa'), 'bogus')
  assert.equal(gatewayOf('gift_card', 'shopify_store_credit'), 'gift_card')
  assert.equal(gatewayOf(), null)
})

test('the name on an order is that of the billing address, else of the shipping address, and not of the customer, who may be renamed', () => {
  const order = payload('orders__paid.json')
  const billing_address = { ...order.billing_address, name: 'Bea Biller' }
  const nameOf = (over: object) => parseOrderPayload({ ...order, ...over }).details!.customerName
  assert.equal(nameOf({ billing_address }), 'Bea Biller')
  assert.equal(nameOf({ billing_address: null }), 'Steve Shipper')
  assert.equal(nameOf({ billing_address: { ...billing_address, name: ' ' }, shipping_address: null }), null)
})

test('refunds, transactions and disputes have the plain number of their order, exact where it is long', () => {
  const exact = (name: string) => parseExactJson(readFileSync(new URL(name, fixtures), 'utf8'))
  const sample = exact('refunds__create.json') as { transactions: object[] }
  const stated = { ...sample, transactions: sample.transactions.map((one) => ({ ...one, currency: 'USD' })) }
  const { orderId, refund } = parseRefundPayload(stated)
  assert.deepEqual([orderId, refund!.amountMinor], ['820982911946154500', 8500])
  assert.deepEqual(parseRefundPayload(sample), { orderId, refund: null }, 'it names no currency')
  const paid = parseTransactionPayload(exact('order_transactions__create.json'))
  assert.deepEqual(
    [paid.orderId, paid.kind, paid.status, paid.gateway, paid.amountMinor],
    ['820982911946154500', 'authorization', 'success', 'visa', 41995]
  )
  const dispute = parseDisputePayload(exact('disputes__create.json'))!
  assert.deepEqual(
    [dispute.id, dispute.orderId, dispute.type, dispute.status, dispute.reason, dispute.amountMinor, dispute.currency],
    ['285332461850802050', '820982911946154500', 'chargeback', 'under_review', 'fraudulent', 1150, 'CAD']
  )
  assert.equal(parseDisputePayload({ ...(exact('disputes__create.json') as object), order_id: null }), null)
  assert.throws(() => parseRefundPayload(payload('refunds__create.json')), MalformedPayload)
})

test('a customer', () => {
  assert.deepEqual(parseCustomerPayload(payload('customers__create.json')), {
    id: '706405506930370084',
    email: 'bob@biller.com',
    firstName: 'Bob',
    lastName: 'Biller',
    countryCode: 'CA',
    provinceCode: 'ON',
    createdAt: instant('2022-01-01T00:00:00Z'),
    updatedAt: instant('2022-01-01T00:00:00Z'),
    accountState: 'disabled',
    emailConsent: null,
    tags: null,
    smsConsent: null
  })
})

test('consents, with the time of the change where there is one; a word that nobody knows is none', () => {
  const at = '2026-01-31T10:00:00-05:00'
  const consent = { state: 'subscribed', opt_in_level: 'single_opt_in', consent_updated_at: at }
  const email = { customer_id: 7, email_address: 'bob@biller.com', email_marketing_consent: consent }
  assert.deepEqual(parseEmailConsentPayload(email), {
    customerId: '7',
    channel: 'email',
    consent: { state: 'subscribed', at: instant('2026-01-31T15:00:00Z') }
  })
  const never = { state: 'not_subscribed', opt_in_level: null, consent_updated_at: null }
  const sms = { id: 7, phone: null, sms_marketing_consent: { ...never, consent_collected_from: 'other' } }
  assert.deepEqual(parseSmsConsentPayload(sms), {
    customerId: '7',
    channel: 'sms',
    consent: { state: 'not_subscribed', at: null }
  })
  for (const state of [null, 'thrilled']) {
    assert.equal(parseSmsConsentPayload({ ...sms, sms_marketing_consent: { ...never, state } }).consent, null)
  }
  const older = { ...payload('customers__update.json'), state: 'Enabled', email_marketing_consent: consent }
  const { accountState, emailConsent } = parseCustomerPayload(older)
  assert.deepEqual([accountState, emailConsent?.state], ['enabled', 'subscribed'])
  assert.throws(() => parseEmailConsentPayload({ email_marketing_consent: consent }), MalformedPayload)
})

test('a product or a collection, also one that was deleted', () => {
  assert.deepEqual(parseCatalogPayload({ id: 7880321196742 }), { id: '7880321196742' })
  const collection = { id: 408372092144951400, admin_graphql_api_id: 'gid://shopify/Collection/408372092144951419' }
  assert.deepEqual(parseCatalogPayload(collection), { id: '408372092144951419' })
  assert.throws(() => parseCatalogPayload({ title: 'Mug' }), MalformedPayload)
})

test('a payment method', () => {
  assert.deepEqual(parsePaymentMethodPayload(payload('customer_payment_methods__update.json')), {
    customerId: '82850125',
    methodId: '0eccccc666aac73efcd31094ddc4ebf0'
  })
})

const contract = payload('subscription_contracts__create.json')
const order = payload('orders__paid.json')
const attempt = payload('subscription_billing_attempts__success.json')
const bad: [string, () => unknown][] = [
  ['contract', () => parseContractPayload(null)],
  ['contract', () => parseContractPayload([])],
  ['contract', () => parseContractPayload('text')],
  ['contract.status', () => parseContractPayload({ ...contract, status: 7 })],
  ['contract.admin_graphql_api_id', () => parseContractPayload({ ...contract, admin_graphql_api_id: '12' })],
  ['contract.billing_policy', () => parseContractPayload({ ...contract, billing_policy: null })],
  [
    'contract.billing_policy.interval',
    () => parseContractPayload({ ...contract, billing_policy: { ...contract.billing_policy, interval: 'decade' } })
  ],
  ['contract.revision_id', () => parseContractPayload({ ...contract, revision_id: 'x' })],
  ['attempt.idempotency_key', () => parseAttemptPayload({ ...attempt, idempotency_key: null })],
  ['attempt.ready', () => parseAttemptPayload({ ...attempt, ready: 'yes' })],
  ['order.total_price', () => parseOrderPayload({ ...order, total_price: '1e400' })],
  ['order.total_price', () => parseOrderPayload({ ...order, total_price: '1.005' })],
  ['order.total_price', () => parseOrderPayload({ ...order, currency: 'nonsense' })],
  ['order.created_at', () => parseOrderPayload({ ...order, created_at: '2026-02-30T00:00:00Z' })],
  ['order.created_at', () => parseOrderPayload({ ...order, created_at: 'infinity' })],
  ['order.customer.admin_graphql_api_id', () => parseOrderPayload({ ...order, customer: { id: 2 ** 60 } })],
  ['order.payment_gateway_names.0', () => parseOrderPayload({ ...order, payment_gateway_names: [1] })],
  ['order.refunds.0', () => parseOrderPayload({ ...order, refunds: [null] })]
]
for (const [field, parse] of bad) {
  test(`a bad ${field} is named`, () => {
    assert.throws(
      parse,
      (err) => err instanceof MalformedPayload && err.field === field && err.message.startsWith(field)
    )
  })
}

test('a numeric id without a global id is used while it is exact', () => {
  const { admin_graphql_api_id: _, ...plain } = contract
  assert.equal(parseContractPayload(plain).id, '402440842')
})

test('revisions beyond 2^53 compare exactly', () => {
  assert.equal(compareRevisions('9007199254740993', '9007199254740992'), 1)
  assert.equal(compareRevisions('9', '10'), -1)
  assert.equal(compareRevisions('18446744073709551615', '18446744073709551615'), 0)
})

test('a merge has both customers and its status, a deletion only the customer', () => {
  const gid = (id: string) => `gid://platform/Customer/${id}`
  const merge = {
    admin_graphql_api_customer_kept_id: gid('9007199254740993'),
    admin_graphql_api_customer_deleted_id: gid('2'),
    status: 'COMPLETED'
  }
  assert.deepEqual(parseMergePayload(merge), { keptId: '9007199254740993', deletedId: '2', status: 'completed' })
  assert.deepEqual(parseDeletedCustomerPayload({ id: 7, admin_graphql_api_id: gid('9007199254740993') }), {
    customerId: '9007199254740993'
  })
  assert.throws(() => parseMergePayload({ status: 'completed' }), MalformedPayload)
  assert.throws(() => parseDeletedCustomerPayload({}), MalformedPayload)
})
