// What came of offers, in the overview and in the report, from the Churn API to the command line, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql, text } from '#kit/postgres'
import { adminOf } from './admin-calls.ts'
import { aChurnShop, EVERY_TWO_MONTHS, QUARTER_OFF, TEN_CREDIT } from './churn-shop.ts'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { call } = adminOf(service)
const { run, json: document } = commandLine(service)

async function aShop() {
  const shop = await aChurnShop(service)
  let people = 0
  const member = async (plan = 'VIP') => shop.join(await shop.person(`m${people++}@example.com`), plan)
  /** Shown, accepted and saved. */
  const overview = async (query = 'period=365d'): Promise<number[]> => {
    const { churn } = (await service.get(`/analytics/overview?${query}`, shop.key)).body.data
    return [churn.offers_shown, churn.offers_accepted, churn.saved]
  }
  const report = async (query = ''): Promise<any> => {
    const { status, body } = await call(shop, 'GET', `/churn/report${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const stay = async (contractId: string, offer: number, query: Record<string, string> = {}) => {
    assert.equal((await shop.accept(contractId, offer, { key: shop.key }, query)).status, 200)
    await shop.settle()
  }
  /** Reads what programs are shown, and waits until so many are counted in all. */
  const show = async (query: Record<string, string>, counted: number) => {
    await shop.ask('GET', '/churn/offers', { key: shop.key, query })
    await until(`${counted} are counted as shown`, async () => {
      const { times } = await db.inStore(shop.storeId, ({ tx, storeId }) =>
        tx.one(
          row({ times: int }),
          sql`select coalesce(sum(times), 0)::bigint as times from churn_shown where store_id = ${storeId}`
        )
      )
      return times >= counted
    })
  }
  return { ...shop, member, overview, report, stay, show }
}

test('what is shown, accepted and saved is in the overview of its day, and follows how contracts end and live again', async () => {
  const shop = await aShop()
  const { member, overview, stay, show, settle, move, contract } = shop
  const [off, credit] = [
    await shop.offer(QUARTER_OFF),
    await shop.offer({ ...TEN_CREDIT, reasons: ['too_expensive', 'other'] })
  ]
  // The reason `too_expensive` with two offers; all nine, of which eight have none or one.
  await show({ cancellation_reason: 'too_expensive' }, 2)
  await show({}, 2 + 3 + 7)
  assert.deepEqual(await overview(), [5, 0, 0])

  const [stays, leaves, failed, expired, coffee] = [
    ...[await member(), await member(), await member(), await member(), await member('Coffee')]
  ]
  await stay(stays.contractId, off)
  for (const one of [leaves, failed, expired, coffee]) await stay(one.contractId, credit)
  assert.deepEqual(await overview('period=7d'), [5, 5, 5])
  const { data: plans } = await service.admin('GET', `${shop.at}/plans`)
  const ofPlan = (name: string) => overview(`plan_id=${plans.find((plan: any) => plan.name === name).id}`)
  assert.deepEqual(
    [await ofPlan('VIP'), await ofPlan('Coffee')],
    [
      [0, 4, 4],
      [0, 1, 1]
    ]
  )

  await move(leaves.id, 'cancel')
  await contract(failed.contractId).move('Fail')
  await contract(expired.contractId).move('Expire')
  await settle()
  assert.deepEqual(await overview(), [5, 5, 2])
  assert.deepEqual(
    [await ofPlan('VIP'), await ofPlan('Coffee')],
    [
      [0, 4, 1],
      [0, 1, 1]
    ]
  )
  await move(leaves.id, 'reactivate')
  assert.deepEqual(await overview(), [5, 5, 3])
  // An offer that is over has saved its contract as long as that lives.
  await shop.advance({ to: '2026-04-01T12:00:00Z' })
  assert.deepEqual(
    [await overview('period=30d'), await overview()],
    [
      [0, 0, 0],
      [5, 5, 3]
    ]
  )
  await move(leaves.id, 'cancel')
  assert.deepEqual(
    [await overview('period=30d'), await overview()],
    [
      [0, 0, 0],
      [5, 5, 2]
    ]
  )
  await shop.soundRules()
})

test('an offer that the platform refuses, or is still applying, is in no count', async () => {
  const shop = await aShop()
  const { member, overview, report } = shop
  const one = await member()
  const off = await shop.offer({ type: 'discount_price', rules: { discount_type: 'fixed_amount', discount_value: 30 } })
  assert.equal((await shop.accept(one.contractId, off, { key: shop.key })).status, 403)
  await db.inStore(shop.storeId, ({ tx, storeId }) =>
    tx.run(sql`
      insert into contract_offers (store_id, subscription_id, offer_id, name, type, currency, is_of_each_item, status, answer_by,
                                   accepted_at, updated_at)
      values (${storeId}, ${Number(one.id.split('_')[1])}, ${off}, 'Stay', 'discount_price', 'USD', false, 'applying',
              statement_timestamp() + interval '1 hour', '2026-01-31T15:00:00Z', '2026-01-31T15:00:00Z')`)
  )
  assert.deepEqual(await overview(), [0, 0, 0])
  assert.deepEqual((await report()).data, [])
})

test('the report says by month, reason and offer what stayed, of what is old enough', async () => {
  const shop = await aShop()
  const { member, report, stay, show, move, advance, domain } = shop
  const off = await shop.offer({ ...QUARTER_OFF, name: 'A quarter off' })
  const often = await shop.offer({ ...EVERY_TWO_MONTHS, name: 'Rarely', reasons: ['other'] })
  const members = []
  for (let i = 0; i < 4; i++) members.push(await member())
  await show({ cancellation_reason: 'too_expensive' }, 1)
  await show({ cancellation_reason: 'order_issues' }, 2)
  for (const one of members.slice(0, 3)) await stay(one.contractId, off, { cancellation_reason: 'too_expensive' })
  await stay(members[3]!.contractId, often)
  const none = { accepted: 0, active: 0 }
  const nothingYet = { after_30_days: none, after_60_days: none, after_90_days: none }
  const JANUARY = '2026-01'
  const ofOff = { month: JANUARY, reason: 'too_expensive', offer_id: off, offer_name: 'A quarter off' }
  const withoutOffer = {
    ...{ month: JANUARY, reason: 'order_issues', offer_id: null, offer_name: null, shown: 1, accepted: 0 },
    ...nothingYet
  }
  const ofRarely = { month: JANUARY, reason: null, offer_id: often, offer_name: 'Rarely' }
  assert.deepEqual(await report(), {
    ...{ months: 12, timezone: 'America/New_York' },
    data: [
      { ...ofOff, shown: 1, accepted: 3, ...nothingYet },
      withoutOffer,
      { ...ofRarely, shown: 0, accepted: 1, ...nothingYet }
    ],
    total: { shown: 1, accepted: 4, ...nothingYet }
  })

  await advance({ to: '2026-02-10T12:00:00Z' })
  await move(members[0]!.id, 'cancel')
  await advance({ to: '2026-03-20T12:00:00Z' })
  await move(members[1]!.id, 'cancel')
  await show({ cancellation_reason: 'too_expensive' }, 3)
  await advance({ to: '2026-04-10T12:00:00Z' })
  const stayed = (accepted: number, ...active: number[]) => ({
    ...{ after_30_days: { accepted, active: active[0]! }, after_60_days: { accepted, active: active[1]! } },
    after_90_days: none
  })
  const inApril = await report('?months=4')
  assert.deepEqual(inApril.data, [
    { ...ofOff, month: '2026-03', shown: 1, accepted: 0, ...nothingYet },
    { ...ofOff, shown: 1, accepted: 3, ...stayed(3, 2, 1) },
    withoutOffer,
    { ...ofRarely, shown: 0, accepted: 1, ...stayed(1, 1, 1) }
  ])
  assert.deepEqual(inApril.total, { shown: 2, accepted: 4, ...stayed(4, 3, 2) })
  assert.deepEqual(
    (await report('?months=3')).data.map(({ month }: any) => month),
    ['2026-03']
  )
  assert.deepEqual((await report('?months=1')).data, [])

  assert.deepEqual(await document('churn', 'report', '--store', domain, '--months', '4'), inApril)
  const { out } = await run(['churn', 'report', '--store', domain])
  assert.equal(
    out.replaceAll(/ +/g, ' ').replaceAll(` ${off} A`, ' OFF A').replaceAll(` ${often} R`, ' OFTEN R'),
    [
      'MONTH REASON OFFER ID OFFER SHOWN ACCEPTED AFTER 30 DAYS AFTER 60 DAYS AFTER 90 DAYS',
      '2026-03 too_expensive OFF A quarter off 1 0 - - -',
      '2026-01 too_expensive OFF A quarter off 1 3 2 of 3 1 of 3 -',
      '2026-01 order_issues - - 1 0 - - -',
      '2026-01 - OFTEN Rarely 0 1 1 of 1 1 of 1 -',
      'total - - - 2 4 3 of 4 2 of 4 -',
      ''
    ].join('\n')
  )
  const nothing = await run(['churn', 'report', '--store', domain, '--months', '1'])
  assert.equal(nothing.out, 'Nothing was shown or accepted in these months.\n')
  for (const months of ['0', '37', 'x', '1.5', '']) {
    const { status, body } = await call(shop, 'GET', `/churn/report?months=${months}`)
    assert.deepEqual([status, body.error.message], [400, 'months must be an integer from 1 to 36'], months)
  }
  assert.match((await run(['churn', 'report', '--store', domain, '--months', '37'])).err, /--months cannot be '37'/)
})

test('an answer without a body has shown nothing', async () => {
  const shop = await aShop()
  await shop.offer(QUARTER_OFF)
  const head = await shop.ask('HEAD', '/churn/offers', { key: shop.key, query: { cancellation_reason: 'other' } })
  assert.deepEqual([head.status, head.body], [200, null])
  // What is counted later is written with it or after it.
  await shop.show({ cancellation_reason: 'too_expensive' }, 1)
  const shown = await db.inStore(shop.storeId, ({ tx }) =>
    tx.many(
      row({ alias: text, times: int }),
      sql`select alias, times from churn_shown where store_id = ${shop.storeId}`
    )
  )
  assert.deepEqual(shown, [{ alias: 'too_expensive', times: 1 }])
})
