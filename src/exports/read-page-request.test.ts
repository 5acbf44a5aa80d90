import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointOf, readPageRequest } from '#exports'
import type { EndpointName } from './endpoint.ts'

const read = (name: EndpointName, query: Record<string, string | string[]>) => readPageRequest(endpointOf(name), query)

test('numbers are digits only, at most 2^53-1; an empty or a repeated one is refused', () => {
  assert.equal(read('members', { page: '7' }).page, 7)
  assert.equal(read('orders', { since_id: String(Number.MAX_SAFE_INTEGER) }).sinceId, Number.MAX_SAFE_INTEGER)
  for (const page of ['0', '-1', '1.5', 'abc', '1e9', '', ' 1', '+1', '9007199254740992']) {
    assert.throws(() => read('members', { page }), {
      code: 'invalid_request',
      message: 'page must be a positive integer up to 9007199254740991, digits only'
    })
  }
  for (const since_id of ['-1', '1.5', '9223372036854775808', '', 'x']) {
    assert.throws(() => read('orders', { since_id }), {
      details: [
        { field: 'since_id', code: 'invalid', message: 'must be an integer from 0 to 9007199254740991, digits only' }
      ]
    })
  }
  for (const name of ['since_id', 'since_date', 'since_updated', 'shopify_customer_gid']) {
    assert.throws(() => read('orders', { [name]: ['1', '1'] }), { message: `${name} must be given once` })
  }
})

test('days are Y-m-d and exist', () => {
  assert.equal(read('orders', { since_date: '2024-02-29' }).sinceDate?.toString(), '2024-02-29')
  for (const day of ['2026-02-30', '2026/01/01', '', '2026-1-1', '2026-01-01T00:00', '20260101']) {
    for (const name of ['since_date', 'since_updated']) {
      assert.throws(() => read('orders', { [name]: day }), {
        message: `${name} must be a day such as 2026-01-31`
      })
    }
  }
})

test('every parameter at fault is named, and those that do not apply are ignored', () => {
  assert.throws(() => read('orders', { since_id: 'x', since_date: 'y' }), {
    message:
      'since_id must be an integer from 0 to 9007199254740991, digits only; since_date must be a day such as 2026-01-31'
  })
  const ignored = read('orders', { page: 'nonsense' })
  assert.deepEqual([ignored.page, ignored.sinceId], [1, 0])
  assert.equal(read('customers', { since_date: 'nonsense', since_updated: 'x' }).sinceDate, null)
  assert.equal(read('members', { since_id: '-1' }).sinceId, 0)
})

test('a customer is a number or a global id; anything else names nobody', () => {
  for (const [given, customer] of [
    ['42', '42'],
    ['gid://shopify/Customer/42', '42'],
    ['gid://shopify/Order/42', ''],
    ['x', ''],
    ['', '']
  ] as const) {
    assert.equal(read('orders', { shopify_customer_gid: given }).customer, customer)
  }
  assert.equal(read('orders', {}).customer, null)
})
