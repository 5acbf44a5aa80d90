import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit, auditStore } from '#audit'
import { int, row, sql } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { changeCredits } from './change-credits.ts'
import type { CreditChange } from './credit.ts'
import { accountOf, at, moveTo, START } from './credit-account.test-helper.ts'
import { createCreditEngine } from './credit-engine.ts'
import { findCredit, findCreditTotals } from './find-credit.ts'
import { listCreditEntries } from './list-credit-entries.ts'
import { reconcileCredit } from './reconcile-credit.ts'
import { redeemCredit } from './redeem-credit.ts'
import { reserveCredit } from './reserve-credit.ts'
import { giveBackCredit, restoreCredit } from './restore-credit.ts'
import { giveBackExcess, takeBackCredit } from './take-back-credit.ts'

const { db } = await testDatabase()
const engine = createCreditEngine({ db })
const day = (days: number) => at(START).add({ hours: 24 * days })

let last = 0
/** A store with one customer, an order of theirs, and what happens to the credit because of it. */
async function aCustomer() {
  const store = await aStore(db, { clockAt: at(START) })
  const reported = ['1', '2'].map((id) => ({ id, email: `c${id}@example.com`, firstName: null, lastName: null }))
  const known = await store.inStore((ctx) => upsertCustomers(ctx, reported))
  const [memberId, other] = ['1', '2'].map((id) => known.get(id)!.id) as [number, number]
  const { id: orderId } = await store.inStore(({ tx, storeId, now }) =>
    tx.one(
      row({ id: int }),
      sql`
      insert into orders (store_id, platform_order_id, member_id, name, number, currency, total_minor, tax_minor, discount_minor,
                          financial_status, tags, discount_codes, processed_at, platform_updated_at, created_at, updated_at)
      values (${storeId}, '1', ${memberId}, '#1', '1', 'USD', 6000, 0, 0, 'PAID', '{}', '{}', ${now}, ${now}, ${now}, ${now})
      returning id`
    )
  )
  const change = (type: CreditChange['type'], amountMinor: number, over: Partial<CreditChange> = {}) =>
    store.inStore(async (ctx) => {
      const asked = { memberId, type, amountMinor, reason: 'x', operationId: `t:${++last}`, ...over }
      return (await changeCredits(ctx, [asked]))[0]!
    })
  return {
    store,
    memberId,
    other,
    orderId,
    change,
    issue: (amountMinor: number, over: Partial<CreditChange> = {}) =>
      change('membership_charge', amountMinor, { orderId, ...over }),
    redeem: async (amountMinor: number, part?: string) => {
      const asked = { memberId, orderId, amountMinor, ...(part !== undefined && { part }) }
      return (await store.inStore((ctx) => redeemCredit(ctx, [asked])))[0]!.entry!
    },
    /** The type, amount and shortfall of each entry that a refund or dispute leads to. */
    takeBack: async (partMinor: number, cause: string, type: 'refund' | 'dispute' = 'refund') => {
      const ownerOf = () => memberId
      const asked = { orderId, ownerOf, type, share: { partMinor, wholeMinor: 6000 }, reason: type, cause }
      const outcomes = await store.inStore((ctx) => takeBackCredit(ctx, asked))
      return outcomes.map(({ entry }) => [entry!.amountMinor, entry!.shortfallMinor])
    },
    winDispute: async (cause = 'won') => {
      const asked = { orderId, ownerOf: () => memberId, type: 'dispute' as const, reason: 'won', cause }
      const outcomes = await store.inStore((ctx) => giveBackCredit(ctx, asked))
      return outcomes.map((outcome) => outcome?.entry?.amountMinor ?? null)
    },
    restore: (entryId: number, amountMinor?: number, over: object = {}) =>
      store.inStore(async (ctx) => {
        const restored = { type: 'redemption_restored', reason: 'restored', operationId: `t:${++last}` } as const
        const part = amountMinor === undefined ? {} : { amountMinor }
        const [outcome] = await restoreCredit(ctx, [{ entryId, memberId, ...restored, ...part, ...over }])
        return outcome!
      }),
    lots: async (who = memberId) =>
      (await accountOf(store, who)).lots.map(({ remainingMinor, expiresAt }) => [
        remainingMinor,
        expiresAt?.since(at(START)).total('days') ?? null
      ]),
    available: async (who = memberId) => (await store.inStore((ctx) => findCredit(ctx, who))).availableMinor,
    entries: async () =>
      (await store.inStore((ctx) => listCreditEntries(ctx, memberId, { limit: 50, offset: 0 }))).rows.toReversed(),
    totals: () => store.inStore((ctx) => findCreditTotals(ctx, memberId)),
    expire: async () => {
      while ((await engine.runOnce(store.storeId)) > 0);
    },
    isRight: async () => {
      const { findings } = await store.inStore(audit)
      assert.deepEqual(
        findings.filter(({ check }) => check.startsWith('credit_')),
        []
      )
    }
  }
}

test('a refund in parts takes back the credit of its order in proportion, rounded down, and all of it in the end', async () => {
  const { issue, change, takeBack, available, totals, isRight } = await aCustomer()
  await issue(1000)
  await change('manual_add', 500)
  assert.deepEqual(await takeBack(1000, 'refund:1'), [[-166, 0]])
  assert.deepEqual(await takeBack(2000, 'refund:2'), [[-167, 0]])
  // The same share again, as of a message that comes twice under another name: nothing is left to take for it.
  assert.deepEqual(await takeBack(2000, 'refund:3'), [])
  assert.deepEqual(await takeBack(1000, 'refund:late'), [])
  assert.deepEqual(await takeBack(6000, 'refund:4'), [[-667, 0]])
  assert.deepEqual(await takeBack(6000, 'refund:5'), [])
  assert.equal(await available(), 500)
  assert.equal((await totals()).refundedMinor, 1000)
  await isRight()
})

test('a refund takes at most what is available; the shortfall is on its entry, which names the entry that it reverses', async () => {
  const { store, memberId, issue, change, takeBack, entries, isRight } = await aCustomer()
  const { entry: issued } = await issue(1000)
  await change('manual_deduct', -900)
  const held = { memberId, amountMinor: 30, reason: 'x', operationId: 'held', expiresAt: day(1) }
  await store.inStore((ctx) => reserveCredit(ctx, [held]))
  assert.deepEqual(await takeBack(6000, 'refund:1'), [[-70, 930]])
  assert.deepEqual(await takeBack(6000, 'refund:2'), [])
  const taken = (await entries()).at(-1)!
  assert.deepEqual([taken.type, taken.reversesId, taken.balanceAfterMinor], ['refund', issued!.id, 30])
  await isRight()
})

test('a refund that can take nothing has an entry of its shortfall, and no event', async () => {
  const { store, memberId, issue, change, takeBack, isRight } = await aCustomer()
  await issue(1000)
  await change('manual_deduct', -1000)
  assert.deepEqual(await takeBack(6000, 'refund:1'), [[0, 1000]])
  const { entries, events } = await accountOf(store, memberId)
  assert.deepEqual([entries, events.length], [3, 2])
  await change('manual_add', 700)
  assert.deepEqual(await takeBack(6000, 'refund:2'), [])
  await isRight()
})

test('what is left of the credit of the refunded order goes first, then what expires first', async () => {
  const { issue, change, takeBack, lots } = await aCustomer()
  await change('manual_add', 100, { expiresAt: day(2) })
  await issue(300)
  await change('manual_add', 100, { expiresAt: day(5) })
  await takeBack(3000, 'refund:1')
  assert.deepEqual(await lots(), [
    [100, 2],
    [100, 5],
    [150, null]
  ])
  await change('manual_deduct', -220)
  assert.deepEqual(await lots(), [[130, null]])
  await change('manual_add', 100, { expiresAt: day(3) })
  await takeBack(6000, 'refund:2')
  assert.deepEqual(await lots(), [[80, 3]])
})

test('refunds and disputes of an order together take back no more than it has issued, in either order', async () => {
  for (const disputeFirst of [true, false]) {
    const { issue, change, takeBack, available, totals, isRight } = await aCustomer()
    await issue(1000)
    await change('manual_add', 5000)
    if (disputeFirst) {
      assert.deepEqual(await takeBack(6000, 'dispute:1', 'dispute'), [[-1000, 0]])
      assert.deepEqual(await takeBack(3000, 'refund:1'), [])
    } else {
      assert.deepEqual(await takeBack(3000, 'refund:1'), [[-500, 0]])
      assert.deepEqual(await takeBack(6000, 'dispute:1', 'dispute'), [[-500, 0]])
    }
    assert.equal(await available(), 5000)
    const { refundedMinor, disputedMinor } = await totals()
    assert.equal(refundedMinor + disputedMinor, 1000)
    await isRight()
  }
})

test('a won dispute gives back what it took, once, by a linked entry, to the lots that it came from', async () => {
  const { issue, change, takeBack, winDispute, entries, lots, totals, isRight } = await aCustomer()
  await issue(1000, { expiresAt: day(30) })
  await change('manual_deduct', -400)
  await change('manual_add', 100)
  assert.deepEqual(await takeBack(6000, 'dispute:1', 'dispute'), [[-700, 300]])
  assert.deepEqual(await lots(), [])
  assert.deepEqual(await winDispute(), [700])
  assert.deepEqual(await winDispute(), [700])
  assert.deepEqual(await winDispute('won again'), [null])
  assert.deepEqual(await lots(), [
    [600, 30],
    [100, null]
  ])
  const [taken, given] = (await entries()).slice(-2)
  assert.deepEqual([given!.type, given!.reversesId, given!.amountMinor], ['dispute', taken!.id, 700])
  assert.equal((await totals()).disputedMinor, 0)
  // After it the refund of the same order takes its share.
  assert.deepEqual(await takeBack(3000, 'refund:1'), [[-500, 0]])
  await isRight()
})

test('a won dispute leaves what a refund took, with its entry', async () => {
  const { issue, takeBack, winDispute, entries, available } = await aCustomer()
  await issue(1000)
  await takeBack(1500, 'refund')
  await takeBack(6000, 'dispute', 'dispute')
  assert.deepEqual(await winDispute(), [750])
  assert.deepEqual(
    (await entries()).map(({ type, amountMinor }) => [type, amountMinor]),
    [
      ['membership_charge', 1000],
      ['refund', -250],
      ['dispute', -750],
      ['dispute', 750]
    ]
  )
  assert.equal(await available(), 750)
})

test('of what was taken beyond the share, what was taken last comes back first', async () => {
  const { store, memberId, orderId, issue, takeBack, totals, isRight } = await aCustomer()
  await issue(1000)
  await takeBack(1500, 'refund')
  await takeBack(3000, 'dispute', 'dispute')
  const leave = (partMinor: number) => {
    const share = { partMinor, wholeMinor: 6000 }
    const asked = { orderId, ownerOf: () => memberId, share, reason: 'corrected', cause: `corrected:${partMinor}` }
    return store.inStore((ctx) => giveBackExcess(ctx, asked))
  }
  const taken = async () => {
    const { refundedMinor, disputedMinor } = await totals()
    return [refundedMinor, disputedMinor]
  }
  await leave(2400)
  assert.deepEqual(await taken(), [250, 150])
  await leave(600)
  assert.deepEqual(await taken(), [100, 0])
  await isRight()
})

test('a redemption is recorded once per order; what the customer did not have is its shortfall', async () => {
  const { store, change, redeem, available, entries, isRight } = await aCustomer()
  await change('manual_add', 500)
  const first = await redeem(300)
  assert.equal((await redeem(300)).id, first.id)
  assert.equal(await available(), 200)
  const short = await redeem(300, 'second transaction')
  assert.deepEqual([short.amountMinor, short.shortfallMinor], [-200, 100])
  assert.deepEqual(
    (await entries()).map(({ type }) => type),
    ['manual_add', 'redemption', 'redemption']
  )
  const { warnings } = await auditStore(db, store.storeId)
  assert.deepEqual(
    warnings.filter(({ check }) => check === 'credit_redemptions_covered').map(({ subject }) => subject),
    [`sct_${short.id}`]
  )
  await isRight()
})

test('a restored redemption returns to the lots that it was spent from, those that expire last first', async () => {
  const { change, redeem, restore, lots, totals, isRight } = await aCustomer()
  await change('manual_add', 100, { expiresAt: day(10) })
  await change('manual_add', 100, { expiresAt: day(20) })
  await change('manual_add', 100)
  const spent = await redeem(250)
  const part = await restore(spent.id, 70)
  assert.deepEqual(
    [part!.entry!.amountMinor, part!.entry!.reversesId, part!.entry!.type],
    [70, spent.id, 'redemption_restored']
  )
  assert.deepEqual(await lots(), [
    [20, 20],
    [100, null]
  ])
  await restore(spent.id)
  assert.deepEqual(await lots(), [
    [100, 10],
    [100, 20],
    [100, null]
  ])
  assert.equal(await restore(spent.id), null)
  assert.equal((await totals()).usedMinor, 0)
  await isRight()
})

test('credit whose date has passed meanwhile comes back for as long as it had left when it was spent', async () => {
  const { store, change, redeem, restore, lots, expire, isRight } = await aCustomer()
  await change('manual_add', 100, { expiresAt: day(10) })
  await change('manual_add', 100, { expiresAt: day(20) })
  await moveTo(store, day(4).toString())
  const spent = await redeem(150)
  await moveTo(store, day(12).toString())
  await restore(spent.id)
  assert.deepEqual(await lots(), [
    [100, 18],
    [100, 20]
  ])
  await moveTo(store, day(18).toString())
  await expire()
  assert.deepEqual(await lots(), [[100, 20]])
  await isRight()
})

test('a restoration never gives more than was redeemed, and an operation restores once', async () => {
  const { redeem, change, restore, available, isRight } = await aCustomer()
  await change('manual_add', 500)
  const spent = await redeem(300)
  await restore(spent.id, 200, { operationId: 'once' })
  const again = await restore(spent.id, 200, { operationId: 'once' })
  assert.equal(again?.refusal === undefined && again?.isRepeated, true)
  assert.equal((await restore(spent.id, 200))!.entry!.amountMinor, 100)
  assert.equal(await available(), 500)
  await isRight()
})

test('a redemption restored because its order was cancelled is marked', async () => {
  const { redeem, change, restore } = await aCustomer()
  await change('manual_add', 500)
  const { id } = await redeem(300)
  const restored = await restore(id, undefined, { mark: 'order_cancelled' })
  assert.equal(restored!.entry!.mark, 'order_cancelled')
})

test('a redemption is restored to whom its customer was merged into, with its dates', async () => {
  const { store, redeem, change, restore, other, lots, available, isRight } = await aCustomer()
  const added = await change('manual_add', 500, { expiresAt: day(9) })
  const spent = await redeem(500)
  await restore(spent.id, undefined, { memberId: other })
  assert.deepEqual([await available(), await available(other)], [0, 500])
  assert.deepEqual(await lots(other), [[500, 9]])
  const lotOf = await store.inStore(({ tx, storeId }) =>
    tx.one(row({ entryId: int }), sql`select entry_id from credit_lots where store_id = ${storeId}`)
  )
  assert.notEqual(lotOf.entryId, added.entry!.id, 'a lot of the restoration, not that of the other account')
  await isRight()
})

test('what was spent from credit with a date and credit without one comes back as credit without a date, also as one lot after a merge', async () => {
  const { change, redeem, restore, other, lots, isRight } = await aCustomer()
  await change('manual_add', 100, { expiresAt: day(10) })
  await change('manual_add', 100)
  const spent = await redeem(200)
  const part = await restore(spent.id, 150)
  assert.equal(part!.entry!.expiresAt, null)
  assert.deepEqual(await lots(), [
    [50, 10],
    [100, null]
  ])
  const again = await redeem(150, 'again')
  const moved = await restore(again.id, undefined, { memberId: other })
  assert.equal(moved!.entry!.expiresAt, null)
  assert.deepEqual(await lots(other), [[150, null]])
  await isRight()
})

test('reconciling brings the account to the given balance by one entry of the difference, and not below what is reserved', async () => {
  const { store, memberId, other, change, entries, isRight } = await aCustomer()
  await change('manual_add', 500)
  const reconcile = (balanceMinor: number, operationId: string, who = memberId, mark: 'drift' | null = null) =>
    store.inStore((ctx) => reconcileCredit(ctx, { memberId: who, balanceMinor, reason: 'counted', operationId, mark }))
  assert.equal((await reconcile(420, 'a')).entry!.amountMinor, -80)
  assert.equal((await reconcile(1, 'a')).entry!.amountMinor, -80)
  assert.equal((await reconcile(420, 'b')).entry, null)
  assert.equal((await reconcile(600, 'c')).entry!.amountMinor, 180)
  assert.equal((await reconcile(50, 'd', other, 'drift')).entry!.mark, 'drift')
  const held = { memberId, amountMinor: 100, reason: 'x', operationId: 'held', expiresAt: day(1) }
  await store.inStore((ctx) => reserveCredit(ctx, [held]))
  await assert.rejects(reconcile(99, 'e'), {
    message: 'balance must be at least 1.00 USD, which open reservations hold; 0.99 was given'
  })
  assert.equal((await reconcile(100, 'f')).entry!.amountMinor, -500)
  assert.deepEqual(
    (await entries()).slice(1).map(({ type }) => type),
    ['reconciled', 'reconciled', 'reconciled']
  )
  await isRight()
})

test('credit that is past its date and not expired yet is left out of the balance that is reconciled', async () => {
  const { store, memberId, change, entries, expire, available, isRight } = await aCustomer()
  await change('manual_add', 300, { expiresAt: day(1) })
  await change('manual_add', 500)
  await moveTo(store, day(2).toString())
  const { credit } = await store.inStore((ctx) =>
    reconcileCredit(ctx, { memberId, balanceMinor: 450, reason: 'counted', operationId: 'count' })
  )
  assert.equal(credit.availableMinor, 450)
  assert.equal((await entries()).at(-1)!.amountMinor, -50)
  await expire()
  assert.deepEqual([await available(), (await entries()).at(-1)!.balanceAfterMinor], [450, 450])
  await isRight()
})

test('whatever an order has issued is taken back: the charge, a churn offer, a loyalty reward; nothing else of it', async () => {
  const { orderId, issue, change, takeBack, isRight } = await aCustomer()
  await issue(1000)
  await change('churn_offer', 500, { orderId })
  await change('loyalty_reward', 300, { orderId })
  await change('manual_add', 200, { orderId })
  await change('import', 200, { orderId })
  assert.deepEqual(await takeBack(3000, 'refund'), [
    [-500, 0],
    [-250, 0],
    [-150, 0]
  ])
  await isRight()
})

test('each type of entry counts in its total, and the totals sum to the balance', async () => {
  const { store, memberId, change, totals, isRight } = await aCustomer()
  for (const [type, amountMinor] of [
    ['membership_charge', 10_000],
    ['manual_add', 2_000],
    ['manual_deduct', -100],
    ['redemption', -1_000],
    ['redemption_restored', 300],
    ['refund', -40],
    ['forfeit', -7],
    ['expired', -5],
    ['reconciled', 60],
    ['churn_offer', 900],
    ['loyalty_reward', 800],
    ['import', 700],
    ['dispute', -50],
    ['dispute', 20]
  ] as const) {
    assert.equal((await change(type, amountMinor)).refusal, undefined, type)
  }
  assert.deepEqual(await totals(), {
    chargedMinor: 12_400,
    usedMinor: 700,
    refundedMinor: 40,
    disputedMinor: 30,
    forfeitMinor: 12,
    reconciledMinor: 1_960,
    forfeitedAt: at(START),
    reconciledAt: at(START)
  })
  assert.equal((await store.inStore((ctx) => findCredit(ctx, memberId))).balanceMinor, 13_578)
  await isRight()
})

test('the date of the last manual adjustment leaves out what a merge or a correction of drift wrote', async () => {
  const { store, change, totals } = await aCustomer()
  await change('manual_add', 100)
  await moveTo(store, day(1).toString())
  for (const mark of ['merge', 'drift'] as const) await change('reconciled', 100, { mark })
  const { reconciledAt, reconciledMinor, forfeitedAt } = await totals()
  assert.deepEqual([reconciledAt, reconciledMinor, forfeitedAt], [at(START), 300, null])
  await change('expired', -1)
  assert.deepEqual((await totals()).forfeitedAt, day(1))
})

test('entries that older code writes without the totals are counted by the next change', async () => {
  const { store, memberId, change, totals } = await aCustomer()
  await change('manual_add', 100)
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`
      with entered as (
        insert into credit_entries (store_id, member_id, position, type, amount_minor, balance_after_minor, reason,
                                    operation_id, created_at)
        values (${storeId}, ${memberId}, 2, 1, 50, 150, 'x', 'older', ${now}) returning id),
      lot as (
        insert into credit_lots (store_id, entry_id, member_id, remaining_minor)
        select ${storeId}, id, ${memberId}, 50 from entered returning entry_id)
      update credit_accounts set balance_minor = 150, entries = 2 where store_id = ${storeId} and member_id = ${memberId}`)
  )
  assert.equal((await totals()).chargedMinor, 0)
  await change('manual_deduct', -10)
  const { chargedMinor, reconciledMinor } = await totals()
  assert.deepEqual([chargedMinor, reconciledMinor], [50, 90])
  const { findings } = await store.inStore(audit)
  assert.deepEqual(
    findings.filter(({ check }) => check !== 'credit_events_complete' && check.startsWith('credit_')),
    []
  )
})
