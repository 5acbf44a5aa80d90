// What operators do with reasons and offers: the admin API and the command line, against the Churn API and the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOffer, MAX_OFFERS, REASON_ALIASES } from '#churn'
import { sql } from '#kit/postgres'
import { adminOf } from './admin-calls.ts'
import { aChurnShop, EVERY_TWO_MONTHS, QUARTER_OFF, TEN_CREDIT } from './churn-shop.ts'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { call } = adminOf(service)
const { run, json: document } = commandLine(service)

async function aShop() {
  const shop = await aChurnShop(service)
  const churn = (method: string, path: string, body?: object) => call(shop, method, `/churn${path}`, body)
  /** What is wrong with a request, by field. */
  const problemsOf = async (method: string, path: string, body?: object): Promise<string[]> => {
    const { status, body: answer } = await churn(method, path, body)
    assert.equal(status, 400, JSON.stringify(answer))
    return answer.error.details.map(({ field, message }: any) => `${field} ${message}`)
  }
  const cli = (...args: string[]) => document('churn', ...args, '--store', shop.domain)
  /** The aliases of the Churn API, each with its offers. */
  const offered = async (query: Record<string, string> = {}): Promise<[string, number[]][]> =>
    (await shop.ask('GET', '/churn/offers', { key: shop.key, query })).body.map(({ alias, offers }: any) => [
      alias,
      offers.map(({ id }: any) => id)
    ])
  return { ...shop, churn, problemsOf, cli, offered }
}

const ALIASES = REASON_ALIASES.join(', ')
const anOffer = (over: object = {}) => ({ name: 'Stay', ...QUARTER_OFF, reasons: ['too_expensive'], ...over })

test('the nine reasons are renamed, moved, switched off and on by their alias, and the Churn API follows', async () => {
  const { churn, cli, offered, ask, key } = await aShop()
  const { data } = (await churn('GET', '/reasons')).body
  assert.deepEqual(
    data.map(({ alias, position, enabled }: any) => [alias, position, enabled]),
    REASON_ALIASES.map((alias, i) => [alias, 10 * (i + 1), true])
  )
  assert.deepEqual(data[1], {
    ...{ id: 2, alias: 'not_using_enough', title: 'I do not use it enough', description: null },
    ...{ position: 20, enabled: true }
  })
  const change = { title: 'Other things', description: 'Tell us.', position: 1 }
  const changed = await churn('PATCH', '/reasons/other', change)
  assert.deepEqual([changed.status, changed.body], [200, { id: 9, alias: 'other', ...change, enabled: true }])
  await cli('reason', 'update', '--alias', 'enough_items', '--enabled', 'no')
  assert.deepEqual((await offered()).map(([alias]: [string, number[]]) => alias).slice(0, 4), [
    ...['other', 'too_expensive', 'not_using_enough', 'not_need_subscription']
  ])
  assert.deepEqual(await offered({ cancellation_reason: 'enough_items' }), [])
  const [first] = (await ask('GET', '/churn/reasons', { key })).body
  assert.deepEqual(first, { id: 9, title: 'Other things', description: 'Tell us.', alias: 'other' })
  const kept = await cli('reason', 'update', '--alias', 'other', '--description', 'none', '--position', '90')
  assert.deepEqual(kept, {
    id: 9,
    alias: 'other',
    title: 'Other things',
    description: null,
    position: 90,
    enabled: true
  })
  const listed = await run(['churn', 'reason', 'list', '--store', (await aShop()).domain])
  assert.match(
    listed.out,
    /^ALIAS +ENABLED +POSITION +TITLE +DESCRIPTION\ntoo_expensive +true +10 +It is too expensive +-\n/
  )
})

test('what a reason cannot be is refused by its field', async () => {
  const { churn, problemsOf, domain } = await aShop()
  assert.deepEqual(
    await problemsOf('PATCH', '/reasons/other', { title: ' ', description: '', position: 0, enabled: 1 }),
    [
      'title must be a text of 1 to 100 characters that is not blank',
      'description must be a text of 1 to 500 characters, or null',
      'position must be a whole number from 1 to 100',
      'enabled must be true or false'
    ]
  )
  assert.deepEqual(await problemsOf('PATCH', '/reasons/other', { alias: 'mine' }), [
    'alias is not a field here; this body accepts title, description, position, enabled'
  ])
  const unknown = await churn('PATCH', '/reasons/moving', { enabled: false })
  assert.deepEqual(
    [unknown.status, unknown.body.error],
    [404, { code: 'not_found', message: `There is no cancellation reason moving; the reasons are ${ALIASES}` }]
  )
  const at = ['churn', 'reason', 'update', '--store', domain]
  assert.match((await run([...at, '--alias', 'other'])).err, /At least one of these flags is required: --title/)
  assert.match(
    (await run([...at, '--alias', '../offers', '--enabled', 'no'])).err,
    /no cancellation reason \.\.\/offers/
  )
})

test('an offer of each type goes from the command line to the Churn API, whole', async () => {
  const { cli, churn, ask, key, offered } = await aShop()
  const create = (type: string, rules: object, ...more: string[]) =>
    cli('offer', 'create', '--name', `A ${type}`, '--type', type, '--rules', JSON.stringify(rules), ...more)
  const discount = await create(
    ...(['discount_price', { discount_type: 'fixed_amount', discount_value: 4.5, recurring_cycle_limit: 3 }] as const),
    ...['--reasons', 'too_expensive,not_using_enough', '--description', 'Stay.', '--each-item', 'yes'],
    ...['--min-member-days', '30', '--min-days-since-offer', '90', '--in-trial', 'no']
  )
  const { created_at, updated_at, ...rest } = discount
  assert.deepEqual(rest, {
    ...{ id: discount.id, name: 'A discount_price', description: 'Stay.', type: 'discount_price' },
    rules: { discount_type: 'fixed_amount', discount_value: 4.5, recurring_cycle_limit: 3 },
    ...{ reasons: ['not_using_enough', 'too_expensive'], target_type: 'LINE_ITEM', applies_on_each_item: true },
    ...{ currency: 'USD', enabled: true },
    eligibility: { min_member_days: 30, min_days_since_offer: 90, in_trial: false }
  })
  assert.deepEqual([created_at, updated_at], [created_at, created_at])
  const delivery = await create(
    ...(['discount_price', { discount_type: 'percentage', discount_value: 100 }] as const),
    ...['--reasons', 'too_expensive', '--target', 'SHIPPING_LINE']
  )
  assert.deepEqual(
    [delivery.target_type, delivery.rules, delivery.eligibility],
    [
      'SHIPPING_LINE',
      { discount_type: 'percentage', discount_value: 100 },
      { min_member_days: 0, min_days_since_offer: 0, in_trial: true }
    ]
  )
  const frequency = await create(
    'change_frequency',
    { interval_count: 2, interval_name: 'month' },
    '--reasons',
    'other'
  )
  assert.deepEqual([frequency.target_type, frequency.rules], [null, { interval_count: 2, interval_name: 'month' }])
  const credit = await create('add_store_credits', { credit_amount: '10.00' }, '--reasons', 'other', '--enabled', 'no')
  assert.deepEqual([credit.rules, credit.enabled], [{ credit_amount: 10 }, false])
  assert.deepEqual((await churn('GET', '/offers')).body.data, [discount, delivery, frequency, credit])
  assert.deepEqual(await cli('offer', 'show', '--id', `${discount.id}`), discount)
  const shown = new Map(await offered())
  assert.deepEqual(
    [shown.get('too_expensive'), shown.get('not_using_enough'), shown.get('other')],
    [[discount.id, delivery.id], [discount.id], [frequency.id]]
  )
  const [reason] = (await ask('GET', '/churn/offers', { key, query: { cancellation_reason: 'not_using_enough' } })).body
  const { id, name, description, type, rules } = discount
  assert.deepEqual(reason.offers, [{ id, name, description, type, rules }])
  await cli('offer', 'enable', '--id', `${credit.id}`)
  await cli('offer', 'disable', '--id', `${frequency.id}`)
  assert.deepEqual(new Map(await offered()).get('other'), [credit.id])
})

test('what an offer cannot be is refused by its path, and the command line names the flags', async () => {
  const { problemsOf, churn, domain } = await aShop()
  assert.deepEqual(await problemsOf('POST', '/offers', {}), [
    'name is required and must be a text of 1 to 255 characters that is not blank',
    'type is required and must be discount_price, change_frequency or add_store_credits',
    'rules is required and must be an object with the keys of its type',
    `reasons is required and must be a list of at least one of ${ALIASES}`
  ])
  const eligibility = { min_member_days: -1, min_days_since_offer: 3661, in_trial: 'yes', country: 'DE' }
  assert.deepEqual(
    await problemsOf('POST', '/offers', {
      ...anOffer({
        name: '\t',
        description: '',
        type: 'gift',
        rules: [],
        reasons: 'other',
        enabled: 'yes',
        eligibility
      }),
      ...{ target_type: 'ALL', applies_on_each_item: 1, price: 3 }
    }),
    [
      'name must be a text of 1 to 255 characters that is not blank',
      'description must be a text of 1 to 1000 characters, or null',
      'type must be discount_price, change_frequency or add_store_credits',
      'rules must be an object with the keys of its type',
      `reasons must be a list of at least one of ${ALIASES}`,
      'target_type must be LINE_ITEM or SHIPPING_LINE',
      'applies_on_each_item must be true or false',
      'enabled must be true or false',
      'eligibility.min_member_days must be a whole number from 0 to 3660',
      'eligibility.min_days_since_offer must be a whole number from 0 to 3660',
      'eligibility.in_trial must be true or false',
      'eligibility.country is not a field here; this body accepts min_member_days, min_days_since_offer, in_trial',
      'price is not a field here; this body accepts name, description, type, rules, reasons, target_type, applies_on_each_item, enabled, eligibility'
    ]
  )
  const discount = (rules: object, over: object = {}) => anOffer({ type: 'discount_price', rules, ...over })
  const percentage = { discount_type: 'percentage', discount_value: 25 }
  const WHOLE = 'rules.discount_value must be a whole number from 1 to 100, since discount_type is percentage'
  const refused: [body: object, problems: string[]][] = [
    [
      discount({ discount_value: 0, recurring_cycle_limit: 0, interval_count: 1 }),
      [
        'rules.interval_count is not a field here, which are discount_type, discount_value, recurring_cycle_limit',
        'rules.discount_type is missing; it must be percentage or fixed_amount',
        'rules.discount_value must be a number above 0 to 1000000000 with at most 3 decimals',
        'rules.recurring_cycle_limit must be a whole number from 1 to 1000, or null'
      ]
    ],
    [discount({ ...percentage, discount_value: 12.5 }), [WHOLE]],
    [discount({ ...percentage, discount_value: 101 }), [WHOLE]],
    [
      discount({ discount_type: 'fixed_amount', discount_value: 4.555 }),
      ['rules.discount_value must be an amount with no more decimals than the currency of the shop has']
    ],
    [
      anOffer({ type: 'change_frequency', rules: { interval_count: 29, interval_name: 'quarter' } }),
      [
        'rules.interval_count must be a whole number from 1 to 28',
        'rules.interval_name must be day, week, month or year'
      ]
    ],
    [
      anOffer({ type: 'add_store_credits', rules: { credit_amount: 0 } }),
      ['rules.credit_amount must be an amount above 0 to 1000000000, with no more decimals than USD has']
    ],
    [discount(percentage, { reasons: [] }), [`reasons must be a list of at least one of ${ALIASES}`]],
    [
      discount(percentage, { reasons: ['other', 'moving'] }),
      [`reasons must be a list of at least one of ${ALIASES}, not "moving"`]
    ],
    [
      discount(percentage, { applies_on_each_item: true }),
      ['applies_on_each_item must be false, or discount_type must be fixed_amount']
    ],
    [
      discount(percentage, { target_type: 'SHIPPING_LINE' }),
      ['rules.discount_value must be 100 with discount_type percentage, since target_type is SHIPPING_LINE']
    ],
    [
      anOffer({ ...TEN_CREDIT, target_type: 'LINE_ITEM' }),
      ['target_type must be left out, since type is add_store_credits']
    ]
  ]
  for (const [body, problems] of refused) {
    assert.deepEqual(await problemsOf('POST', '/offers', body), problems, JSON.stringify(body))
  }
  assert.deepEqual((await churn('GET', '/offers')).body.data, [])
  const create = (...more: string[]) => run(['churn', 'offer', 'create', '--store', domain, '--name', 'Stay', ...more])
  const { code, err } = await create(
    ...['--type', 'discount_price', '--rules', '{"discount_type":"percentage","discount_value":101}'],
    ...['--reasons', 'moving', '--target', 'SHIPPING_LINE']
  )
  assert.deepEqual(
    [code, err],
    [
      1,
      `perennial: --rules (rules.discount_value) ${WHOLE.slice(21)}; --reasons must be a list of at least one of ${ALIASES}, not "moving"\n`
    ]
  )
  const delivery = ['--type', 'discount_price', '--rules', JSON.stringify(percentage), '--reasons', 'other']
  assert.match(
    (await create(...delivery, '--each-item', 'yes')).err,
    /: --each-item \(applies_on_each_item\) must be false/
  )
  assert.match(
    (await create(...delivery, '--min-member-days', '-1', '--in-trial', 'maybe', '--target', 'ALL')).err,
    /--min-member-days cannot be '-1'.*--in-trial cannot be 'maybe'|--target cannot be 'ALL'/
  )
})

test('a change leaves out what stays, replaces rules and reasons as a whole, and two at once are both kept', async () => {
  const { churn, problemsOf, cli } = await aShop()
  const eligibility = { min_member_days: 30, min_days_since_offer: 0, in_trial: true }
  const { id, created_at, updated_at, ...created } = (await churn('POST', '/offers', anOffer({ eligibility }))).body
  const change = async (body: object) => {
    const { status, body: answer } = await churn('PATCH', `/offers/${id}`, body)
    assert.equal(status, 200, JSON.stringify(answer))
    const { id: _, created_at: _created, updated_at: _updated, ...rest } = answer
    return rest
  }
  assert.deepEqual(await change({}), created)
  const rules = { discount_type: 'percentage', discount_value: 30 }
  assert.deepEqual(await change({ rules, reasons: ['other'] }), { ...created, rules, reasons: ['other'] })
  assert.deepEqual((await change({ eligibility: { in_trial: false } })).eligibility, {
    ...eligibility,
    in_trial: false
  })
  await Promise.all([change({ name: 'Other' }), change({ description: 'Words' }), change({ enabled: false })])
  const { name, description, enabled } = (await churn('GET', `/offers/${id}`)).body
  assert.deepEqual([name, description, enabled], ['Other', 'Words', false])
  assert.equal((await change({ description: null })).description, null)
  // Another type has other rules.
  assert.deepEqual(await problemsOf('PATCH', `/offers/${id}`, { type: 'add_store_credits' }), [
    'rules.discount_type is not a field here, which are credit_amount',
    'rules.discount_value is not a field here, which are credit_amount',
    'rules.credit_amount is missing; it must be an amount above 0 to 1000000000, with no more decimals than USD has'
  ])
  const credit = await cli(
    'offer',
    'update',
    '--id',
    `${id}`,
    '--type',
    'add_store_credits',
    '--rules',
    '{"credit_amount":5}'
  )
  assert.deepEqual([credit.type, credit.rules, credit.target_type], ['add_store_credits', { credit_amount: 5 }, null])
  const nothing = await run(['churn', 'offer', 'update', '--store', (await aShop()).domain, '--id', `${id}`])
  assert.match(nothing.err, /At least one of these flags is required: --name, .* or --enabled/)
})

test('an offer of another store and a text that is no number are not found; a store has at most 100, also for changes at once', async () => {
  const [mine, other] = [await aShop(), await aShop()]
  const theirs = await other.offer(QUARTER_OFF)
  for (const path of [`/offers/${theirs}`, '/offers/0', '/offers/sub_1', `/offers/${'9'.repeat(20)}`]) {
    const { status, body } = await mine.churn('GET', path)
    assert.deepEqual([status, body.error.code], [404, 'not_found'], path)
    assert.equal((await mine.churn('PATCH', path, { name: 'Mine' })).status, 404, path)
  }
  for (const path of [`/accepted-offers/${theirs}/revoke`, '/accepted-offers/x/revoke']) {
    assert.equal((await mine.churn('POST', path, {})).status, 404, path)
  }
  await db.inStore(mine.storeId, async (ctx) => {
    const rest = { description: null, target: null, isOfEachItem: false, minMemberDays: 0, minDaysSinceOffer: 0 }
    const input = { ...TEN_CREDIT, ...rest, name: 'Stay', reasons: ['other'], isForTrials: true, isOn: false }
    for (let i = 1; i < MAX_OFFERS; i++) await createOffer(ctx, input)
  })
  const done = await Promise.all([0, 1, 2].map(() => mine.churn('POST', '/offers', anOffer())))
  const tooMany = 'A store has at most 100 offers: change one that is not needed any more'
  assert.deepEqual(done.map(({ status, body }) => body.error?.message ?? status).toSorted(), [200, tooMany, tooMany])
})

test('amounts follow the currency of the shop', async () => {
  const { at } = await service.aStore({ currency: 'JPY' })
  const shop = { at }
  const credit = { type: 'add_store_credits', rules: { credit_amount: 0.5 } }
  const { body } = await call(shop, 'POST', '/churn/offers', anOffer(credit))
  assert.equal(
    body.error.message,
    'rules.credit_amount must be an amount above 0 to 1000000000, with no more decimals than JPY has'
  )
  const off = { type: 'discount_price', rules: { discount_type: 'fixed_amount', discount_value: 500 } }
  const created = (await call(shop, 'POST', '/churn/offers', anOffer(off))).body
  assert.deepEqual([created.rules.discount_value, created.currency], [500, 'JPY'])
})

test('an amount stays in the currency in which it was entered, until another is entered', async () => {
  const store = await service.aStore()
  const credit = { type: 'add_store_credits', rules: { credit_amount: 5.5 } }
  const { body: entered } = await call(store, 'POST', '/churn/offers', anOffer(credit))
  await db.inStore(store.storeId, ({ tx, storeId }) =>
    tx.run(sql`update stores set currency = 'JPY' where store_id = ${storeId}`)
  )
  const change = async (body: object) => (await call(store, 'PATCH', `/churn/offers/${entered.id}`, body)).body
  for (const one of [await change({ name: 'Renamed' }), await change({ enabled: false })]) {
    assert.deepEqual([one.rules.credit_amount, one.currency], [5.5, 'USD'])
  }
  const changed = await change({ rules: { credit_amount: 700 } })
  assert.deepEqual([changed.rules.credit_amount, changed.currency], [700, 'JPY'])
})

test('accepted offers are listed newest first by contract, offer and status, and one is revoked once', async () => {
  const {
    person,
    join,
    offer,
    accept,
    churn,
    cli,
    key,
    show,
    settle,
    onContract,
    offersOf,
    problemsOf,
    domain,
    soundRules
  } = await aShop()
  const ada = await person()
  const [vip, coffee] = [await join(ada, 'VIP'), await join(ada, 'Coffee')]
  const [off, often] = [await offer(QUARTER_OFF), await offer({ ...EVERY_TWO_MONTHS, name: 'Rarely' })]
  const query = { cancellation_reason: 'too_expensive' }
  assert.equal((await accept(vip.contractId, off, { key }, query)).status, 200)
  assert.equal((await accept(coffee.contractId, often, { as: ada })).status, 200)
  await settle()
  const listed = async (filter = ''): Promise<any[]> => (await churn('GET', `/accepted-offers${filter}`)).body.data
  const [rarely, quarter] = await listed()
  const { reward, accepted_at, updated_at, ...rest } = quarter
  assert.deepEqual(rest, {
    ...{ id: quarter.id, status: 'active', ended_by: null, subscription_id: vip.id, offer_id: off, name: 'Stay' },
    ...{ description: null, ...QUARTER_OFF, reason: 'too_expensive', contract_ended_at: null, ended_at: null }
  })
  assert.deepEqual(reward, (await offersOf(vip.contractId, key))[0].reward)
  assert.deepEqual([rarely.name, rarely.reason, rarely.subscription_id], ['Rarely', null, coffee.id])
  const ids = async (filter: string) => (await listed(filter)).map(({ id }) => id)
  const gid = `gid://platform/SubscriptionContract/${vip.contractId}`
  for (const named of [vip.id, vip.contractId, encodeURIComponent(gid)]) {
    assert.deepEqual(await ids(`?contract=${named}`), [quarter.id], named)
  }
  assert.deepEqual(await ids(`?offer=${often}`), [rarely.id])
  assert.deepEqual(await ids('?status=cancelled'), [])
  const page = (await churn('GET', '/accepted-offers?limit=1')).body
  assert.deepEqual([page.data.length, page.next], [1, String(rarely.id)])
  assert.deepEqual(await ids(`?before=${page.next}`), [quarter.id])

  // What operators see of it elsewhere goes too.
  assert.deepEqual(await onContract(vip.contractId), ['SVC: Stay (ref. …) 0/2'])
  const revoked = (await churn('POST', `/accepted-offers/${quarter.id}/revoke`, {})).body
  assert.deepEqual([revoked.id, revoked.status, revoked.ended_by], [quarter.id, 'cancelled', 'revoked'])
  assert.equal(revoked.reward.deleted_at, revoked.ended_at)
  await settle()
  assert.deepEqual(await onContract(vip.contractId), [])
  assert.equal((await show(vip.id)).offer, null)
  const again = await churn('POST', `/accepted-offers/${quarter.id}/revoke`, {})
  assert.deepEqual(
    [again.status, again.body.error.message],
    [409, `Accepted offer ${quarter.id} is over: it ended as revoked`]
  )
  const over = await cli('offer', 'revoke', '--id', `${rarely.id}`)
  assert.deepEqual([over.status, over.ended_by], ['cancelled', 'revoked'])
  await settle()
  assert.equal((await show(coffee.id)).interval_count, 1)
  const { data } = await cli('offer', 'accepted', '--contract', coffee.contractId, '--status', 'cancelled')
  assert.deepEqual(
    data.map(({ id }: any) => id),
    [rarely.id]
  )

  assert.deepEqual(await problemsOf('GET', '/accepted-offers?contract=ada&offer=x&status=over&limit=101&before=0'), [
    'offer must be the number of an offer',
    'status must be active or cancelled',
    'limit must be an integer from 1 to 100',
    'before must be the id of an accepted offer'
  ])
  assert.deepEqual(await problemsOf('GET', '/accepted-offers?contract=ada'), [
    "contract must be the platform's number of a contract, its global id, or a subscription id such as sub_24"
  ])
  for (const named of ['sub_999999', '999999']) {
    const { status, body } = await churn('GET', `/accepted-offers?contract=${named}`)
    assert.deepEqual([status, body.error.message], [404, `There is no contract ${named}`])
  }
  const wrong = await run(['churn', 'offer', 'accepted', '--store', domain, '--contract', 'ada'])
  assert.match(wrong.err, /^perennial: --contract must be the platform's number/)
  const none = await run(['churn', 'offer', 'accepted', '--store', domain, '--offer', '999'])
  assert.equal(none.out, 'No offers have been accepted yet.\n')
  await soundRules()
})

test('a preview says of each offer whether it may be accepted, if not why, and what it leads to', async () => {
  const { person, join, offer, accept, churn, cli, move, settle, problemsOf, domain, advance } = await aShop()
  const ada = await person()
  const vip = await join(ada, 'VIP')
  const quarter = await offer({ ...QUARTER_OFF, reasons: ['too_expensive', 'other'] })
  const often = await offer({ ...EVERY_TWO_MONTHS, reasons: ['other'] })
  const loyal = await offer({ ...TEN_CREDIT, minMemberDays: 30 })
  const off = await offer({ ...TEN_CREDIT, isOn: false })
  const much = await offer({ type: 'discount_price', rules: { discount_type: 'fixed_amount', discount_value: 29.01 } })
  await churn('PATCH', '/reasons/other', { enabled: false })
  const preview = async (contract = vip.contractId) =>
    (await churn('GET', `/preview?contract=${encodeURIComponent(contract)}`)).body
  const { offers, ...contract } = await preview()
  assert.deepEqual(contract, {
    ...{
      subscription_id: vip.id,
      contract_id: vip.contractId,
      customer_id: `cust_${/\d+$/.exec(contract.customer_id)}`
    },
    ...{ status: 'active', price: 29, currency: 'USD' }
  })
  const [first] = offers
  assert.deepEqual([first.offer.id, first.offer.rules.discount_value], [quarter, 25])
  const dates = (one: any) =>
    [one.preview.next_billing_date, one.preview.following_billing_date, one.preview.full_price_date].map(
      (at) => at?.slice(0, 10) ?? null
    )
  assert.deepEqual(
    [first.shown_for, first.may_accept, first.why_not, first.may_accept_with_key],
    [['too_expensive'], true, null, true]
  )
  assert.deepEqual(
    { ...first.preview, next_billing_date: '', following_billing_date: '', full_price_date: '' },
    {
      ...{ price_with_offer: 21.75, credit_amount: null, cycles: 2, interval: 'month', interval_count: 1 },
      ...{ next_billing_date: '', following_billing_date: '', full_price_date: '' }
    }
  )
  // The contract is billed on the last day of the month.
  assert.deepEqual(dates(first), ['2026-02-28', '2026-03-31', '2026-04-30'])
  assert.deepEqual([offers[1].offer.id, offers[1].shown_for, offers[1].may_accept], [often, [], true])
  assert.deepEqual([offers[1].preview.interval_count, ...dates(offers[1])], [2, '2026-02-28', '2026-04-30', null])
  const judged = ({ offer, may_accept, why_not, may_accept_with_key, preview }: any) => [
    ...[offer.id, may_accept, why_not?.replace(/\d{4}-\S+Z/, '…') ?? null, may_accept_with_key],
    preview?.credit_amount ?? null
  ]
  assert.deepEqual(offers.slice(2).map(judged), [
    [
      ...[loyal, false],
      'This offer is not for this contract at present: the customer has been one since …, and the offer is for customers of at least 30 days',
      ...[true, 10]
    ],
    [off, false, 'The offer is switched off', false, null],
    [much, false, 'This offer does not fit this contract: it takes off more than the contract costs', false, null]
  ])
  await advance({ to: '2026-03-03T00:00:00Z' })
  assert.equal((await preview()).offers[2].may_accept, true)
  assert.equal((await accept(vip.contractId, often, { as: ada })).status, 200)
  await settle()
  const ACTIVE = 'This contract already has an active offer'
  assert.deepEqual(
    (await preview(vip.id)).offers.map((one: any) => one.why_not),
    [...[ACTIVE, ACTIVE, ACTIVE, 'The offer is switched off', ACTIVE]]
  )
  await churn('PATCH', `/offers/${quarter}`, { eligibility: { min_days_since_offer: 10 } })
  const [{ id: acceptedId }] = (await churn('GET', '/accepted-offers')).body.data
  await churn('POST', `/accepted-offers/${acceptedId}/revoke`, {})
  await settle()
  const revoked = await preview()
  assert.match(revoked.offers[0].why_not, /the customer accepted an offer on \S+Z, less than 10 days ago$/)
  assert.equal(revoked.offers[1].why_not, 'This offer was already used on this contract')
  await move(vip.id, 'cancel')
  const ended = await cli('preview', '--contract', vip.contractId)
  assert.deepEqual(
    [ended.status, ...ended.offers.slice(0, 2).map((one: any) => [one.why_not, one.may_accept_with_key, one.preview])],
    [
      'cancelled',
      ['This contract has ended: an offer cannot be applied to it', false, null],
      ['This contract has ended: an offer cannot be applied to it', false, null]
    ]
  )
  const { out } = await run(['churn', 'preview', '--store', domain, '--contract', vip.contractId])
  assert.match(out, /^subscription_id +sub_\d+\ncontract_id +\d+\n/)
  assert.match(
    out,
    /\n\nID +NAME +SHOWN FOR +MAY ACCEPT +PRICE WITH OFFER +.* +WHY NOT\n\d+ +Stay +too_expensive +false +- /
  )
  assert.deepEqual(await problemsOf('GET', '/preview'), [
    "contract is required and must be the platform's number of a contract, its global id, or a subscription id such as sub_24"
  ])
  assert.equal((await churn('GET', '/preview?contract=sub_999999')).status, 404)
})

test('the price and the dates of a preview come true', async () => {
  const { person, join, offer, accept, churn, charged, show } = await aShop()
  const ada = await person()
  const [vip, coffee] = [await join(ada, 'VIP'), await join(ada, 'Coffee')]
  const [quarter, often] = [await offer(QUARTER_OFF), await offer(EVERY_TWO_MONTHS)]
  const previewOf = async (contract: string, offerId: number) =>
    (await churn('GET', `/preview?contract=${contract}`)).body.offers.find((one: any) => one.offer.id === offerId)
      .preview
  const [off, rarely] = [await previewOf(vip.id, quarter), await previewOf(coffee.id, often)]
  await accept(vip.contractId, quarter, { as: ada })
  await accept(coffee.contractId, often, { as: ada })
  const nextDates = async () => [(await show(vip.id)).next_billing_date, (await show(coffee.id)).next_billing_date]
  assert.deepEqual(await nextDates(), [off.next_billing_date, rarely.next_billing_date])
  assert.deepEqual(await charged(vip.id, '2026-03-02T00:00:00Z'), [off.price_with_offer, off.price_with_offer])
  assert.deepEqual(await nextDates(), [off.following_billing_date, rarely.following_billing_date])
  assert.deepEqual(await charged(vip.id, '2026-04-02T00:00:00Z'), [off.price_with_offer, off.price_with_offer])
  assert.equal((await show(vip.id)).next_billing_date, off.full_price_date)
  assert.deepEqual(await charged(vip.id, '2026-05-02T00:00:00Z'), [29, 29])
})

test('a preview names the trial that an offer is not for', async () => {
  const { person, join, offer, churn, plan } = await aShop()
  await plan({ name: 'Taste', type: 'vip', price: '29.00', trial_days: 9 })
  const taste = await join(await person(), 'Taste')
  await offer({ ...TEN_CREDIT, isForTrials: false })
  await offer(EVERY_TWO_MONTHS)
  const whyNot = async () =>
    (await churn('GET', `/preview?contract=${taste.id}`)).body.offers.map((one: any) => one.why_not)
  assert.deepEqual(await whyNot(), [
    'This offer is not for this contract at present: the contract is in its trial, and the offer is not for trials',
    null
  ])
})
