// The configuration of loyalty from the command line to the metafields of the shop, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { int, json, row, sql, text } from '#kit/postgres'
import { createRule, createTemplate, createTier } from '#loyalty'
import { describeRuleTypes } from '../src/loyalty/rules/describe-rule-types.ts'
import { keysOf } from '../src/mirror/metafields/all-metafields.ts'
import { adminOf } from './admin-calls.ts'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { call } = adminOf(service)
const { run, json: document } = commandLine(service)

type Document = Record<string, any>

const EVERYBODY = {
  customer_settings: { apply_to: 'all', action: 'include', tags: [] },
  product_ids: [],
  collection_ids: [],
  tier_ids: []
}

async function aShop(over: Record<string, unknown> = {}) {
  const store = await service.aStore(over)
  const settle = () => service.deps.settle(store.storeId)
  const connector = await service.deps.connectorOf(store.storeId)
  /** A metafield of the shop as the platform has it, when all that was due is done. */
  const metafield = async (key: string) => {
    await settle()
    const found = await connector.metafields.findOfShop(keysOf('shop'))
    assert.ok(found.ok)
    return JSON.parse(found.value.metafields.get(key)!.value)
  }
  const at = ['--store', store.domain]
  const createRule = (type: string, rules: object, reward: object, ...more: string[]): Promise<Document> =>
    document(
      ...['loyalty', 'rule', 'create', ...at, '--type', type, '--name', `A ${type}`],
      ...['--rules', JSON.stringify(rules), '--reward', JSON.stringify(reward), ...more]
    )
  const loyalty = (method: string, path: string, body?: object) => call(store, method, `/loyalty${path}`, body)
  const problemsOf = async (method: string, path: string, body: object): Promise<string[]> => {
    const { status, body: answer } = await loyalty(method, path, body)
    assert.equal(status, 400, JSON.stringify(answer))
    return answer.error.details.map(({ field, message }: any) => `${field} ${message}`)
  }
  return { store, settle, metafield, at, createRule, loyalty, problemsOf }
}

const POINTS = { reward_type: 'points', amount: 10 }
const aGoal = (over: object = {}) => ({
  type: 'goal_spend',
  name: 'Goal',
  rules: { goal_amount: 100 },
  reward_rules: POINTS,
  ...over
})

test('a rule of each type goes from the command line to its row and to the metafield of the shop', async () => {
  const { store, createRule, metafield, loyalty } = await aShop()
  for (const { type, kind, example } of describeRuleTypes()) {
    const created = await createRule(type, example.rules, example.reward_rules)
    assert.ok(Number.isSafeInteger(created.id), type)
    assert.equal(created.status, 1)
    const stored = await db.inStore(store.storeId, ({ tx, storeId }) =>
      tx.one(
        row({ type: text, rules: json<object>(), rewardRules: json<object>() }),
        sql`select type, rules, reward_rules from loyalty_rules where store_id = ${storeId} and id = ${created.id}`
      )
    )
    assert.deepEqual(stored, { type, rules: created.rules, rewardRules: created.reward_rules })
    // With the defaults of what was left out.
    assert.deepEqual(created.rules, { ...created.rules, ...EVERYBODY, ...example.rules, ...referredOf(created) })
    assert.deepEqual(created.reward_rules, { ...created.reward_rules, ...example.reward_rules, message: '' })
    assert.deepEqual((await loyalty('GET', `/rules/${created.id}`)).body, created)
    const published = (await metafield('svc_loyalty_rules')).find((one: any) => one.id === created.id)
    assert.deepEqual(published, {
      id: created.id,
      name: created.name,
      type: kind,
      rule_type: type,
      rules: created.rules,
      enabled: 1,
      reward_text: created.reward_text
    })
  }
  assert.deepEqual(await metafield('svc_loyalty_settings'), {
    loyalty_enabled: 1,
    tiers_enabled: 0,
    ratio_points: 2,
    reward_type: 'points'
  })
})

/** The reward inside the rules of a referral is completed too. */
const referredOf = ({ rules }: Document) =>
  'referred_reward' in rules ? { referred_reward: rules.referred_reward } : {}

test('what is wrong in rules and reward is refused by its path, all at once, and the command line names the flags', async () => {
  const { problemsOf, at, loyalty } = await aShop()
  assert.deepEqual(
    await problemsOf('POST', '/rules', {
      type: 'punch_card',
      name: 'Card',
      rules: {
        required_purchases: 0,
        minimum_order_amount: '9.999',
        product_ids: ['shoe'],
        goal_amount: 1,
        tier_ids: [7]
      },
      reward_rules: { reward_type: 'discount', discount_amount: 120, cycles: 2 },
      start_date: '2026-03-02',
      end_date: '2026-03-01'
    }),
    [
      'rules.goal_amount is not a field here, which are required_purchases, minimum_order_amount, resets, customer_settings, product_ids, collection_ids, tier_ids',
      'rules.required_purchases must be a whole number from 1 to 1000',
      'rules.minimum_order_amount must be an amount from 0 to 1000000000, with no more decimals than USD has',
      'rules.product_ids[0] must be the digits of an id as a text',
      'reward_rules.cycles is not a field here, which are reward_type, discount_type, discount_amount, code_prefix, message',
      'reward_rules.discount_type is missing; it must be percentage or fixed_amount',
      'end_date must not be before start_date, 2026-03-02',
      'rules.tier_ids[0] must be the id of a tier of loyalty; there is no 7'
    ]
  )
  const { code, err } = await run([
    ...['loyalty', 'rule', 'create', ...at, '--type', 'goal_spend', '--name', 'Goal'],
    ...['--rules', '{}', '--reward', '{"reward_type":"coupon"}']
  ])
  assert.equal(code, 1)
  assert.equal(
    err,
    'perennial: --rules (rules.goal_amount) is missing; it must be an amount above 0 to 1000000000, with no more decimals than USD has; ' +
      '--reward (reward_rules.reward_type) must be one of discount, free_product, free_shipping, points, store_credit, subscription_discount, subscription_free_product\n'
  )
  const unknown = await run(['loyalty', 'rule', 'create', ...at, '--type', 'nothing', '--name', 'X', '--reward', '{}'])
  assert.match(unknown.err, /--type must be anniversary_reward, birthday_reward, .* or upload_receipt/)
  assert.deepEqual((await loyalty('GET', '/rules')).body.data, [])
})

test('a rule of another store, an archived one and a text that is no number are not found', async () => {
  const [mine, other] = [await aShop(), await aShop()]
  const rule = (await other.loyalty('POST', '/rules', aGoal())).body
  const tier = (await other.loyalty('POST', '/tiers', { name: 'Gold' })).body
  const template = (await other.loyalty('POST', '/templates', aTemplate())).body
  for (const path of [
    `/rules/${rule.id}`,
    `/tiers/${tier.id}`,
    `/templates/${template.id}`,
    '/rules/0',
    '/rules/lr_1'
  ]) {
    assert.equal((await mine.loyalty('GET', path)).status, 404, path)
    assert.equal((await mine.loyalty('PATCH', path, { name: 'Mine' })).status, 404, path)
  }
  const named = await mine.loyalty('POST', '/rules', aGoal({ rules: { goal_amount: 1, tier_ids: [tier.id] } }))
  assert.match(named.body.error.message, /rules\.tier_ids\[0\] must be the id of a tier of loyalty/)
  assert.equal((await other.loyalty('DELETE', `/rules/${rule.id}`)).status, 200)
  assert.equal((await other.loyalty('GET', `/rules/${rule.id}`)).status, 404)
  assert.equal((await other.loyalty('DELETE', `/rules/${rule.id}`)).status, 404)
})

const aTemplate = (over: object = {}) => ({
  name: '$5 off',
  type: 'fixed_amount',
  rules: { amount: 5 },
  required_points: 500,
  ...over
})

test('a change leaves out what stays, replaces rules and reward as a whole, and never changes the type', async () => {
  const { loyalty, at, problemsOf } = await aShop()
  const rules = { goal_amount: '49.90', product_ids: [7064055069370] }
  const created = (await loyalty('POST', '/rules', aGoal({ rules, description: 'First' }))).body
  assert.deepEqual(
    [created.rules.goal_amount, created.rules.product_ids, created.required, created.reward_text],
    [49.9, ['7064055069370'], 50, 'Spend $49.90 in all and get 10 points']
  )
  const folder = await mkdtemp(join(tmpdir(), 'perennial-loyalty-'))
  after(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'reward.json'), '{"reward_type":"store_credit","amount":"5.50"}')
  const update = ['loyalty', 'rule', 'update', ...at, '--id', String(created.id)]
  const changed = await document(
    ...update,
    '--rules',
    '{"goal_amount":60}',
    '--reward',
    `@${join(folder, 'reward.json')}`
  )
  assert.deepEqual(
    [changed.name, changed.description, changed.rules.goal_amount, changed.rules.product_ids, changed.reward_rules],
    ['Goal', 'First', 60, [], { reward_type: 'store_credit', amount: 5.5, message: '' }]
  )
  assert.equal(changed.reward_text, 'Spend $60 in all and get $5.50 of store credit')
  assert.match((await run(update)).err, /At least one of these flags is required: --name, --rules/)
  assert.deepEqual(await problemsOf('PATCH', `/rules/${created.id}`, { type: 'punch_card' }), [
    'type must be left out: a rule keeps its type; create another one and archive this'
  ])
  const shown = await document('loyalty', 'rule', 'show', ...at, '--id', String(created.id))
  assert.deepEqual(shown, changed)
})

test('a rule is disabled, enabled and archived, and the metafield follows each time', async () => {
  const { loyalty, at, createRule, metafield } = await aShop()
  const { id } = await createRule('points_for_purchases', { points_per_dollar: 1.5 }, { reward_type: 'points' })
  const seen = async () => [
    (await metafield('svc_loyalty_rules')).map((one: any) => one.enabled),
    (({ loyalty_enabled, ratio_points }) => [loyalty_enabled, ratio_points])(await metafield('svc_loyalty_settings'))
  ]
  assert.deepEqual(await seen(), [[1], [1, 1.5]])
  assert.equal((await document('loyalty', 'rule', 'disable', ...at, '--id', String(id))).status, 0)
  assert.deepEqual(await seen(), [[0], [0, 0]])
  assert.equal((await document('loyalty', 'rule', 'enable', ...at, '--id', String(id))).status, 1)
  assert.deepEqual(await seen(), [[1], [1, 1.5]])
  const { code, out } = await run(['loyalty', 'rule', 'archive', ...at, '--id', String(id)])
  assert.deepEqual([code, out], [0, `Rule ${id} is archived.\n`])
  assert.deepEqual(await seen(), [[], [0, 0]])
  assert.deepEqual((await loyalty('GET', '/rules')).body.data, [])
})

test('the first active rule for purchases gives the ratio, and the settings switch loyalty and tiers off', async () => {
  const { store, createRule, loyalty, metafield } = await aShop()
  const first = await createRule('points_for_purchases', { points_per_dollar: 3 }, { reward_type: 'points' })
  await createRule('points_for_purchases', { points_per_dollar: 5 }, { reward_type: 'points' })
  await loyalty('POST', '/tiers', { name: 'Gold' })
  const ratio = async () => (await metafield('svc_loyalty_settings')).ratio_points
  assert.equal(await ratio(), 3)
  await loyalty('PATCH', `/rules/${first.id}`, { enabled: false })
  assert.equal(await ratio(), 5)
  const flags = async () =>
    (({ loyalty_enabled, tiers_enabled }) => [loyalty_enabled, tiers_enabled])(await metafield('svc_loyalty_settings'))
  assert.deepEqual(await flags(), [1, 1])
  const set = (...given: string[]) => document('store', 'settings', '--store', store.domain, ...given)
  const settings = await set('--loyalty', 'off')
  assert.deepEqual(settings.loyalty, {
    enabled: 'off',
    tiers: 'on',
    hold_days: 0,
    points_expire_after_days: null,
    coupons_expire_after_days: null,
    receipt_file_days: 90,
    tier_review: 'rolling_year'
  })
  assert.deepEqual(await flags(), [0, 1])
  await set('--loyalty', 'on', '--loyalty-tiers', 'off', '--points-expire-after-days', '365')
  assert.deepEqual(await flags(), [1, 0])
})

test('a rule begins and ends with the days of the shop, both inclusive, by the store clock', async () => {
  // Midnight in New York is 05:00 in UTC.
  const { store, createRule, metafield, loyalty } = await aShop()
  const dates = ['--start', '2026-02-02', '--end', '2026-02-03']
  const rule = await createRule('points_for_purchases', {}, { reward_type: 'points' }, ...dates)
  assert.deepEqual([rule.status, rule.start_date, rule.end_date], [0, '2026-02-02', '2026-02-03'])
  const seen = async () => [
    (await loyalty('GET', `/rules/${rule.id}`)).body.status,
    (await metafield('svc_loyalty_rules'))[0].enabled,
    (await metafield('svc_loyalty_settings')).ratio_points
  ]
  for (const [to, status] of [
    ['2026-02-02T04:59:59Z', 0],
    ['2026-02-02T05:00:00Z', 1],
    ['2026-02-04T04:59:59Z', 1],
    ['2026-02-04T05:00:00Z', 0]
  ] as const) {
    await store.advance({ to })
    assert.deepEqual(await seen(), [status, status, status], to)
  }
  await loyalty('PATCH', `/rules/${rule.id}`, { end_date: null })
  assert.deepEqual(await seen(), [1, 1, 1])
})

test('a day that is in no calendar is refused by the name of its field', async () => {
  const { loyalty } = await aShop()
  const { id } = (await loyalty('POST', '/rules', aGoal({}))).body
  for (const field of ['start_date', 'end_date']) {
    for (const day of ['2027-02-30', '2027-13-01', '2026-02-29', '1999-01-01', 'tomorrow', 20270101]) {
      for (const [method, path, body] of [
        ['POST', '/rules', aGoal({ [field]: day })],
        ['PATCH', `/rules/${id}`, { [field]: day }]
      ] as const) {
        const { status, body: refused } = await loyalty(method, path, body)
        assert.equal(status, 400, `${method} ${field} ${day}`)
        assert.match(JSON.stringify(refused), new RegExp(`${field} must be a day from 2000-01-01 to 2999-12-31`))
      }
    }
  }
})

test('when the shop moves to another time zone, its rules begin with the days there', async () => {
  const { store, createRule, metafield } = await aShop()
  await createRule('points_for_purchases', {}, { reward_type: 'points' }, '--start', '2026-02-02')
  await service.admin('POST', `${store.at}/sandbox/shop`, { timezone: 'Asia/Tokyo' })
  const enabled = async () => (await metafield('svc_loyalty_rules'))[0].enabled
  await store.advance({ to: '2026-02-01T14:59:59Z' })
  assert.equal(await enabled(), 0)
  await store.advance({ to: '2026-02-01T15:00:00Z' })
  assert.equal(await enabled(), 1)
})

test('a coupon template goes to the metafield, and begins and ends by the store clock', async () => {
  const { store, at, metafield, loyalty } = await aShop()
  const times = ['--starts', '2026-02-02T00:00:00Z', '--ends', '2026-02-03T00:00:00Z', '--prefix', 'PTS-']
  const created = await document(
    ...[
      'loyalty',
      'template',
      'create',
      ...at,
      '--name',
      '$5 off',
      '--type',
      'fixed_amount',
      '--points',
      '500',
      ...times
    ],
    ...[
      '--rules',
      '{"amount":"5.00","applies_to":"products","product_ids":["77"],"minimum_subtotal":30,"expires_after_days":90}'
    ]
  )
  assert.equal(created.status, 0)
  assert.deepEqual(await metafield('svc_loyalty_coupons'), [
    {
      id: created.id,
      name: '$5 off',
      type: 'fixed_amount',
      rules: {
        amount: 5,
        applies_to: 'products',
        product_ids: ['77'],
        collection_ids: [],
        minimum_subtotal: 30,
        expires_after_days: 90
      },
      required_points: 500,
      discount_code_prefix: 'PTS-',
      enabled: 1,
      starts_at: '2026-02-02T00:00:00Z',
      ends_at: '2026-02-03T00:00:00Z'
    }
  ])
  const enabled = async () => (await metafield('svc_loyalty_settings')).loyalty_enabled
  assert.equal(await enabled(), 0)
  await store.advance({ to: '2026-02-02T00:00:00Z' })
  assert.equal(await enabled(), 1)
  await store.advance({ to: '2026-02-03T00:00:00Z' })
  assert.equal(await enabled(), 0)
  const id = ['--id', String(created.id)]
  assert.equal((await document('loyalty', 'template', 'update', ...at, ...id, '--ends', 'none')).status, 1)
  assert.equal(await enabled(), 1)
  assert.equal((await document('loyalty', 'template', 'disable', ...at, ...id)).enabled, false)
  assert.equal((await document('loyalty', 'template', 'list', ...at)).data[0].status, 0)
  assert.equal((await loyalty('GET', `/templates/${created.id}`)).body.ends_at, null)
})

test('what a template cannot be is refused by its path', async () => {
  const { problemsOf, loyalty } = await aShop()
  const refused = (over: object) => problemsOf('POST', '/templates', aTemplate(over))
  assert.deepEqual(
    await refused({
      type: 'percentage',
      rules: { amount: 101, applies_to: 'products', collection_ids: ['1'] },
      discount_code_prefix: 'a b',
      starts_at: '2026-02-02T00:00:00Z',
      ends_at: '2026-02-02T00:00:00Z'
    }),
    [
      'rules.amount must be a percentage above 0 to 100 with at most 2 decimals, since type is percentage',
      'rules.product_ids must hold at least one number where applies_to is products',
      'rules.collection_ids must be left out, or applies_to must be collections',
      'discount_code_prefix must be at most 20 letters, digits, - or _',
      'ends_at must be after starts_at, 2026-02-02T00:00:00Z'
    ]
  )
  for (const [rules, problem] of [
    [{}, 'rules.amount is missing; it must be a number above 0 to 1000000000 with at most 3 decimals'],
    [{ amount: 0 }, 'rules.amount must be a number above 0 to 1000000000 with at most 3 decimals'],
    [
      { amount: 5.001 },
      'rules.amount must have no more decimals than the currency of the shop has, since type is fixed_amount'
    ],
    [{ amount: 5, applies_to: 'some' }, 'rules.applies_to must be all, products or collections'],
    [
      { amount: 5, product_ids: [0], applies_to: 'products' },
      'rules.product_ids[0] must be the digits of an id as a text'
    ],
    [
      { amount: 5, minimum_subtotal: -1 },
      'rules.minimum_subtotal must be an amount above 0 to 1000000000, with no more decimals than USD has, or null'
    ],
    [{ amount: 5, expires_after_days: 0 }, 'rules.expires_after_days must be a whole number from 1 to 3660, or null'],
    [
      { amount: 5, more: 1 },
      'rules.more is not a field here, which are amount, applies_to, product_ids, collection_ids, minimum_subtotal, expires_after_days'
    ]
  ] as const) {
    assert.deepEqual(await refused({ rules }), [problem])
  }
  const { id } = (await loyalty('POST', '/templates', aTemplate({ rules: { amount: 250 } }))).body
  assert.deepEqual(await problemsOf('PATCH', `/templates/${id}`, { type: 'percentage' }), [
    'rules.amount must be a percentage above 0 to 100 with at most 2 decimals, since type is percentage'
  ])
})

test('tiers go to the metafield in their order', async () => {
  const { at, metafield, loyalty } = await aShop()
  const create = (name: string, ...more: string[]) =>
    document('loyalty', 'tier', 'create', ...at, '--name', name, ...more)
  const bronze = await create('Bronze')
  const gold = await create(
    'Gold',
    ...[
      '--entry',
      '{"points_earned":1000,"min_spend":"500.00","min_orders":3}',
      '--multiplier',
      '1.5',
      '--tag',
      ' Gold '
    ],
    ...['--reward', '{"points":100,"discount":10,"shipping_discount":100}', '--description', 'Often here']
  )
  const silver = await create('Silver', '--entry', '{"min_orders":2}', '--order', '5')
  assert.deepEqual([bronze.order, gold.order, gold.tag, silver.order], [0, 1, 'Gold', 5])
  assert.deepEqual((await metafield('svc_loyalty_tiers'))[1], {
    id: gold.id,
    name: 'Gold',
    description: 'Often here',
    is_active: 1,
    entry_rules: { points_earned: 1000, min_spend: 500, min_orders: 3 },
    reward_rules: { points: 100, discount: 10, shipping_discount: 100 },
    multiplier_points: 1.5,
    order: 1,
    tag: 'Gold'
  })
  assert.deepEqual(
    (await document('loyalty', 'tier', 'list', ...at)).data.map((one: any) => one.name),
    ['Bronze', 'Gold', 'Silver']
  )
  await document(
    'loyalty',
    'tier',
    'update',
    ...at,
    '--id',
    String(silver.id),
    '--order',
    '2',
    '--entry',
    '{"min_spend":50}'
  )
  await document('loyalty', 'tier', 'disable', ...at, '--id', String(gold.id))
  assert.deepEqual(
    (await metafield('svc_loyalty_tiers')).map((one: any) => [one.name, one.is_active, one.order, one.entry_rules]),
    [
      ['Bronze', 1, 0, {}],
      ['Gold', 0, 1, { points_earned: 1000, min_spend: 500, min_orders: 3 }],
      ['Silver', 1, 2, { min_spend: 50 }]
    ]
  )
  assert.equal((await metafield('svc_loyalty_settings')).tiers_enabled, 1)
  for (const { id } of (await loyalty('GET', '/tiers')).body.data)
    await loyalty('PATCH', `/tiers/${id}`, { is_active: false })
  assert.equal((await metafield('svc_loyalty_settings')).tiers_enabled, 0)
})

test('what a tier cannot be is refused by its path', async () => {
  const { problemsOf, loyalty } = await aShop()
  const bronze = (await loyalty('POST', '/tiers', { name: 'Bronze', tag: 'Bronze', order: 3 })).body
  assert.deepEqual(
    await problemsOf('POST', '/tiers', {
      name: 'bronze',
      tag: 'BRONZE',
      order: 3,
      multiplier_points: 1.555,
      entry_rules: { min_spend: 0, visits: 3 },
      reward_rules: { discount: 101, points: '1.5' }
    }),
    [
      'entry_rules.visits is not a field here, which are points_earned, min_spend, min_orders',
      'entry_rules.min_spend must be an amount above 0 to 1000000000, with no more decimals than USD has',
      'reward_rules.points must be a whole number from 1 to 1000000000',
      'reward_rules.discount must be a number above 0 to 100 with at most 2 decimals',
      'multiplier_points must be a number above 0 to 100 with at most 2 decimals',
      `name must be another than that of the other tiers: ${bronze.id} has it`,
      `order must be another than that of the other tiers: ${bronze.id} has 3`,
      `tag must be another than that of the other tiers: ${bronze.id} has it`
    ]
  )
  const tag = 'tag must be a tag without a comma of at most 255 characters that does not begin with "SVC:"'
  for (const given of ['a,b', 'SVC: VIP', ' svc:x', 'x'.repeat(256)]) {
    assert.deepEqual(await problemsOf('POST', '/tiers', { name: 'X', tag: given }), [tag], given)
  }
  const open = 'only the lowest tier is open to everybody'
  const needs = `entry_rules must hold at least one of points_earned, min_spend and min_orders: ${open}`
  assert.deepEqual(await problemsOf('POST', '/tiers', { name: 'Gold' }), [needs])
  assert.deepEqual(await problemsOf('POST', '/tiers', { name: 'Iron', order: 1, entry_rules: { min_orders: 1 } }), [
    `order must be above that of tier ${bronze.id}, which has no entry rules and so has to be the lowest`
  ])
  const off = (await loyalty('POST', '/tiers', { name: 'Gold', is_active: false })).body
  assert.deepEqual(await problemsOf('PATCH', `/tiers/${off.id}`, { is_active: true }), [needs])
  const gold = { name: 'Top', order: 1000, entry_rules: { min_orders: 9 } }
  assert.equal((await loyalty('POST', '/tiers', gold)).status, 200)
  assert.deepEqual(await problemsOf('POST', '/tiers', { name: 'Above', entry_rules: { min_orders: 99 } }), [
    'order must be given: 1000 is taken, and there is none above it'
  ])
})

test('amounts follow the currency of the shop', async () => {
  const yen = await aShop({ currency: 'JPY', timezone: 'Asia/Tokyo' })
  const rule = (await yen.loyalty('POST', '/rules', aGoal({ rules: { goal_amount: 1500 } }))).body
  assert.deepEqual([rule.required, rule.reward_text], [1500, 'Spend ¥1,500 in all and get 10 points'])
  assert.deepEqual(await yen.problemsOf('POST', '/rules', aGoal({ rules: { goal_amount: 1500.5 } })), [
    'rules.goal_amount must be an amount above 0 to 1000000000, with no more decimals than JPY has'
  ])
  const discount = { reward_type: 'discount', discount_type: 'fixed_amount', discount_amount: 0.5 }
  assert.deepEqual(await yen.problemsOf('POST', '/rules', aGoal({ reward_rules: discount })), [
    'reward_rules.discount_amount must have no more decimals than the currency of the shop has'
  ])
})

test('limits hold, also for changes at once: 200 rules, 100 tiers, 200 templates, and one for each place', async () => {
  const { store, loyalty } = await aShop()
  await db.inStore(store.storeId, async (ctx) => {
    const goal = { name: 'Goal', description: '', isEnabled: true, startsOn: null, endsOn: null, rewardRules: POINTS }
    for (let i = 0; i < 199; i++) await createRule(ctx, 'goal_spend', { ...goal, rules: { goal_amount: 1 } })
    const coupon = { type: 'fixed_amount', rules: { amount: 5 }, requiredPoints: 1, isEnabled: true } as const
    for (let i = 0; i < 199; i++) {
      await createTemplate(ctx, { ...coupon, name: `${i}`, codePrefix: '', startsAt: null, endsAt: null })
    }
    const tier = { description: '', entryRules: { min_orders: 1 }, rewardRules: {}, multiplier: 1, isActive: true }
    for (let i = 0; i < 99; i++) await createTier(ctx, { ...tier, name: `${i}`, tag: '', place: null })
  })
  const atOnce = async (path: string, bodyOf: (i: number) => object) => {
    const done = await Promise.all([0, 1, 2].map((i) => loyalty('POST', path, bodyOf(i))))
    return done.map(({ status, body }) => body.error?.message ?? status).toSorted()
  }
  const tooMany = (what: string, then: string) => [200, ...[1, 2].map(() => `A store has at most ${what}: ${then}`)]
  assert.deepEqual(await atOnce('/rules', () => aGoal()), tooMany('200 loyalty rules', 'archive one first'))
  const change = 'change one that is not needed any more'
  assert.deepEqual(await atOnce('/templates', () => aTemplate()), tooMany('200 coupon templates', change))
  const tier = (i: number) => ({ name: `T${i}`, entry_rules: { min_orders: 1 } })
  assert.deepEqual(await atOnce('/tiers', tier), tooMany('100 loyalty tiers', change))
  const [first] = (await loyalty('GET', '/rules')).body.data
  await loyalty('DELETE', `/rules/${first.id}`)
  assert.equal((await loyalty('POST', '/rules', aGoal())).status, 200)
  const { body } = await loyalty('GET', '/tiers')
  const moved = await Promise.all([3, 4].map((i) => loyalty('PATCH', `/tiers/${body.data[i].id}`, { order: 500 })))
  assert.deepEqual(moved.map(({ status }) => status).toSorted(), [200, 400])
})

test('two changes of one rule at once are both kept', async () => {
  const { loyalty } = await aShop()
  const { id } = (await loyalty('POST', '/rules', aGoal())).body
  await Promise.all([
    loyalty('PATCH', `/rules/${id}`, { name: 'Other' }),
    loyalty('PATCH', `/rules/${id}`, { description: 'Words' }),
    loyalty('PATCH', `/rules/${id}`, { end_date: '2026-12-31' })
  ])
  const { name, description, end_date } = (await loyalty('GET', `/rules/${id}`)).body
  assert.deepEqual([name, description, end_date], ['Other', 'Words', '2026-12-31'])
})

test('rules that are too long for the metafield are refused, and can be shortened', async () => {
  const { store, loyalty, metafield } = await aShop()
  const ids = Array.from({ length: 100 }, (_, i) => String(9_000_000_000_000 + i))
  const long = { goal_amount: 1, product_ids: ids, collection_ids: ids }
  const created: Document[] = []
  for (;;) {
    const { status, body } = await loyalty('POST', '/rules', aGoal({ rules: long }))
    if (status !== 200) {
      assert.match(
        body.error.message,
        /^rules must be shorter, or another of the rules be shortened or removed: all of them come to \d+ bytes as the metafield svc_loyalty_rules, of which the platform takes at most 131072$/
      )
      break
    }
    created.push(body)
  }
  assert.ok(created.length > 30 && created.length < 200)
  const named = []
  for (const { id } of created) named.push(await loyalty('PATCH', `/rules/${id}`, { name: 'x'.repeat(255) }))
  const refused = named.find(({ status }) => status !== 200)!
  assert.match(refused.body.error.message, /^name must be shorter, or another of the rules/)
  assert.equal((await loyalty('PATCH', `/rules/${created[0]!.id}`, { rules: { goal_amount: 1 } })).status, 200)
  assert.equal((await metafield('svc_loyalty_rules')).length, created.length)
  await store.soundBooks()
})

test('each change records one fact, also what begins and ends by itself', async () => {
  const { store, loyalty, settle } = await aShop()
  const rule = (await loyalty('POST', '/rules', aGoal({ end_date: '2026-02-01' }))).body
  await loyalty('PATCH', `/rules/${rule.id}`, { name: 'Other' })
  assert.equal((await loyalty('PATCH', `/rules/${rule.id}`, { rules: {} })).status, 400)
  const tier = (await loyalty('POST', '/tiers', { name: 'Gold' })).body
  const template = (await loyalty('POST', '/templates', aTemplate({ starts_at: '2026-02-01T00:00:00Z' }))).body
  await store.advance({ to: '2026-02-03T00:00:00Z' })
  await settle()
  const facts = await db.inStore(store.storeId, ({ tx, storeId }) =>
    tx.many(
      row({ name: text, id: int }),
      sql`select name, (data ->> 'id')::bigint as id from facts
           where store_id = ${storeId} and name like 'loyalty%' order by name, id`
    )
  )
  assert.deepEqual(
    facts.map(({ name, id }) => [name, id]),
    [
      ...[1, 2, 3].map(() => ['loyalty_rule.changed', rule.id]),
      ...[1, 2].map(() => ['loyalty_template.changed', template.id]),
      ['loyalty_tier.changed', tier.id]
    ]
  )
})

test('`loyalty rule types` lists each type with its keys, its rewards and an example', async () => {
  const { data } = await document('loyalty', 'rule', 'types')
  assert.equal(data.length, 16)
  const { out } = await run(['loyalty', 'rule', 'types'])
  for (const { type, rules, sentence } of data) {
    assert.match(out, new RegExp(`^${type}: `, 'm'))
    for (const { key, accepts } of rules) assert.ok(out.includes(`    ${key}: ${accepts}`), key)
    assert.ok(out.includes(`  ${sentence}: --rules '`))
  }
})
