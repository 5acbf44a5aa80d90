// Each metafield of spec 3: how its value is written and read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseJson } from '#kit/json-fields'
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

/** Every metafield in the spelling of the spec: themes and functions compare these texts letter by letter. */
const SPELLED: Record<string, string> = {
  svc_membership_products: '{"vip":["7"],"elite":[]}',
  general: '1',
  svc_plan_settings:
    '{"status":1,"type":1,"product_name":"VIP","product_price":"29.00","product_gid":"7","product_variant_id":"8","plan_id":"9","plan_name":"VIP",' +
    '"tier_name":"Gold","i_name":"month","i_count":1,"scripts_on":1,"scripts_st_on":0,"function_on":"","checkout_ui":"","otp_enabled":"",' +
    '"allowed_countries":"DE,AT","dp":1,"dv":"12.5","dt":"percentage","dat":"collection","dproduct":[],"dcollection":["5"],"ds":1,' +
    '"ds_info":[{"quantity":3,"value":"5","type":"fixed"}],"dct":2,"stack_with_subs":0,"store_credit":1,"store_credit_type":"function","wo":1,"wo_v":"10","wo_t":"fixed","wo_at":"product",' +
    '"wo_product":["6"],"wo_collection":[],"ft":1,"ft_price":"1.00","ft_type":2,"ft_duration":14,"fs":1,"fs_country":"DE","fs_message":"Free",' +
    '"fs_method_name":"","fs_threshold_type":"items","fs_threshold_value":"3"}',
  svc_widget_cart_page:
    '{"cart_default_PAYG":0,"cart_disclaimer":"a","enable_progress_bar":1,"hide_sp":"on","m_body":"b","m_checkout_btn_name":"c","m_subtitle":"d",' +
    '"m_title":"e","progress_bar_item":"f","progress_bar_title":"g","r_body":"h","r_subtitle":"i","r_title":"j","subtitle":"k"}',
  svc_widget_cart_page_member: '{"m_body":"a","m_checkout_btn_name":"b","subtitle":"c"}',
  svc_cart_page_selector:
    '{"cart_checkout_btn_selector":"#a","cart_form_selector":".b","cart_item_price_selector":"c","cart_item_row_selector":"d","theme_name_select":"Dawn"}',
  svc_side_cart_selector:
    '{"btn_add_to_cart_selector":"a","cart_checkout_btn_selector":"b","cart_drawer_selector":"c","cart_form_selector":"d","cart_item_price_selector":"e",' +
    '"cart_item_row_selector":"f","cart_summary_selector":"g","status":"off","theme_name_select":"Dawn","trigger_selector":"h"}',
  svc_otp: '{"otp_enabled":1}',
  softlogin:
    '{"enabled":1,"settings":{"checkout_button_no_popup":true,"cart_widget_login_link":false,"debug_functions_checkout_sc_ca_function":false,' +
    '"debug_functions_cart_checkout_validation":true}}',
  svc_protection: '{"svc_protection":0}',
  svc_agreement: '{"agreement_enabled":1}',
  order_gift: '{"enabled":1}',
  svc_loyalty_settings: '{"loyalty_enabled":1,"tiers_enabled":0,"ratio_points":1.5,"reward_type":"points"}',
  svc_loyalty_tiers:
    '[{"id":3,"name":"Gold","description":"","is_active":1,"entry_rules":{"min_spend":100},"reward_rules":{},"multiplier_points":1.5,"order":2,"tag":"gold"}]',
  svc_loyalty_rules:
    '[{"id":1,"name":"Purchase","type":"earn_points","rule_type":"purchase","rules":{},"enabled":1,"reward_text":""}]',
  svc_loyalty_coupons:
    '[{"id":1,"name":"Five off","type":"fixed_amount","rules":{"amount":5.5,"applies_to":"products","product_ids":["7"],"collection_ids":[],' +
    '"minimum_subtotal":null,"expires_after_days":30},"required_points":500,"discount_code_prefix":"PTS-","enabled":0,' +
    '"starts_at":"2026-01-31T12:00:00Z","ends_at":null}]',
  svc_wallet_pass_settings: '{"wallet_pass_enabled":1}',
  svc_wallet_pass_sale_campaigns:
    '[{"id":"wpc_1","status":"inactive","pop_up_image":"/sale.png","pop_up_title":"Sale","pop_up_text":"Today","starts_at":"2026-01-31T12:00:00Z","ends_at":null}]',
  customer_subscription1:
    '{"name":"VIP","status":"PAUSED","member_since":"2026-01-31","next_billing":"","scid":9007199254740993123,"price":"29.00","currency":"USD",' +
    '"offers":[{"type":"discount_price","offer_id":"7","discount_value":5.5,"discount_type":"percentage","recurring_cycle_limit":3},' +
    '{"type":"change_frequency","offer_id":"8","interval":"week","interval_count":2}]}',
  customer_subscription1_gifts:
    '[{"customer":{"id":"gid://shopify/Customer/5","email":"ada@example.com","name":"Ada"},' +
    '"subscription":{"name":"VIP","status":"ACTIVE","member_since":"2026-01-31","next_billing":"2026-02-28","scid":9007199254740993123}}]',
  customer_subscription1_parent:
    '{"subscription_id":"gid://shopify/SubscriptionContract/9","customer":{"id":"gid://shopify/Customer/5","email":"","name":"Ada"}}',
  svc_hash: 'ab'.repeat(32),
  svc_st: '12.50',
  svc_st_id: '71',
  svc_member_details: '{"loyalty_points":70,"birth_date":"1990-01-02"}',
  svc_collection_ids:
    '{"customerVipTag":["SVC: VIP: Active"],"customerEliteTag":[],"collectionIds":["gid://shopify/Collection/3"]}',
  vip_perk_shipping: '{"handle":"standard","customerTag":"[\\"SVC: VIP: Active\\"]"}'
}
/** Second plans are written as the first ones are. */
const SPELLED_AS: Record<string, string> = {
  svc_plan_settings2: 'svc_plan_settings',
  customer_subscription2: 'customer_subscription1'
}

for (const metafield of METAFIELDS) {
  test(`${metafield.key}: in the spelling of the spec it is read and written letter by letter`, () => {
    const text = SPELLED[SPELLED_AS[metafield.key] ?? metafield.key]!
    assert.equal(encodeMetafield(metafield, decoded(metafield, text)), text)
  })
}

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
  if (schema.type === 'boolean') return fc.boolean()
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

/** What is in a value stays as it is, down to the spelling of each flag and number; a field that it lacks gets its default. */
function assertKept(given: any, written: any, path = 'value'): void {
  if (typeof given !== 'object' || given === null) {
    assert.deepEqual(written, given, path)
    return
  }
  assert.equal(Array.isArray(written), Array.isArray(given), path)
  if (Array.isArray(given)) assert.equal(written.length, given.length, path)
  for (const [name, one] of Object.entries(given)) assertKept(one, written[name], `${path}.${name}`)
}

/** How many texts of a metafield are tried, and how many of them have to be readable: a schema says less than its field does. */
const TRIED = 200
const READABLE = 50

for (const metafield of METAFIELDS) {
  test(`${metafield.key}: what is read is written as it was, and written again the same`, () => {
    let readable = 0
    const parsed = (text: string) => (metafield.type === 'json' ? parseJson(text) : text)
    fc.assert(
      fc.property(valuesOf(metafield.field.schema), (json) => {
        const text = metafield.type === 'single_line_text_field' ? String(json) : JSON.stringify(json)
        const read = decodeMetafield(metafield, text)
        if (!read.ok) return
        readable++
        const written = encodeMetafield(metafield, read.value)
        assertKept(parsed(text), parsed(written))
        assert.deepEqual(decoded(metafield, written), read.value)
        assert.equal(encodeMetafield(metafield, decoded(metafield, written)), written)
      }),
      { numRuns: TRIED }
    )
    assert.ok(readable >= READABLE, `only ${readable} of ${TRIED} texts can be read`)
  })
}
