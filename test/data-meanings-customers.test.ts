// What the fields of /data/customers and /data/members mean, each by its name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCredit, reserveCredit } from '#credits'
import { testServer } from '../src/http/server.test-helper.ts'
import { testDatabase } from './database.ts'
import { aMeantStore } from './meant-rows.ts'

const { db } = await testDatabase()
const { app } = testServer(db)
const aShop = (given?: object) => aMeantStore(db, app, given)
type Shop = Awaited<ReturnType<typeof aShop>>

const ADDED = 'total_store_credits_charged'
const TOTALS = {
  [ADDED]: '0.00',
  total_store_credit_used: '0.00',
  total_store_credit_refunded: '0.00',
  total_store_credit_disputed: '0.00',
  total_store_credit_forfeit: '0.00',
  total_store_credit_reconciled: '0.00'
}

test('formats: a customer of whom nothing else is known has empty texts, zero sums, whole counts and a boolean', async () => {
  const { member, only } = await aShop()
  await member({ platform_customer_id: '77', status: null, member_since: null })
  assert.deepEqual(await only('customers'), {
    shopify_customer_gid: '77',
    customer_email: 'ann@example.com',
    membership_type: 'PAYG',
    current_status: '',
    date_paused: '',
    date_of_last_charge: '',
    membership_start_date: '',
    membership_end_date: '',
    available_current_balance: '0.00',
    [ADDED]: '0.00',
    total_store_credit_used: '0.00',
    total_store_credit_disputed: '0.00',
    total_store_credit_refunded: '0.00',
    total_store_credit_forfeit: '0.00',
    last_store_forfeit_date: '',
    store_forfeit_history: '',
    total_store_credit_reconciled: '0.00',
    last_store_reconciled_date: '',
    store_reconciled_history: '',
    country_code: '',
    province: '',
    auto_charge_failed: false,
    failure_reasons: '',
    cancel_reason: '',
    ps_failure_reasons: '',
    ps_cancel_reason: '',
    ps_total_contracts: 0,
    ps_active_contracts: 0,
    vip_status_history: ''
  })
})

for (const [code, type, amountMinor, total, shown] of [
  [1, 'membership_charge', 700, ADDED, '7.00'],
  [2, 'manual_add', 700, 'total_store_credit_reconciled', '7.00'],
  [3, 'manual_deduct', -700, 'total_store_credit_reconciled', '-7.00'],
  [4, 'redemption', -700, 'total_store_credit_used', '7.00'],
  [6, 'refund', -700, 'total_store_credit_refunded', '7.00'],
  [7, 'forfeit', -700, 'total_store_credit_forfeit', '7.00'],
  [8, 'expired', -700, 'total_store_credit_forfeit', '7.00'],
  [9, 'reconciled', -700, 'total_store_credit_reconciled', '-7.00'],
  [10, 'churn_offer', 700, ADDED, '7.00'],
  [11, 'loyalty_reward', 700, ADDED, '7.00'],
  [12, 'import', 700, ADDED, '7.00'],
  [13, 'dispute', -700, 'total_store_credit_disputed', '7.00']
] as const) {
  test(`totals: an entry of type ${code} (${type}) counts in ${total} alone`, async () => {
    const { member, credit, rows } = await aShop()
    const memberId = await member({})
    // What is deducted was there before, as credit of an import.
    if (amountMinor < 0) await credit({ memberId, type: 'import', amountMinor: 10_000 })
    await credit({ memberId, type, amountMinor })
    const before = amountMinor < 0 ? { [ADDED]: '100.00' } : {}
    const balance = amountMinor < 0 ? '93.00' : '7.00'
    const expected = { ...TOTALS, ...before, [total]: shown, available_current_balance: balance }
    assert.deepEqual(await rows('customers', Object.keys(expected)), [expected])
  })
}

test('totals: what was restored (type 5) is no longer used, and the totals sum to the balance', async () => {
  const { member, credit, only } = await aShop()
  const memberId = await member({})
  await credit({ memberId, type: 'membership_charge', amountMinor: 10_000 })
  await credit({ memberId, type: 'manual_add', amountMinor: 500 })
  await credit({ memberId, type: 'manual_deduct', amountMinor: -800 })
  const redeemed = await credit({ memberId, type: 'redemption', amountMinor: -3000 })
  await credit({ memberId, type: 'redemption_restored', amountMinor: 1000, reversesId: redeemed })
  await credit({ memberId, type: 'refund', amountMinor: -600 })
  await credit({ memberId, type: 'dispute', amountMinor: -400 })
  await credit({ memberId, type: 'forfeit', amountMinor: -300 })
  // 100.00 - 20.00 - 6.00 - 4.00 - 3.00 - 3.00
  const expected = {
    [ADDED]: '100.00',
    total_store_credit_used: '20.00',
    total_store_credit_refunded: '6.00',
    total_store_credit_disputed: '4.00',
    total_store_credit_forfeit: '3.00',
    total_store_credit_reconciled: '-3.00',
    available_current_balance: '64.00'
  }
  assert.deepEqual(await only('customers', Object.keys(expected)), expected)
  assert.equal((await only('members')).balance_from_svc, '64.00')
})

test('available_current_balance leaves out what is reserved and what is past its date; balance_from_svc does not', async () => {
  const { store, member, credit, only } = await aShop()
  const memberId = await member({})
  await credit({ memberId, type: 'import', amountMinor: 5000 })
  const expiresAt = Temporal.Instant.from('2026-06-01T00:00:00Z')
  await credit({ memberId, type: 'import', amountMinor: 2000, expiresAt })
  await store.inStore((ctx) =>
    reserveCredit(ctx, [
      {
        memberId,
        amountMinor: 700,
        reason: 'checkout',
        operationId: 'held',
        expiresAt: Temporal.Instant.from('2026-06-15T13:00:00Z')
      }
    ])
  )
  assert.equal((await only('customers')).available_current_balance, '43.00')
  assert.equal((await only('members')).balance_from_svc, '70.00')
})

test('forfeit history and date: types 7 and 8, one a line, oldest first', async () => {
  const { member, credit, only } = await aShop()
  const memberId = await member({})
  await credit({ memberId, type: 'import', amountMinor: 5000 })
  await credit({ memberId, type: 'expired', amountMinor: -100, reason: 'Its\ndate', at: '2026-02-01T15:00:00Z' })
  await credit({ memberId, type: 'forfeit', amountMinor: -250, reason: 'Left', at: '2026-03-01T15:00:00Z' })
  await credit({ memberId, type: 'manual_deduct', amountMinor: -1, at: '2026-04-01T15:00:00Z' })
  const expected = {
    last_store_forfeit_date: '2026-03-01 10:00',
    store_forfeit_history: '2026-02-01 10:00 | -1.00 Its date\n2026-03-01 10:00 | -2.50 Left'
  }
  assert.deepEqual(await only('customers', Object.keys(expected)), expected)
})

test('reconciled history and date: types 2, 3 and 9; corrections of drift and transfers by a merge are left out', async () => {
  const { member, credit, only } = await aShop()
  const memberId = await member({})
  await credit({ memberId, type: 'manual_add', amountMinor: 500, reason: 'Sorry', at: '2026-02-01T15:00:00Z' })
  await credit({ memberId, type: 'manual_deduct', amountMinor: -100, reason: 'Oops', at: '2026-02-02T15:00:00Z' })
  await credit({ memberId, type: 'reconciled', amountMinor: 25, reason: 'Counted', at: '2026-02-03T15:00:00Z' })
  const marked = { memberId, type: 'reconciled', amountMinor: 1000 } as const
  await credit({ ...marked, mark: 'drift', at: '2026-02-04T15:00:00Z' })
  await credit({ ...marked, mark: 'merge', at: '2026-02-05T15:00:00Z' })
  const expected = {
    total_store_credit_reconciled: '24.25',
    last_store_reconciled_date: '2026-02-03 10:00',
    store_reconciled_history:
      '2026-02-01 10:00 | 5.00 Sorry\n2026-02-02 10:00 | -1.00 Oops\n2026-02-03 10:00 | 0.25 Counted'
  }
  assert.deepEqual(await only('customers', Object.keys(expected)), expected)
})

test('date_of_last_charge is the latest entry of type 1', async () => {
  const { member, credit, only } = await aShop()
  const memberId = await member({})
  await credit({ memberId, type: 'membership_charge', amountMinor: 500, at: '2026-02-01T15:00:00Z' })
  await credit({ memberId, type: 'membership_charge', amountMinor: 500, at: '2026-03-01T15:00:00Z' })
  await credit({ memberId, type: 'churn_offer', amountMinor: 500, at: '2026-04-01T15:00:00Z' })
  assert.equal((await only('customers')).date_of_last_charge, '2026-03-01 10:00')
})

/** A customer with contracts, each of a plan and with these fields. */
async function withContracts(shop: Shop, ...contracts: ['vip' | 'elite' | 'product' | 'no plan', object][]) {
  const memberId = await shop.member({})
  const plans = new Map<string, number>()
  const ids: number[] = []
  for (const [type, fields] of contracts) {
    if (type !== 'no plan' && !plans.has(type)) plans.set(type, await shop.plan(`Plan ${type}`, type))
    const plan_id = plans.get(type) ?? null
    ids.push(await shop.subscription({ member_id: memberId, plan_id, ...fields }))
  }
  return { memberId, ids }
}
const paused = { status: 'paused', paused_at: '2026-03-01T15:00:00Z' }
const over = (status: string, at: string, cancel_reason = 'order_issues', cancel_comment: string | null = null) => ({
  status,
  cancelled_at: at,
  cancel_reason,
  cancel_comment
})

test('current_status is that of the liveliest membership: ACTIVE before PAUSED before the one that ended last', async () => {
  const january = '2026-01-20T15:00:00Z'
  const february = '2026-02-20T15:00:00Z'
  for (const [contracts, status, type] of [
    [
      [
        ['elite', {}],
        ['vip', paused],
        ['vip', over('cancelled', february)]
      ],
      'ACTIVE',
      'Elite'
    ],
    [
      [
        ['vip', over('cancelled', february)],
        ['vip', paused]
      ],
      'PAUSED',
      'VIP'
    ],
    [
      [
        ['vip', over('failed', january)],
        ['elite', over('expired', february)]
      ],
      'EXPIRED',
      'PAYG'
    ],
    [
      [
        ['vip', over('cancelled', february)],
        ['product', {}]
      ],
      'CANCELLED',
      'Product Subscription'
    ],
    [[['product', over('cancelled', february)]], '', 'PAYG'],
    [[['no plan', paused]], '', 'Product Subscription']
  ] as [Parameters<typeof withContracts>[1][], string, string][]) {
    const shop = await aShop()
    await withContracts(shop, ...contracts)
    const { current_status, membership_type } = await shop.only('customers')
    assert.deepEqual([current_status, membership_type], [status, type], JSON.stringify(contracts))
  }
})

test('membership dates: the oldest start and the latest end are days, date_paused is of a membership that is paused now', async () => {
  const shop = await aShop()
  await withContracts(
    shop,
    ['vip', { ...over('cancelled', '2026-03-02T02:00:00Z'), created_at: '2026-01-10T02:00:00Z' }],
    ['vip', { ...over('failed', '2026-02-02T15:00:00Z'), created_at: '2026-01-15T15:00:00Z' }],
    ['vip', { ...paused, created_at: '2026-04-01T15:00:00Z' }],
    ['product', { ...over('cancelled', '2026-05-01T15:00:00Z'), created_at: '2026-01-01T15:00:00Z' }]
  )
  const expected = {
    membership_start_date: '2026-01-09',
    membership_end_date: '2026-03-01',
    date_paused: '2026-03-01 10:00'
  }
  assert.deepEqual(await shop.only('customers', Object.keys(expected)), expected)
})

test('cancel_reason and ps_cancel_reason are those of the last cancellation of their kind, empty while one is live', async () => {
  const reasons = ['cancel_reason', 'ps_cancel_reason']
  const early = '2026-02-01T15:00:00Z'
  const late = '2026-03-01T15:00:00Z'
  const ended = await aShop()
  await withContracts(
    ended,
    ['vip', over('cancelled', late, 'too_expensive')],
    ['vip', over('cancelled', early, 'order_issues')],
    ['product', over('cancelled', late, 'other', 'I moved')],
    ['product', over('cancelled', early, 'other')]
  )
  assert.deepEqual(await ended.only('customers', reasons), {
    cancel_reason: 'too_expensive',
    ps_cancel_reason: 'I moved'
  })
  const live = await aShop()
  await withContracts(
    live,
    ['vip', over('cancelled', late, 'too_expensive')],
    ['vip', paused],
    ['product', over('cancelled', late, 'other')],
    ['product', {}]
  )
  assert.deepEqual(await live.only('customers', reasons), { cancel_reason: '', ps_cancel_reason: '' })
})

test('ps_total_contracts and ps_active_contracts count product subscriptions, those without a plan of ours too', async () => {
  const shop = await aShop()
  const ended = over('cancelled', '2026-02-01T15:00:00Z')
  await withContracts(shop, ['product', {}], ['product', ended], ['product', paused], ['no plan', {}], ['vip', {}])
  const expected = { ps_total_contracts: 4, ps_active_contracts: 2 }
  assert.deepEqual(await shop.only('customers', Object.keys(expected)), expected)
})

test('auto_charge_failed and failure_reasons: the latest finished charge of any contract, and the unpaid cycle last attempted', async () => {
  const shop = await aShop()
  const { ids } = await withContracts(shop, ['vip', {}], ['product', {}])
  const [membership, product] = ids
  const failed = { status: 'failed', error_code: 'card_declined' }
  const first = { subscription_id: membership, ...failed, error_message: 'No funds', attempt_number: 1 }
  await shop.attempt({ ...first, completed_at: '2026-02-01T15:00:00Z' })
  await shop.attempt({ ...first, error_message: 'Again', attempt_number: 2, completed_at: '2026-02-02T15:00:00Z' })
  await shop.attempt({ ...first, error_message: 'Old', cycle_index: 1, completed_at: '2026-01-02T15:00:00Z' })
  await shop.attempt({ subscription_id: product, completed_at: '2026-02-01T16:00:00Z' })
  const expected = { auto_charge_failed: true, failure_reasons: 'No funds\nAgain', ps_failure_reasons: '' }
  assert.deepEqual(await shop.only('customers', Object.keys(expected)), expected)

  const paid = await aShop()
  const { ids: contracts } = await withContracts(paid, ['vip', {}], ['product', {}])
  const decline = { ...failed, error_message: 'No funds', completed_at: '2026-02-01T15:00:00Z' }
  await paid.attempt({ subscription_id: contracts[0], ...decline })
  await paid.attempt({ subscription_id: contracts[0], attempt_number: 2, completed_at: '2026-02-03T15:00:00Z' })
  await paid.attempt({ subscription_id: contracts[1], ...decline })
  assert.deepEqual(await paid.only('customers', Object.keys(expected)), {
    auto_charge_failed: false,
    failure_reasons: '',
    ps_failure_reasons: 'No funds'
  })
})

test('country_code and province are those of the newest order with an address', async () => {
  const { member, order, only } = await aShop()
  const member_id = await member({})
  await order({ member_id, country_code: 'DE', province: 'Hesse', processed_at: '2026-02-01T15:00:00Z' })
  await order({ member_id, country_code: 'US', province: 'Ohio', processed_at: '2026-01-01T15:00:00Z' })
  await order({ member_id, processed_at: '2026-03-01T15:00:00Z' })
  const expected = { country_code: 'DE', province: 'Hesse' }
  assert.deepEqual(await only('customers', Object.keys(expected)), expected)
})

test('vip_status_history has the changes of status of memberships, oldest first, one a line', async () => {
  const shop = await aShop()
  const { memberId, ids } = await withContracts(shop, ['vip', {}], ['product', {}])
  const [membership, product] = ids
  const happened = (kind: string, day: number, subscription_id = membership) =>
    shop.activity({ subscription_id, member_id: memberId, kind, occurred_at: `2026-02-0${day}T15:00:00Z` })
  await happened('paused', 2)
  await happened('created', 1)
  await happened('note', 3)
  await happened('resumed', 4)
  await happened('cancelled', 5)
  await happened('cancelled', 6, product)
  assert.equal(
    (await shop.only('customers')).vip_status_history,
    '2026-02-01 10:00 | ACTIVE\n2026-02-02 10:00 | PAUSED\n2026-02-04 10:00 | ACTIVE\n2026-02-05 10:00 | CANCELLED'
  )
})

test('vip_status_history of an imported contract begins with the status that it was imported with', async () => {
  const shop = await aShop()
  const { memberId, ids } = await withContracts(shop, ['vip', {}])
  const about = { subscription_id: ids[0], member_id: memberId }
  await shop.activity({ ...about, kind: 'imported', refs: { status: 'paused' }, occurred_at: '2026-02-01T15:00:00Z' })
  await shop.activity({ ...about, kind: 'resumed', occurred_at: '2026-02-02T15:00:00Z' })
  assert.equal(
    (await shop.only('customers')).vip_status_history,
    '2026-02-01 10:00 | PAUSED\n2026-02-02 10:00 | ACTIVE'
  )
})

test('which customers appear: /members has members only, /customers everybody; who was merged is in neither', async () => {
  const { member, rows } = await aShop()
  const kept = await member({ platform_customer_id: '1' })
  await member({ platform_customer_id: '2', status: null, member_since: null })
  await member({ platform_customer_id: '3', merged_into: kept })
  await member({ platform_customer_id: '4', status: 'cancelled' })
  const numbers = async (name: string) => (await rows(name)).map((row) => row.shopify_customer_gid)
  assert.deepEqual(await numbers('members'), ['1', '4'])
  assert.deepEqual(await numbers('customers'), ['1', '2', '4'])
})

test('a gift: members and customers name the holder, subscriptions and cancellations the payer', async () => {
  const { member, plan, subscription, activity, rows } = await aShop()
  const payer = await member({ platform_customer_id: '1' })
  const holder = await member({ platform_customer_id: '2' })
  const gift = { receiver_member_id: holder, gifted_at: '2026-01-05T12:00:00Z' }
  const id = await subscription({ member_id: payer, plan_id: await plan('Club', 'vip'), ...gift })
  await activity({ subscription_id: id, member_id: payer, kind: 'cancelled', occurred_at: '2026-02-01T15:00:00Z' })
  assert.deepEqual(await rows('customers', ['shopify_customer_gid', 'current_status']), [
    { shopify_customer_gid: '1', current_status: '' },
    { shopify_customer_gid: '2', current_status: 'ACTIVE' }
  ])
  for (const name of ['subscriptions', 'cancellation-reasons']) {
    assert.deepEqual(await rows(name, ['shopify_customer_gid']), [{ shopify_customer_gid: '1' }], name)
  }
})

test('available_current_balance leaves out credit past its date that a reservation past its time still holds', async () => {
  const { store, member, credit, only } = await aShop()
  const memberId = await member({})
  await credit({ memberId, type: 'import', amountMinor: 5000 })
  await credit({
    memberId,
    type: 'import',
    amountMinor: 2000,
    expiresAt: Temporal.Instant.from('2026-06-01T00:00:00Z')
  })
  const reserve = (amountMinor: number, expires: string) =>
    store.inStore((ctx) => {
      const [expiresAt, now] = [Temporal.Instant.from(expires), Temporal.Instant.from('2026-05-20T00:00:00Z')]
      return reserveCredit({ ...ctx, now }, [
        { memberId, amountMinor, reason: 'checkout', operationId: `held until ${expires}`, expiresAt }
      ])
    })
  // The first takes 7.00 of what is past its date by now; the second the rest of it, and 2.00 of what never is.
  await reserve(700, '2026-06-02T00:00:00Z')
  await reserve(1500, '2026-06-03T00:00:00Z')
  assert.equal((await only('customers')).available_current_balance, '50.00')
  const { availableMinor } = await store.inStore((ctx) => findCredit(ctx, memberId))
  assert.equal(availableMinor, 5000)
})

test('available_current_balance leaves out what refunds will take of a reservation past its time', async () => {
  const { store, member, credit, only } = await aShop()
  const memberId = await member({})
  await credit({ memberId, type: 'import', amountMinor: 1000 })
  const [now, expiresAt] = [
    Temporal.Instant.from('2026-05-20T00:00:00Z'),
    Temporal.Instant.from('2026-06-02T00:00:00Z')
  ]
  await store.inStore((ctx) =>
    reserveCredit({ ...ctx, now }, [{ memberId, amountMinor: 700, reason: 'checkout', operationId: 'held', expiresAt }])
  )
  await credit({ memberId, type: 'refund', amountMinor: -1000, isCapped: true, at: '2026-05-21T00:00:00Z' })
  const { availableMinor } = await store.inStore((ctx) => findCredit(ctx, memberId))
  assert.equal(availableMinor, 0)
  assert.equal((await only('members')).balance_from_svc, '7.00')
  assert.equal((await only('customers')).available_current_balance, '0.00')
})
