// Each metafield of spec 3: how its value is written and read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { planSettingsField, planSettingsOf } from '#plans'
import { decodeMetafield, encodeMetafield, type Metafield } from '#platform'
import { METAFIELDS } from './all-metafields.ts'
import { customerSubscription1 } from './customer/customer-subscription1.ts'
import { customerHash } from './customer/svc-hash.ts'
import { memberDetails } from './customer/svc-member-details.ts'
import { storeCredit } from './customer/svc-st.ts'
import { redemptionId } from './customer/svc-st-id.ts'
import { general } from './shop/general.ts'
import { loyaltyCoupons } from './shop/svc-loyalty-coupons.ts'
import { loyaltyTiers } from './shop/svc-loyalty-tiers.ts'
import { planSettings } from './shop/svc-plan-settings.ts'

const SPEC: Record<string, string[]> = {
  shop: [
    'general',
    'svc_plan_settings',
    'svc_plan_settings2',
    'svc_widget_cart_page',
    'svc_widget_cart_page_member',
    'svc_cart_page_selector',
    'svc_side_cart_selector',
    'svc_otp',
    'softlogin',
    'svc_protection',
    'svc_agreement',
    'order_gift',
    'svc_loyalty_settings',
    'svc_loyalty_tiers',
    'svc_loyalty_rules',
    'svc_loyalty_coupons',
    'svc_wallet_pass_settings',
    'svc_wallet_pass_sale_campaigns'
  ],
  customer: [
    'customer_subscription1',
    'customer_subscription2',
    'customer_subscription1_gifts',
    'customer_subscription1_parent',
    'svc_hash',
    'svc_st',
    'svc_st_id',
    'svc_member_details'
  ],
  discount: ['svc_collection_ids', 'vip_perk_shipping']
}
/** What the discount function needs beside them. */
const OURS = ['svc_membership_products']

const decoded = <T>(metafield: Metafield<T>, text: string): T => {
  const read = decodeMetafield(metafield, text)
  assert.ok(read.ok, JSON.stringify(read))
  return read.value
}
const problemsOf = <T>(metafield: Metafield<T>, text: string): string[] => {
  const read = decodeMetafield(metafield, text)
  return read.ok ? [] : read.problems.map(({ field, message }) => `${field} ${message}`)
}

test('there are exactly the keys of the spec and ours, with the types that were decided', () => {
  for (const [owner, keys] of Object.entries(SPEC)) {
    const found = METAFIELDS.filter((one) => one.owner === owner && !OURS.includes(one.key))
    assert.deepEqual(found.map(({ key }) => key).toSorted(), keys.toSorted())
  }
  assert.deepEqual(
    OURS,
    METAFIELDS.filter(({ key }) => OURS.includes(key)).map(({ key }) => key)
  )
  const others = METAFIELDS.filter(({ type }) => type !== 'json').map(({ key, type }) => [key, type])
  assert.deepEqual(Object.fromEntries(others), {
    general: 'number_integer',
    svc_st_id: 'number_integer',
    svc_st: 'number_decimal',
    svc_hash: 'single_line_text_field'
  })
  for (const { key, name, help } of METAFIELDS) assert.ok(name && help, key)
})

test('plan settings have 45 fields; no VIP plan is a disabled one with empty fields', () => {
  assert.equal(Object.keys(planSettingsField.shape).length, 45)
  const none = JSON.parse(encodeMetafield(planSettings, planSettingsOf(null, { vipDiscount: false })))
  assert.equal(Object.keys(none).length, 45)
  assert.deepEqual(
    [none.status, none.type, none.product_name, none.product_price, none.fs_threshold_type, none.ds_info, none.dct],
    [0, 1, '', '', '0', [], '']
  )
})

test('a contract number beyond 2^53 is an unquoted integer, written and read digit by digit', () => {
  const scid = '9007199254740993123'
  const value = {
    name: 'VIP',
    status: 'active',
    member_since: Temporal.PlainDate.from('2026-01-31'),
    next_billing: null,
    scid,
    price: '29.00',
    currency: 'USD',
    offers: [
      {
        type: 'discount_price' as const,
        offer_id: '7',
        discount_value: 5.5,
        discount_type: 'fixed_amount' as const,
        recurring_cycle_limit: null
      },
      { type: 'change_frequency' as const, offer_id: '8', interval: 'month' as const, interval_count: 2 },
      { type: 'add_store_credits' as const, offer_id: '9', credit_amount: 10 }
    ]
  }
  const text = encodeMetafield(customerSubscription1, value)
  assert.equal(
    text,
    '{"name":"VIP","status":"ACTIVE","member_since":"2026-01-31","next_billing":"","scid":9007199254740993123,"price":"29.00","currency":"USD",' +
      '"offers":[{"type":"discount_price","offer_id":"7","discount_value":5.5,"discount_type":"fixed_amount","recurring_cycle_limit":null},' +
      '{"type":"change_frequency","offer_id":"8","interval":"month","interval_count":2},{"type":"add_store_credits","offer_id":"9","credit_amount":10}]}'
  )
  assert.deepEqual(decoded(customerSubscription1, text), value)
})

test('values that are no JSON objects', () => {
  assert.equal(encodeMetafield(general, true), '1')
  assert.equal(decoded(general, '0'), false)
  assert.equal(encodeMetafield(storeCredit, '12.50'), '12.50')
  assert.equal(decoded(storeCredit, '12.50'), '12.50')
  assert.equal(encodeMetafield(redemptionId, 71), '71')
  assert.equal(encodeMetafield(customerHash, 'a'.repeat(64)), 'a'.repeat(64))
  assert.deepEqual(problemsOf(customerHash, 'A'), ['value must be 64 hexadecimal digits'])
})

test('flags are read in every spelling, and written in one', () => {
  const text = (flag: unknown) =>
    JSON.stringify({
      ...JSON.parse(encodeMetafield(planSettings, planSettingsOf(null, { vipDiscount: false }))),
      dp: flag
    })
  for (const on of [1, '1', true, 'true']) assert.equal(decoded(planSettings, text(on)).dp, true)
  for (const off of [0, '0', false, 'false']) assert.equal(decoded(planSettings, text(off)).dp, false)
  assert.deepEqual(problemsOf(planSettings, text('yes')), ['dp must be 0 or 1 (or false or true)'])
})

test('what was changed by hand to nonsense is refused with every problem and its path', () => {
  assert.deepEqual(problemsOf(memberDetails, '{"loyalty_points":1.5,"birth_date":"31.1.2026","more":1}'), [
    'more is not a field here, which are loyalty_points, birth_date',
    'loyalty_points must be a whole number from -1000000000000 to 1000000000000',
    'birth_date must be a date such as 2026-01-31'
  ])
  assert.deepEqual(problemsOf(memberDetails, '{"loyalty_points'), ['value must be JSON'])
  assert.deepEqual(problemsOf(memberDetails, '[]'), ['value must be an object with loyalty_points, birth_date'])
  assert.match(problemsOf(loyaltyTiers, '[{"tag":"SVC: gold"}]').join(), /\[0\]\.tag must be a tag without a comma/)
  assert.match(problemsOf(loyaltyCoupons, '{}').join(), /must be a list/)
})

/** Any value of a field, made from what its schema says is written. */
function valuesOf(schema: Record<string, any>): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf))
  if (schema.type === 'object') {
    const shape = Object.entries(schema.properties ?? {}).map(([name, one]) => [
      name,
      valuesOf(one as Record<string, any>)
    ])
    return fc.record(Object.fromEntries(shape), { requiredKeys: schema.required ?? [] })
  }
  if (schema.type === 'array') return fc.array(valuesOf(schema.items), { maxLength: Math.min(3, schema.maxItems ?? 3) })
  if (schema.type === 'integer') {
    return schema.minimum === undefined
      ? fc.integer({ min: 1 })
      : fc.integer({ min: Math.max(schema.minimum, -(2 ** 31)), max: Math.min(schema.maximum, 2 ** 31) })
  }
  if (schema.type === 'number') return fc.integer({ min: 0, max: 1_000_000 }).map((n) => n / 100)
  if (schema.format === 'date')
    return fc
      .integer({ min: 0, max: 40_000 })
      .map((n) => Temporal.PlainDate.from('1950-01-01').add({ days: n }).toString())
  if (schema.format === 'date-time')
    return fc.integer({ min: 0, max: 2 ** 31 }).map((s) => Temporal.Instant.fromEpochMilliseconds(s * 1000).toString())
  if (schema.pattern?.includes('(?!')) return fc.constantFrom('gold', 'Gold member', '')
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern), { size: 'xsmall' })
  return schema.type === 'string'
    ? fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 0, 20) })
    : fc.constant(null)
}

for (const metafield of METAFIELDS) {
  test(`${metafield.key}: what is read is written as it was, and written again the same`, () => {
    fc.assert(
      fc.property(valuesOf(metafield.field.schema), (json) => {
        const text = metafield.type === 'single_line_text_field' ? String(json) : JSON.stringify(json)
        const read = decodeMetafield(metafield, text)
        // A schema says less than its field does: of a global id, a leading zero of a number.
        if (!read.ok) return
        const written = encodeMetafield(metafield, read.value)
        assert.deepEqual(decoded(metafield, written), read.value)
        assert.equal(encodeMetafield(metafield, decoded(metafield, written)), written)
      }),
      { numRuns: 200 }
    )
  })
}
