import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '#audit'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { atOnce } from '../../test/at-once.ts'
import { testDatabase } from '../../test/database.ts'
import { aStore, type BuiltStore } from '../../test/store-builder.ts'
import { changeCredits } from './change-credits.ts'
import { accountOf, at, moveTo, START } from './credit-account.test-helper.ts'
import { createCreditEngine } from './credit-engine.ts'
import { captureReservation, releaseReservation } from './end-reservation.ts'
import { findCredit, findCreditTotals } from './find-credit.ts'
import { forfeitCredit } from './forfeits/forfeit-credit.ts'
import { reserveCredit } from './reserve-credit.ts'
import { restoreCredit } from './restore-credit.ts'
import { transferCredit } from './transfer-credit.ts'

const { db } = await testDatabase()
const engine = createCreditEngine({ db })
const after = (minutes: number) => at(START).add({ minutes })

let last = 0
/** A store with one customer, and what is done with their credit. */
async function aCustomer() {
  const store = await aStore(db, { clockAt: at(START) })
  const memberId = await customer(store, '1')
  const change = (amountMinor: number, expiresAt: Temporal.Instant | null = null, who = memberId) =>
    store.inStore(async (ctx) => {
      const type = amountMinor > 0 ? ('manual_add' as const) : ('manual_deduct' as const)
      const asked = { memberId: who, type, amountMinor, reason: 'x', operationId: `r:${++last}`, expiresAt }
      const [outcome] = await changeCredits(ctx, [asked])
      return outcome!.refusal?.message ?? outcome!.credit!.availableMinor
    })
  const reserve = (amountMinor: number, minutes = 30, operationId = `r:${++last}`) =>
    store.inStore(async (ctx) => {
      const expiresAt = ctx.now.add({ minutes })
      const [outcome] = await reserveCredit(ctx, [
        { memberId, amountMinor, reason: 'checkout', operationId, expiresAt }
      ])
      return outcome!.reservation?.id ?? outcome!.refusal!.message
    })
  const held = (id: number | string) => id as number
  return {
    store,
    memberId,
    change,
    reserve,
    held,
    capture: (id: number | string, amountMinor?: number) =>
      store.inStore((ctx) =>
        captureReservation(ctx, memberId, held(id), amountMinor === undefined ? {} : { amountMinor })
      ),
    release: (id: number | string) => store.inStore((ctx) => releaseReservation(ctx, memberId, held(id))),
    /** Balance, reserved and available. */
    credit: async () => {
      const { balanceMinor, reservedMinor, availableMinor } = await store.inStore((ctx) => findCredit(ctx, memberId))
      return [balanceMinor, reservedMinor, availableMinor]
    },
    expire: async () => {
      while ((await engine.runOnce(store.storeId)) > 0);
    },
    lots: async () => (await accountOf(store, memberId)).lots.map(({ remainingMinor }) => remainingMinor),
    states: () =>
      store.inStore(({ tx, storeId }) =>
        tx.many(
          row({ status: text, abortedBy: nullable(text), capturedMinor: nullable(int) }),
          sql`select status, aborted_by, captured_minor from credit_reservations where store_id = ${storeId} order by id`
        )
      ),
    isRight: async () => {
      const { findings } = await store.inStore(audit)
      assert.deepEqual(
        findings.filter(({ check }) => check.startsWith('credit_')),
        []
      )
    }
  }
}

async function customer(store: BuiltStore, id: string) {
  const reported = [{ id, email: `c${id}@example.com`, firstName: null, lastName: null }]
  return (await store.inStore((ctx) => upsertCustomers(ctx, reported))).get(id)!.id
}

test('reserved credit is in the balance, and can be neither deducted nor reserved by others', async () => {
  const { memberId, change, reserve, credit, isRight } = await aCustomer()
  await change(1000)
  await reserve(700)
  assert.deepEqual(await credit(), [1000, 700, 300])
  const message = `amount is more than the available store credit: cust_${memberId} has 3.00 USD available, and 3.01 was requested`
  assert.equal(await change(-301), message)
  assert.equal(await reserve(301), message)
  assert.equal(await change(-300), 0)
  await isRight()
})

test('a capture is one redemption entry; what it leaves is available again', async () => {
  const { store, memberId, change, reserve, capture, credit, states, isRight } = await aCustomer()
  await change(1000)
  const { entry, reservation } = await capture(await reserve(700), 500)
  assert.deepEqual(await credit(), [500, 0, 500])
  assert.deepEqual(
    [entry.type, entry.amountMinor, entry.balanceAfterMinor, reservation.status, reservation.entryId],
    ['redemption', -500, 500, 'captured', entry.id]
  )
  assert.deepEqual(await states(), [{ status: 'captured', abortedBy: null, capturedMinor: 500 }])
  const { usedMinor, reconciledMinor } = await store.inStore((ctx) => findCreditTotals(ctx, memberId))
  assert.deepEqual([usedMinor, reconciledMinor], [500, 1000])
  await isRight()
})

test('a release leaves no entry and makes the credit available again', async () => {
  const { store, memberId, change, reserve, release, credit, states, isRight } = await aCustomer()
  await change(1000)
  await release(await reserve(700))
  assert.deepEqual(await credit(), [1000, 0, 1000])
  assert.equal((await accountOf(store, memberId)).entries, 1)
  assert.deepEqual(await states(), [{ status: 'aborted', abortedBy: 'released', capturedMinor: null }])
  await isRight()
})

test('what has ended can be neither captured nor released, and the error says how it ended', async () => {
  const { change, reserve, capture, release, store, credit, isRight } = await aCustomer()
  await change(1000)
  const [captured, released, lapsed] = [await reserve(100), await reserve(100), await reserve(100, 10)]
  await capture(captured)
  await release(released)
  await moveTo(store, after(10).toString())
  const rule = 'only an open reservation can be captured or released'
  for (const act of [capture, release]) {
    for (const [id, how] of [
      [captured, 'was captured at 2026-01-31T15:00:00.000Z'],
      [released, 'was released at 2026-01-31T15:00:00.000Z'],
      [lapsed, 'ended at 2026-01-31T15:10:00.000Z, when its time was over']
    ] as const) {
      const refused = { code: 'conflict', message: `Reservation scr_${id} ${how}; ${rule}` }
      await assert.rejects(act(id), refused)
    }
    await assert.rejects(act(999_999), { code: 'not_found' })
  }
  assert.deepEqual(await credit(), [900, 0, 900])
  await isRight()
})

test('more than is reserved cannot be captured', async () => {
  const { change, reserve, capture, credit } = await aCustomer()
  await change(1000)
  const id = await reserve(100)
  await assert.rejects(capture(id, 101), {
    message: 'amount must be at most 1.00 USD, which is reserved; 1.01 was requested'
  })
  assert.deepEqual(await credit(), [1000, 100, 900])
})

test('a reservation of another customer is not found', async () => {
  const { store, change, reserve } = await aCustomer()
  await change(1000)
  const id = await reserve(100)
  const other = await customer(store, '2')
  await change(1000, null, other)
  await assert.rejects(
    store.inStore((ctx) => captureReservation(ctx, other, id as number)),
    { code: 'not_found' }
  )
})

test('from its time on a reservation holds nothing, before the engine has ended it and after', async () => {
  const { store, change, reserve, credit, expire, states, isRight } = await aCustomer()
  await change(1000)
  await reserve(700, 10)
  await moveTo(store, after(9).toString())
  assert.deepEqual(await credit(), [1000, 700, 300])
  assert.deepEqual(await engine.nextDueAt(store.storeId), after(10))
  await moveTo(store, after(10).toString())
  assert.deepEqual(await credit(), [1000, 0, 1000])
  await expire()
  assert.deepEqual(await states(), [{ status: 'aborted', abortedBy: 'expired', capturedMinor: null }])
  assert.deepEqual(await credit(), [1000, 0, 1000])
  assert.equal(await engine.nextDueAt(store.storeId), null)
  await isRight()
})

test('what a reservation held is spent again as soon as its time is over, without the engine', async () => {
  const { store, change, reserve, states, isRight } = await aCustomer()
  await change(1000)
  await reserve(700, 10)
  await moveTo(store, after(10).toString())
  assert.equal(await change(-1000), 0)
  assert.deepEqual(await states(), [{ status: 'aborted', abortedBy: 'expired', capturedMinor: null }])
  await isRight()
})

test('the lots that expire first are held, and what others spend comes from the rest', async () => {
  const { change, reserve, capture, lots } = await aCustomer()
  await change(100, after(5000))
  await change(100, after(3000))
  await change(100)
  const id = await reserve(150)
  await change(-100)
  assert.deepEqual(await lots(), [100, 50, 50])
  await capture(id)
  assert.deepEqual(await lots(), [50])
})

test('held credit outlives its date until the reservation ends: captured it is spent, released it expires', async () => {
  for (const isCaptured of [true, false]) {
    const { store, change, reserve, capture, release, credit, expire, isRight } = await aCustomer()
    await change(100, after(10))
    await change(50)
    const id = await reserve(80, 60)
    await moveTo(store, after(20).toString())
    assert.deepEqual(await credit(), [150, 80, 50])
    await expire()
    assert.deepEqual(await credit(), [130, 80, 50])
    await isRight()
    if (isCaptured) await capture(id, 70)
    else await release(id)
    assert.deepEqual(await credit(), isCaptured ? [60, 0, 50] : [130, 0, 50])
    await expire()
    assert.deepEqual(await credit(), [50, 0, 50])
    await isRight()
  }
})

test('what was captured after its date is restored, for the time that it had left when it was reserved', async () => {
  const { store, memberId, change, reserve, capture, credit, expire, isRight } = await aCustomer()
  await change(100, after(10))
  await moveTo(store, after(4).toString())
  const id = await reserve(80, 60)
  await moveTo(store, after(20).toString())
  await expire()
  const { entry } = await capture(id, 70)
  await expire()
  assert.deepEqual(await credit(), [0, 0, 0])

  const type = 'redemption_restored' as const
  const restoration = { entryId: entry.id, memberId, type, reason: 'Order cancelled', operationId: 'restored' }
  const [outcome] = await store.inStore((ctx) => restoreCredit(ctx, [restoration]))
  assert.equal(outcome?.entry?.amountMinor, 70)
  await moveTo(store, after(25).toString())
  await expire()
  assert.deepEqual(await credit(), [70, 0, 70])
  await moveTo(store, after(26).toString())
  await expire()
  assert.deepEqual(await credit(), [0, 0, 0])
  await isRight()
})

test('a reservation whose time is over gives back credit past its date only to expire', async () => {
  const { store, change, reserve, credit, expire, isRight } = await aCustomer()
  await change(100, after(10))
  await change(50)
  await reserve(80, 60)
  await moveTo(store, after(60).toString())
  assert.deepEqual(await credit(), [150, 0, 50])
  await expire()
  assert.deepEqual(await credit(), [50, 0, 50])
  await isRight()
})

test('what a reservation held of credit past its date is neither deducted nor reserved once its time is over, also before the engine expires it', async () => {
  const { store, memberId, change, reserve, credit, states, isRight } = await aCustomer()
  await change(100, after(10))
  await change(50)
  await reserve(80, 60)
  await moveTo(store, after(60).toString())
  const refused = `amount is more than the available store credit: cust_${memberId} has 0.50 USD available, and 0.51 was requested`
  assert.equal(await change(-51), refused)
  assert.equal(await reserve(51), refused)
  assert.equal(await change(-50), 0)
  assert.deepEqual(await credit(), [100, 0, 0])
  assert.deepEqual(await states(), [{ status: 'aborted', abortedBy: 'expired', capturedMinor: null }])
  await isRight()
})

test('what is reserved is not forfeited', async () => {
  const { store, memberId, change, reserve, capture, credit, isRight } = await aCustomer()
  await change(1000)
  const id = await reserve(300)
  const forfeits = [{ memberId, reason: 'cancelled', operationId: 'forfeit' }]
  for (let times = 0; times < 2; times++) await store.inStore((ctx) => forfeitCredit(ctx, forfeits))
  assert.deepEqual(await credit(), [300, 300, 0])
  await capture(id)
  assert.deepEqual(await credit(), [0, 0, 0])
  await isRight()
})

test('a merge of customers ends the reservations of the one that is gone, and moves all of its credit', async () => {
  const { store, memberId, change, reserve, capture, credit, isRight } = await aCustomer()
  const other = await customer(store, '2')
  await change(1000)
  const id = await reserve(300)
  await store.inStore((ctx) => transferCredit(ctx, memberId, other, 'merge'))
  assert.deepEqual(await credit(), [0, 0, 0])
  assert.equal((await store.inStore((ctx) => findCredit(ctx, other))).availableMinor, 1000)
  await assert.rejects(capture(id), /was merged into another/)
  await isRight()
})

test('an operation reserves once, repeated in the same call or another', async () => {
  const { store, memberId, change, reserve, credit } = await aCustomer()
  await change(1000)
  const once = { memberId, amountMinor: 100, reason: 'x', operationId: 'once', expiresAt: after(30) }
  const twice = await store.inStore((ctx) => reserveCredit(ctx, [once, once]))
  assert.deepEqual(twice[0], twice[1])
  assert.equal(await reserve(100, 30, 'once'), twice[0]!.reservation!.id)
  assert.deepEqual(await credit(), [1000, 100, 900])
})

test('of two reservations at once, the second sees what the first has left', async () => {
  const { store, memberId, change, isRight } = await aCustomer()
  await change(1000)
  const wanted = (operationId: string) => [
    { memberId, amountMinor: 600, reason: 'x', operationId, expiresAt: after(30) }
  ]
  const second = await atOnce(
    store,
    (ctx) => reserveCredit(ctx, wanted('a')),
    (ctx) => reserveCredit(ctx, wanted('b'))
  )
  assert.match(String(second.status === 'fulfilled' && second.value[0]!.refusal?.message), /has 4\.00 USD available/)
  await isRight()
})

test('of a capture and a release at once one is carried out', async () => {
  const { store, memberId, change, reserve, credit, isRight } = await aCustomer()
  await change(1000)
  const id = (await reserve(600)) as number
  const second = await atOnce(
    store,
    (ctx) => captureReservation(ctx, memberId, id),
    (ctx) => releaseReservation(ctx, memberId, id)
  )
  assert.match(String(second.status === 'rejected' && second.reason.message), /was captured at/)
  assert.deepEqual(await credit(), [400, 0, 400])
  await isRight()
})

test('the tables refuse more reserved than there is, whatever the code does', async () => {
  const { store, change, reserve } = await aCustomer()
  await change(1000)
  await reserve(600)
  for (const spoil of [
    ({ storeId }: { storeId: number }) =>
      sql`update credit_accounts set balance_minor = 599 where store_id = ${storeId}`,
    ({ storeId }: { storeId: number }) => sql`update credit_lots set remaining_minor = 599 where store_id = ${storeId}`,
    ({ storeId }: { storeId: number }) =>
      sql`update credit_accounts set reserved_minor = 1001 where store_id = ${storeId}`,
    ({ storeId }: { storeId: number }) => sql`update credit_lots set reserved_minor = 1001 where store_id = ${storeId}`
  ]) {
    await assert.rejects(
      store.inStore((ctx) => ctx.tx.run(spoil(ctx))),
      /cover_reserved/
    )
  }
})
