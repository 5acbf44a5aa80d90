import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseExactJson } from '#kit/storable-json'
import {
  parseDisputePayload,
  parseOrderPayload,
  parseRefundPayload,
  parseTransactionPayload
} from '../inbound/order-payloads.ts'
import { parseContractPayload } from '../inbound/payloads.ts'
import { stripMessage, subjectsOf } from './strip-message.ts'

const fixtures = new URL('../../../test/fixtures/platform/payloads/', import.meta.url)
const sample = (name: string) => readFileSync(new URL(name, fixtures), 'utf8')
const topicOf = (name: string) => name.replace('.json', '').replace('__', '/')

/** What is read of each family, without what is about the person. */
const READ: Record<string, (payload: unknown) => unknown> = {
  orders(payload) {
    const {
      email: _,
      countryCode: _c,
      province: _p,
      tags: _t,
      customerId: _i,
      details,
      ...order
    } = parseOrderPayload(payload)
    const { customerName: _n, customer: _u, attributes: _a, ...shown } = details!
    return { ...order, details: shown }
  },
  refunds: parseRefundPayload,
  order_transactions: parseTransactionPayload,
  disputes: parseDisputePayload,
  subscription_contracts(payload) {
    const { customerId: _, ...contract } = parseContractPayload(payload)
    return contract
  }
}

for (const name of readdirSync(fixtures).filter((file) => READ[file.split('__')[0]!])) {
  test(`${name} without the person is read as before`, () => {
    const read = READ[name.split('__')[0]!]!
    const stripped = stripMessage(topicOf(name), sample(name))!
    assert.deepEqual(read(parseExactJson(stripped)), read(parseExactJson(sample(name))))
    assert.doesNotMatch(stripped, /@|"(?:first|last)_name|address|phone|"note|browser_ip|"customer"|(?<!gift_)card/)
  })
}

test('nothing is left of messages about customers, their tags and their cards', () => {
  for (const topic of [
    'customers/update',
    'customer.tags_added',
    'customer_payment_methods/create',
    'customers/merge'
  ]) {
    assert.equal(stripMessage(topic, '{"id": 7, "email": "ada@example.com"}'), null)
  }
})

test('a gift card is read from what a provider said, also as a text of JSON', () => {
  for (const receipt of [{ gift_card_id: 71, name: 'Ada' }, '{"gift_card_id": 71, "name": "Ada"}']) {
    const stripped = stripMessage('order_transactions/create', JSON.stringify({ id: 1, receipt }))
    assert.deepEqual(JSON.parse(stripped!), { id: 1, receipt: { gift_card_id: 71 } })
  }
  for (const receipt of ['no JSON', '"Ada"', null]) {
    const stripped = stripMessage('order_transactions/create', JSON.stringify({ id: 1, receipt }))
    assert.deepEqual(JSON.parse(stripped!), { id: 1, receipt: null })
  }
})

for (const [topic, body, subjects] of [
  ['customers/update', { id: 7, email: 'a@b.c' }, ['customer:7']],
  ['orders/paid', { id: 8, customer: { id: 7 } }, ['order:8', 'customer:7']],
  [
    'orders/paid',
    { id: 8, customer: { email: 'a', admin_graphql_api_id: 'gid://p/Customer/7' } },
    ['customer:7', 'order:8']
  ],
  ['refunds/create', { id: 9, order_id: 8 }, ['order:8']],
  ['customers_marketing_consent/update', { id: 7, phone: '+1', sms_marketing_consent: {} }, ['customer:7']],
  ['customers_email_marketing_consent/update', { customer_id: 7, email_address: 'a@b.c' }, ['customer:7']],
  ['products/delete', { id: 7 }, []],
  ['customer.tags_added', { customerId: 'gid://p/Customer/7' }, ['customer:7']],
  ['subscription_contracts/create', { id: 3, customer_id: 7 }, ['customer:7']],
  ['shop/update', { id: 7 }, []],
  ['customers/redact', { customer: { id: 7 } }, []]
] as const) {
  test(`${topic} ${JSON.stringify(body)} names ${subjects.join(', ') || 'nobody'}`, () =>
    assert.deepEqual(subjectsOf(topic, JSON.stringify(body)), subjects))
}
