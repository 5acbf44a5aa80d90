import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Person } from './filters.ts'
import { matches } from './matches.ts'
import { parseSegment } from './segment-query.ts'

const world = { now: Temporal.Instant.from('2026-06-15T02:00:00Z'), timezone: 'America/New_York', currency: 'USD' }
const ADA: Person = {
  __typename: 'Customer',
  id: '1',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: null,
  phone: null,
  country: 'US',
  province: 'NY',
  note: null,
  more: { locale: 'en', email: { state: 'SUBSCRIBED', optInLevel: null, updatedAt: null } },
  tags: ['SVC: VIP: active', 'early'],
  ordersCount: 3,
  spentMinor: 12_050,
  outcome: 'success',
  script: [],
  createdAt: Temporal.Instant.from('2026-01-31T15:00:00Z'),
  updatedAt: Temporal.Instant.from('2026-01-31T15:00:00Z'),
  firstOrderAt: Temporal.Instant.from('2026-02-01T15:00:00Z'),
  lastOrderAt: Temporal.Instant.from('2026-05-20T03:30:00Z')
}

function isMember(query: string, person: Person = ADA): boolean {
  const parsed = parseSegment(query)
  assert.ok('condition' in parsed, `${query}: ${'errors' in parsed && parsed.errors}`)
  return matches(parsed.condition, person, world)
}

for (const [query, expected] of [
  ["customer_tags CONTAINS 'svc: vip: ACTIVE'", true],
  ["customer_tags CONTAINS 'svc: elite: active'", false],
  ["customer_tags NOT CONTAINS 'svc: elite: active'", true],
  ['customer_tags IS NULL', false],
  ['companies IS NULL', true],
  ['number_of_orders >= 3', true],
  ['number_of_orders != 3', false],
  ['number_of_orders BETWEEN 2 AND 4 AND amount_spent > 100.50', true],
  ['amount_spent > 120.5', false],
  ['number_of_orders = 0 OR customer_countries CONTAINS "US"', true],
  ['NOT (number_of_orders >= 1) OR (number_of_orders = 9)', false],
  // AND binds more closely than OR.
  ["number_of_orders = 3 OR number_of_orders = 4 AND customer_tags CONTAINS 'nobody'", true],
  ["customer_email_domain = 'EXAMPLE.com'", true],
  ["customer_email_domain STARTS WITH 'ex'", true],
  ["customer_regions CONTAINS 'US-NY'", true],
  // It is the 14th of June in the shop; the last order was on the 19th of May.
  ['last_order_date >= -26d', true],
  ['last_order_date >= -25d', false],
  ['last_order_date = 2026-05-19', true],
  ['last_order_date < 2026-05-19', false],
  ['customer_added_date > -1y', true],
  ['abandoned_checkout_date >= -30d', false],
  ["email_subscription_status = 'SUBSCRIBED' AND sms_subscription_status = 'NOT_SUBSCRIBED'", true],
  ["customer_email_domain IN ('a.com', 'example.com')", true],
  ['   number_of_orders = 3   ', true]
] as const) {
  test(`${query}: ${expected}`, () => assert.equal(isMember(query), expected))
}

test('nobody is known to have done what is not known here', () => {
  assert.equal(isMember('products_purchased(id: (1, 2), date: -30d) = true'), false)
})

for (const [query, ...errors] of [
  ['not a valid', "Line 1 Column 6: 'valid' is unexpected.", "Line 1 Column 4: 'a' filter cannot be found."],
  ['number_of_orders', "Line 1 Column 16: '' is unexpected."],
  ['number_of_orders >=', "Line 1 Column 19: '' is unexpected."],
  ['(number_of_orders = 1', "Line 1 Column 21: '' is unexpected."],
  ['number_of_orders = 1)', "Line 1 Column 20: ')' is unexpected."],
  [
    'colour = 1 AND\n  shape = 2',
    "Line 1 Column 0: 'colour' filter cannot be found.",
    "Line 2 Column 2: 'shape' filter cannot be found."
  ],
  ["customer_tags CONTAINS 'open", "Line 1 Column 23: ''' is unexpected."],
  ['number_of_orders = 1; drop table x', "Line 1 Column 20: ';' is unexpected."],
  ['', "Line 1 Column 0: '' is unexpected."]
] as const) {
  test(`${JSON.stringify(query)} is refused`, () => assert.deepEqual(parseSegment(query), { errors }))
}
