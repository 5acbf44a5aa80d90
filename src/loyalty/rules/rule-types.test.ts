// What each type of rules accepts, and what is made of it.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import fc from 'fast-check'
import { integer, type JsonField, type Money, meaning, moneyOf, readEntered, readStored } from '#kit/json-fields'
import type { FieldProblem } from '#kit/refusal'
import { FIXED_REWARDS, PER_UNIT_REWARDS, rewardField } from '../rewards/reward.ts'
import { COMMON_KEYS } from './common-keys.ts'
import { commonRuleKeys, describeRuleTypes } from './describe-rule-types.ts'
import { type LoyaltyRule, rewardJson, ruleRequired, ruleSentence, rulesJson } from './rule.ts'
import { defineRuleType, type RuleType } from './rule-type.ts'
import { RULE_TYPES, ruleTypeOf } from './rule-types.ts'
import { loyaltyRulesField, loyaltyRulesOf } from './rules-field.ts'

const dollars = moneyOf('USD')
/** As the documents have it: `describeRuleTypes` says what it accepts in the same words. */
const anyMoney = moneyOf(null)

const problemsOf = (field: JsonField<never>, given: unknown, name: string): string[] => {
  const problems: FieldProblem[] = []
  readEntered(field, given, name, problems)
  return problems.map(({ field, message }) => `${field} ${message}`)
}
const rulesProblems = (type: string, rules: object) =>
  problemsOf(ruleTypeOf(type).field(anyMoney) as never, rules, 'rules')
const rewardProblems = (type: string, reward: object) =>
  problemsOf(rewardField(ruleTypeOf(type).rewards, anyMoney) as never, reward, 'reward_rules')

/** A rule as it is read from what an operator enters, which must be accepted. */
function aRule(
  type: RuleType,
  { rules, reward_rules }: { rules: object; reward_rules: object },
  money: Money
): LoyaltyRule {
  const start = Temporal.PlainDate.from('2026-01-31')
  const now = Temporal.Instant.from('2026-01-31T15:00:00Z')
  const read = {
    rules: readStored(type.field(money), rules, 'rules'),
    reward: readStored(rewardField(type.rewards, money), reward_rules, 'reward_rules')
  }
  const about = { id: 7, name: 'Rule', description: '', isEnabled: true, startsOn: start, endsOn: null, version: 1 }
  return { ...about, ...read, type, isActive: true, money, countsFrom: null, createdAt: now, updatedAt: now }
}

const sentenceOf = (type: string, rules: object, reward_rules: object, money = dollars) =>
  ruleSentence(aRule(ruleTypeOf(type), { rules, reward_rules }, money))

test('there are the 16 types of the Loyalty API', () => {
  assert.deepEqual(
    RULE_TYPES.map(({ name, kind, required }) => [name, kind, typeof required]),
    [
      'anniversary_reward',
      'birthday_reward',
      'create_account',
      'custom_action',
      'customer_tag',
      'email_subscription',
      'goal_spend',
      'membership_recharge_punch_card',
      'points_for_purchases',
      'product_recharge_punch_card',
      'punch_card',
      'referral',
      'reviews',
      'sms_subscription',
      'social',
      'upload_receipt'
    ].map((name) => [
      name,
      name === 'birthday_reward' ? 'birthday' : name === 'referral' ? 'referral' : 'earn_points',
      'function'
    ])
  )
})

test('each key of each type refuses a wrong value by its path, and a key that is none', () => {
  for (const { type, keys, example } of describeRuleTypes()) {
    assert.deepEqual(rulesProblems(type, example.rules), [], type)
    for (const { key, accepts, default: usual } of [...keys, ...commonRuleKeys()]) {
      const [outer, inner] = key.split('.') as [string, string | undefined]
      const wrong = inner ? { [outer]: { [inner]: { not: 'this' } } } : { [outer]: { not: 'this' } }
      const problems = rulesProblems(type, { ...example.rules, ...wrong })
      // Of the reward inside a referral it is the kind that is missing.
      const expected =
        key === 'referred_reward'
          ? /^rules\.referred_reward\.reward_type is missing/
          : `rules.${key} must be ${accepts}`
      if (typeof expected === 'string') assert.deepEqual(problems, [expected], `${type}: ${key}`)
      else assert.match(problems.join(), expected)
      if (usual === null) {
        const without = Object.fromEntries(Object.entries(example.rules).filter(([name]) => name !== key))
        assert.deepEqual(rulesProblems(type, without), [`rules.${key} is missing; it must be ${accepts}`])
      }
    }
    assert.match(
      rulesProblems(type, { ...example.rules, colour: 'red' }).join(),
      /^rules\.colour is not a field here, which are/
    )
  }
})

test('each reward of each type refuses a wrong value of each key, and a reward that the type does not give', () => {
  const examples: Record<string, object> = {
    points: { amount: 10 },
    discount: { discount_type: 'percentage', discount_amount: 10 },
    free_product: { product_id: '7' },
    free_shipping: {},
    store_credit: { amount: '5.50' },
    subscription_discount: { discount_type: 'fixed_amount', discount_amount: 5.5, cycles: 3 },
    subscription_free_product: { product_id: 7 }
  }
  for (const { type, rewards } of describeRuleTypes()) {
    const isPerUnit = ruleTypeOf(type).rewards === PER_UNIT_REWARDS
    for (const { rewardType, keys } of rewards) {
      const given = { reward_type: rewardType, ...(isPerUnit ? {} : examples[rewardType]) }
      assert.deepEqual(rewardProblems(type, given), [], `${type}: ${rewardType}`)
      for (const { key, accepts, default: usual } of keys) {
        const wrong = { ...given, [key]: { not: 'this' } }
        assert.deepEqual(rewardProblems(type, wrong), [`reward_rules.${key} must be ${accepts}`])
        const without = Object.fromEntries(Object.entries(given).filter(([name]) => name !== key))
        const missing = usual === null ? [`reward_rules.${key} is missing; it must be ${accepts}`] : []
        assert.deepEqual(rewardProblems(type, without), missing)
      }
      assert.match(rewardProblems(type, { ...given, colour: 1 }).join(), /^reward_rules\.colour is not a field here/)
    }
    const must = isPerUnit ? 'must be points' : `must be one of ${FIXED_REWARDS.map(({ name }) => name).join(', ')}`
    assert.deepEqual(rewardProblems(type, { reward_type: 'coupon' }), [`reward_rules.reward_type ${must}`])
    assert.deepEqual(rewardProblems(type, {}), [`reward_rules.reward_type is missing; it ${must}`])
  }
  const perUnit = rewardProblems('points_for_purchases', { reward_type: 'points', amount: 5 })
  assert.deepEqual(perUnit, ['reward_rules.amount is not a field here, which are reward_type, message'])
  assert.deepEqual(
    rewardProblems('goal_spend', { reward_type: 'discount', discount_type: 'percentage', discount_amount: 100.5 }),
    ['reward_rules.discount_amount must be a percentage above 0 to 100 with at most 2 decimals']
  )
})

test('types whose keys all have a default accept {}', () => {
  const open = RULE_TYPES.filter(({ name }) => rulesProblems(name, {}).length === 0).map(({ name }) => name)
  assert.deepEqual(open, [
    'anniversary_reward',
    'birthday_reward',
    'create_account',
    'email_subscription',
    'points_for_purchases',
    'referral',
    'reviews',
    'sms_subscription',
    'upload_receipt'
  ])
})

test('keys that contradict each other are refused', () => {
  const settings = (customer_settings: object) => rulesProblems('create_account', { customer_settings })
  assert.deepEqual(settings({ apply_to: 'tags', tags: ['VIP'], action: 'exclude' }), [])
  assert.deepEqual(settings({ action: 'exclude' }), [
    'rules.customer_settings.action must be include where apply_to is all: the rule would be for nobody'
  ])
  assert.deepEqual(settings({ apply_to: 'tags' }), [
    'rules.customer_settings.tags must hold at least one tag where apply_to is tags'
  ])
  assert.deepEqual(settings({ apply_to: 'members', tags: ['VIP'] }), [
    'rules.customer_settings.tags must be left out, or apply_to must be tags'
  ])
  assert.deepEqual(rulesProblems('upload_receipt', { auto_approve: true }), [
    'rules.max_points must be a number where auto_approve is true: nobody looks at the receipt'
  ])
  assert.deepEqual(rulesProblems('referral', { validation_strategy: 'none', minimum_order: 5 }), [
    'rules.minimum_order must be 0 where validation_strategy is none: no order is waited for'
  ])
  assert.deepEqual(rulesProblems('referral', { referred_reward: { reward_type: 'subscription_discount' } }), [
    'rules.referred_reward.reward_type must be one of discount, free_product, free_shipping, points, store_credit'
  ])
})

test('texts that neither the database nor the platform takes are refused', () => {
  for (const tag of ['a\0', '\ud800', ' ', 'a,b', '']) {
    assert.deepEqual(rulesProblems('customer_tag', { tag }), [
      'rules.tag must be a tag of 1 to 255 characters without a comma'
    ])
  }
  const hidden = ['https://ada:secret@example.com/', 'https://instagram.com@example.com']
  for (const url of [
    'http://example.com',
    'javascript:alert(1)',
    'https://a b',
    'https://x"y',
    'https://',
    ...hidden
  ]) {
    assert.deepEqual(rulesProblems('social', { platform: 'x', url }), [
      'rules.url must be an address that begins with https://, without a user name or password'
    ])
  }
  for (const url of ['https://www.tiktok.com/@example', 'https://example.com?to=a@b.c', 'https://example.com']) {
    assert.deepEqual(rulesProblems('social', { platform: 'x', url }), [], url)
  }
})

test('each type says in a sentence what to do and what it gives', () => {
  assert.deepEqual(Object.fromEntries(describeRuleTypes().map(({ type, sentence }) => [type, sentence])), {
    anniversary_reward: 'Get $10 of store credit on each anniversary of your membership',
    birthday_reward: 'Get $5 off on your birthday',
    create_account: 'Create an account and get 100 points',
    custom_action: 'Get 25 points for quiz done',
    customer_tag: 'Get 250 points with the tag Ambassador',
    email_subscription: 'Subscribe to our e-mails and get free shipping',
    goal_spend: 'Spend $100 in all and get 500 points',
    membership_recharge_punch_card: 'Renew your membership 3 times and get a free product',
    points_for_purchases: 'Get 2 points for each $1 that you spend on an order of at least $20',
    product_recharge_punch_card: 'Renew your subscription 6 times and get 20% off',
    punch_card: 'Make 5 purchases of at least $20 each and get 10% off',
    referral: 'Refer a friend and get 500 points; your friend gets 15% off',
    reviews: 'Write a review and get 100 points',
    sms_subscription: 'Subscribe to our text messages and get 50 points',
    social: 'Visit us on Instagram and get 50 points',
    upload_receipt: 'Upload a receipt and get 1 point for each $1, at most 500 points'
  })
  const points = { reward_type: 'points', amount: 1 }
  assert.equal(
    sentenceOf('punch_card', { required_purchases: 1, minimum_order_amount: '19.90', resets: true }, points),
    'Make a purchase of at least $19.90 and get 1 point, every time'
  )
  assert.equal(
    sentenceOf('points_for_purchases', { points_per_dollar: 0.5 }, { reward_type: 'points' }, moneyOf('EUR')),
    'Get 0.5 points for each €1 that you spend'
  )
  assert.equal(
    sentenceOf(
      'membership_recharge_punch_card',
      { required_recharges: 1 },
      { reward_type: 'subscription_free_product', product_id: '7' }
    ),
    'Renew your membership once and get a free product with your next renewal'
  )
})

test('what completion needs: nothing, once, a count or whole units of money', () => {
  const required = (type: string, rules: object, money = dollars) => {
    const read = ruleTypeOf(type)
    return ruleRequired(aRule(read, { rules, reward_rules: read.example.reward_rules }, money))
  }
  assert.deepEqual(
    [
      required('points_for_purchases', {}),
      required('upload_receipt', {}),
      required('birthday_reward', {}),
      required('create_account', {}),
      required('punch_card', { required_purchases: 5 }),
      required('membership_recharge_punch_card', { required_recharges: 3 }),
      required('goal_spend', { goal_amount: '99.01' }),
      required('goal_spend', { goal_amount: '1.001' }, moneyOf('KWD')),
      required('goal_spend', { goal_amount: 1500 }, moneyOf('JPY')),
      required('custom_action', { action_key: 'a' }),
      required('custom_action', { action_key: 'a', one_time: true }),
      required('reviews', {}),
      required('reviews', { limit: null }),
      required('referral', {}),
      required('referral', { limit: 3 })
    ],
    [null, null, 1, 1, 5, 3, 100, 2, 1500, null, 1, 1, null, null, 3]
  )
})

type Schema = {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  maxItems?: number
} & {
  properties?: Record<string, Schema>
  required?: string[]
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
}

/** Values that a field may accept, by the schema that it has for the docs. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf))
  if (schema.type === 'null') return fc.constant(null)
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'integer') return fc.integer({ min: schema.minimum!, max: schema.maximum! })
  if (schema.type === 'number') {
    const max = Math.min(schema.maximum!, 1e7)
    return fc.oneof(
      fc.integer({ min: 0, max }),
      fc.integer({ min: 0, max: max * 100 }).map((hundredths) => hundredths / 100)
    )
  }
  if (schema.type === 'array') {
    return fc.array(valuesOf(schema.items!), { maxLength: Math.min(schema.maxItems!, 5) })
  }
  if (schema.type === 'object') {
    const properties = Object.entries(schema.properties!).map(([name, inner]) => [name, valuesOf(inner)] as const)
    return fc.record(Object.fromEntries(properties), { requiredKeys: schema.required ?? [] })
  }
  if (schema.pattern === '^\\d+$') return fc.bigInt({ min: 1n, max: 10n ** 19n }).map(String)
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern), { maxLength: 60 } as never)
  return fc.string({ unit: 'binary', minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength!, 60) })
}

test('every rule that is accepted is the same after its row and after its metafield', () => {
  for (const currency of ['USD', 'JPY', 'KWD']) {
    const money = moneyOf(currency)
    for (const type of RULE_TYPES) {
      let accepted = 0
      const given = fc.record({
        rules: valuesOf(type.field(money).schema as Schema),
        reward_rules: valuesOf(rewardField(type.rewards, money).schema as Schema)
      })
      fc.assert(
        fc.property(given, ({ rules, reward_rules }) => {
          const problems = [
            ...problemsOf(type.field(money) as never, rules, 'rules'),
            ...problemsOf(rewardField(type.rewards, money) as never, reward_rules, 'reward_rules')
          ]
          if (problems.length > 0) return
          accepted += 1
          const rule = aRule(type, { rules, reward_rules } as never, money)
          const stored = JSON.parse(JSON.stringify({ rules: rulesJson(rule), reward_rules: rewardJson(rule) }))
          assert.deepEqual(aRule(type, stored, money), rule)
          const text = JSON.stringify(loyaltyRulesField.write(loyaltyRulesOf([rule])))
          const [published] = readStored(loyaltyRulesField, JSON.parse(text), 'metafield')
          assert.deepEqual(published, loyaltyRulesOf([rule])[0])
          assert.deepEqual(readStored(type.field(money), published!.rules, 'rules'), rule.rules)
          assert.ok(published!.reward_text.length > 0)
        }),
        { numRuns: 60, seed: 7 }
      )
      assert.ok(accepted > 0, `${type.name} in ${currency}: ${accepted}`)
    }
  }
})

test('a type is one folder and one line: nothing else in the service knows its name', async () => {
  const here = new URL('./', import.meta.url)
  const entries = await readdir(here, { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const list = await readFile(new URL('rule-type-list.ts', here), 'utf8')
  const lines = list.split('\n').filter((line) => line.startsWith('export'))
  assert.deepEqual(
    lines.map((line) => /from '\.\/([a-z-]+)\/\1\.ts'$/.exec(line)?.[1]),
    folders.toSorted()
  )
  assert.deepEqual(
    folders.map((name) => name.replaceAll('-', '_')).toSorted(),
    RULE_TYPES.map(({ name }) => name)
  )
  const src = new URL('../../', here)
  const files = (await readdir(src, { recursive: true })).filter(
    (file) => /\.ts$/.test(file) && !/\.test(-helper)?\.ts$/.test(file)
  )
  // Words that mean something else too: the kind of rules in the metafield, fields of other objects, and a type of events that are reported.
  const words = ['referral', 'reviews', 'social', 'custom_action']
  const names = RULE_TYPES.map(({ name }) => name).filter((name) => !words.includes(name))
  for (const file of files) {
    const text = await readFile(new URL(file, src), 'utf8')
    const known = names.filter((name) => text.includes(`'${name}'`))
    const own = /loyalty\/rules\/([a-z-]+)\//.exec(file)?.[1]?.replaceAll('-', '_')
    // An example of the documents.
    const example = file.startsWith('http/') ? 'goal_spend' : null
    const elsewhere = known.filter((name) => name !== own && name !== example)
    assert.deepEqual(elsewhere, [], file)
  }
})

test('a type that is added is described, checked and published like the others', () => {
  const visits = defineRuleType({
    name: 'store_visits',
    kind: 'earn_points',
    help: 'A reward for visits of a shop.',
    keys: () => ({ required_visits: meaning('How many visits', integer(1, 10)) }),
    counts: {
      mode: 'sum',
      goal: ({ required_visits }) => required_visits,
      repeats: () => false,
      amounts: { visit: () => 1 }
    },
    rewards: FIXED_REWARDS,
    required: ({ required_visits }) => required_visits,
    example: { rules: { required_visits: 2 }, reward_rules: { reward_type: 'points', amount: 5 } },
    sentence: ({ required_visits }, { reward }) => `Visit us ${required_visits} times and get ${reward}`
  })
  const [described] = describeRuleTypes([visits])
  assert.deepEqual(
    [described!.keys, described!.sentence],
    [
      [
        {
          ...{
            key: 'required_visits',
            accepts: 'a whole number from 1 to 10',
            meaning: 'How many visits',
            default: null
          },
          schema: { type: 'integer', minimum: 1, maximum: 10 }
        }
      ],
      'Visit us 2 times and get 5 points'
    ]
  )
  assert.deepEqual(Object.keys(visits.field(dollars).shape), ['required_visits', ...Object.keys(COMMON_KEYS)])
  const rule = aRule(visits, visits.example, dollars)
  assert.equal(ruleRequired(rule), 2)
  const [published] = loyaltyRulesOf([rule])
  assert.deepEqual([published!.rule_type, published!.rules.required_visits], ['store_visits', 2])
})
