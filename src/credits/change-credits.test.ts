import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { testDatabase } from '../../test/database.ts'
import { aStore, type BuiltStore } from '../../test/store-builder.ts'
import { changeCredits } from './change-credits.ts'
import type { CreditChange } from './credit.ts'
import { accountOf, at, moveTo, START } from './credit-account.test-helper.ts'
import { createCreditEngine } from './credit-engine.ts'
import { findCredit } from './find-credit.ts'
import { listCreditEntries } from './list-credit-entries.ts'
import { listMembersWithDueLots, listSpendable } from './queries.ts'

const { db } = await testDatabase()

async function customers(store: BuiltStore, ...emails: string[]) {
  const recorded = emails.map((email, i) => ({ id: String(9_000_000 + i), email, firstName: null, lastName: null }))
  const known = await store.inStore((ctx) => upsertCustomers(ctx, recorded))
  return recorded.map(({ id }) => known.get(id)!.id)
}

const MARCH = at('2026-03-01T00:00:00Z')
const APRIL = at('2026-04-01T00:00:00Z')

const aStoreAt = (clock: string = START) => aStore(db, { clockAt: at(clock) })
let last = 0
const add = (memberId: number, amountMinor: number, over: Partial<CreditChange> = {}): CreditChange => ({
  memberId,
  type: 'manual_add',
  amountMinor,
  reason: 'goodwill',
  operationId: `test:${++last}`,
  ...over
})
const deduct = (memberId: number, amountMinor: number, over: Partial<CreditChange> = {}): CreditChange =>
  add(memberId, -amountMinor, { type: 'manual_deduct', reason: 'correction', ...over })
const change = (store: BuiltStore, ...changes: CreditChange[]) => store.inStore((ctx) => changeCredits(ctx, changes))

test('adding and deducting writes entry, account and event, and returns the account after each', async () => {
  const store = await aStoreAt()
  const [ada] = await customers(store, 'ada@example.com')
  const [added, deducted] = await change(store, add(ada!, 2500), deduct(ada!, 1000))

  assert.deepEqual(added, {
    entry: {
      id: added!.entry!.id,
      memberId: ada,
      position: 1,
      type: 'manual_add',
      amountMinor: 2500,
      balanceAfterMinor: 2500,
      reason: 'goodwill',
      orderId: null,
      operationId: added!.entry!.operationId,
      expiresAt: null,
      createdAt: at(START),
      reversesId: null,
      shortfallMinor: 0,
      mark: null
    },
    credit: { memberId: ada, balanceMinor: 2500, reservedMinor: 0, availableMinor: 2500, updatedAt: at(START) },
    isRepeated: false
  })
  assert.equal(deducted!.entry!.balanceAfterMinor, 1500)
  const account = await accountOf(store, ada!)
  assert.deepEqual(account.lots, [{ remainingMinor: 1500, expiresAt: null }])
  assert.deepEqual(account.events, [
    {
      type: 'store_credit.added',
      data: {
        transaction_id: `sct_${added!.entry!.id}`,
        customer: { id: `cust_${ada}`, email: 'ada@example.com' },
        amount: 25,
        currency: 'USD',
        previous_balance: 0,
        new_balance: 25,
        reason: 'goodwill',
        order_id: null
      }
    },
    {
      type: 'store_credit.deducted',
      data: {
        transaction_id: `sct_${deducted!.entry!.id}`,
        customer: { id: `cust_${ada}`, email: 'ada@example.com' },
        amount: 10,
        currency: 'USD',
        previous_balance: 25,
        new_balance: 15,
        reason: 'correction',
        order_id: null
      }
    }
  ])
})

test('each change is independent: a refused one writes nothing, and the others are applied', async () => {
  const store = await aStoreAt()
  const [ada, ben, eve] = await customers(store, 'ada@example.com', 'ben@example.com', 'eve@example.com')
  const outcomes = await change(
    store,
    add(ada!, 1000),
    deduct(ada!, 1001),
    deduct(ben!, 1),
    deduct(ada!, 1000),
    add(eve!, 5, { expiresAt: at(START) })
  )
  assert.deepEqual(
    outcomes.map(({ refusal }) => refusal?.message ?? null),
    [
      null,
      `amount is more than the available store credit: cust_${ada} has 10.00 USD available, and 10.01 was requested`,
      `amount is more than the available store credit: cust_${ben} has 0.00 USD available, and 0.01 was requested`,
      null,
      `expires_at must be a time after now, which is 2026-01-31T15:00:00.000Z`
    ]
  )
  assert.deepEqual(await store.inStore((ctx) => findCredit(ctx, ben!)), {
    memberId: ben,
    balanceMinor: 0,
    reservedMinor: 0,
    availableMinor: 0,
    updatedAt: null
  })
  const { balanceMinor, entries, lots, events } = await accountOf(store, ada!)
  assert.deepEqual(
    { balanceMinor, entries, lots, recorded: events.length },
    { balanceMinor: 0, entries: 2, lots: [], recorded: 2 }
  )
})

test('an operation happens once: repeated in the same call or another, it changes nothing', async () => {
  const store = await aStoreAt()
  const [ada] = await customers(store, 'ada@example.com')
  const once = add(ada!, 700)
  const [first, twin] = await change(store, once, once)
  const [again] = await change(store, once)
  assert.ok(first && !first.refusal && twin && !twin.refusal && again && !again.refusal)
  assert.deepEqual([first.isRepeated, twin.isRepeated, again.isRepeated], [false, true, true])
  assert.deepEqual(again.entry, first.entry)
  assert.deepEqual(twin.entry, first.entry)
  assert.equal(again.credit.balanceMinor, 700)
  assert.equal((await accountOf(store, ada!)).events.length, 1)
})

test('the lot that expires first is spent first, then the older one, and those without a date last', async () => {
  const store = await aStoreAt()
  const [ada] = await customers(store, 'ada@example.com')
  await change(
    store,
    add(ada!, 100),
    add(ada!, 200, { expiresAt: APRIL }),
    add(ada!, 300, { expiresAt: MARCH }),
    add(ada!, 400, { expiresAt: APRIL })
  )
  const left = async () =>
    (await accountOf(store, ada!)).lots.map((lot) => [
      lot.remainingMinor,
      lot.expiresAt?.toString().slice(0, 10) ?? null
    ])
  await change(store, deduct(ada!, 250))
  assert.deepEqual(await left(), [
    [50, '2026-03-01'],
    [200, '2026-04-01'],
    [400, '2026-04-01'],
    [100, null]
  ])
  // In one call with a newer lot that ends earlier still.
  await change(store, add(ada!, 10, { expiresAt: at('2026-02-01T00:00:00Z') }), deduct(ada!, 275))
  assert.deepEqual(await left(), [
    [385, '2026-04-01'],
    [100, null]
  ])
  await change(store, deduct(ada!, 485))
  assert.deepEqual(await left(), [])
})

test('credit past its date cannot be spent even before the engine expires it, and the entry is of type expired', async () => {
  const store = await aStoreAt()
  const [ada, ben] = await customers(store, 'ada@example.com', 'ben@example.com')
  await change(
    store,
    add(ada!, 300, { expiresAt: MARCH }),
    add(ada!, 500, { expiresAt: APRIL }),
    add(ada!, 50),
    add(ben!, 20, { expiresAt: MARCH }),
    deduct(ada!, 100)
  )
  const engine = createCreditEngine({ db })
  assert.deepEqual(await engine.nextDueAt(store.storeId), MARCH)
  assert.equal(await engine.runOnce(store.storeId), 0)

  await moveTo(store, '2026-03-01T00:00:00Z')
  const before = await store.inStore((ctx) => findCredit(ctx, ada!))
  assert.deepEqual([before.balanceMinor, before.availableMinor], [750, 550])
  const [refused, added] = await change(store, deduct(ada!, 551), add(ada!, 1))
  assert.match(refused!.refusal!.message, /has 5\.50 USD available, and 5\.51 was requested$/)
  assert.ok(added && !added.refusal)
  assert.deepEqual([added.credit.balanceMinor, added.credit.availableMinor], [751, 551])

  assert.equal(await engine.runOnce(store.storeId), 2)
  assert.equal(await engine.runOnce(store.storeId), 0)
  assert.deepEqual(await engine.nextDueAt(store.storeId), APRIL)
  const { balanceMinor, events } = await accountOf(store, ada!)
  assert.equal(balanceMinor, 551)
  const { transaction_id, ...recorded } = events.at(-1)!.data
  assert.deepEqual(
    [events.at(-1)!.type, recorded],
    [
      'store_credit.deducted',
      {
        customer: { id: `cust_${ada}`, email: 'ada@example.com' },
        amount: 2,
        currency: 'USD',
        previous_balance: 7.51,
        new_balance: 5.51,
        reason: 'expired',
        order_id: null
      }
    ]
  )
  const { rows } = await store.inStore((ctx) => listCreditEntries(ctx, ada!, { limit: 1, offset: 0 }))
  assert.deepEqual(
    [rows[0]!.type, rows[0]!.amountMinor, rows[0]!.operationId.split(':')[0]],
    ['expired', -200, 'expire']
  )
})

test('a balance beyond exact whole numbers is refused', async () => {
  const store = await aStoreAt()
  const [ada] = await customers(store, 'ada@example.com')
  const [most, one] = await change(store, add(ada!, Number.MAX_SAFE_INTEGER), add(ada!, 1))
  assert.equal(most!.refusal, undefined)
  assert.equal(one!.refusal!.message, 'amount would make the balance larger than can be stored')
})

test('spending reaches through any number of lots', async () => {
  const store = await aStoreAt()
  const [ada] = await customers(store, 'ada@example.com')
  await change(store, ...Array.from({ length: 700 }, () => add(ada!, 2)))
  const [spent] = await change(store, deduct(ada!, 1201))
  assert.equal(spent!.refusal, undefined)
  const { lots } = await accountOf(store, ada!)
  assert.equal(lots.length, 100)
  assert.deepEqual(lots[0], { remainingMinor: 1, expiresAt: null })
})

test('lots are read in the order of spending, no more than wanted, and members with due lots no more than a batch', async () => {
  const store = await aStoreAt()
  const [ada, ben] = await customers(store, 'ada@example.com', 'ben@example.com')
  await change(
    store,
    add(ada!, 100),
    add(ada!, 200, { expiresAt: APRIL }),
    add(ada!, 300, { expiresAt: MARCH }),
    add(ben!, 20, { expiresAt: APRIL })
  )
  const lots = await store.inStore((ctx) => listSpendable(ctx, [{ memberId: ada!, most: 2 }]))
  assert.deepEqual(
    lots.map(({ remainingMinor }) => remainingMinor),
    [300, 200]
  )
  await moveTo(store, '2026-04-01T00:00:00Z')
  assert.deepEqual(await store.inStore((ctx) => listMembersWithDueLots(ctx, 1)), [ada])
  assert.deepEqual(await store.inStore((ctx) => listMembersWithDueLots(ctx, 3)), [ada, ben])
})

test('a history page is newest first, with its exact total, at any offset', async () => {
  const store = await aStoreAt()
  const [ada, ben] = await customers(store, 'ada@example.com', 'ben@example.com')
  for (let i = 1; i <= 5; i++) await change(store, add(ada!, i), add(ben!, 100 + i))
  const page = (limit: number, offset: number) =>
    store.inStore((ctx) => listCreditEntries(ctx, ada!, { limit, offset }))
  const amounts = async (limit: number, offset: number) => {
    const { rows, total } = await page(limit, offset)
    return [rows.map((e) => e.amountMinor), total]
  }
  assert.deepEqual(await amounts(2, 0), [[5, 4], 5])
  assert.deepEqual(await amounts(2, 3), [[2, 1], 5])
  assert.deepEqual(await amounts(2, 4), [[1], 5])
  assert.deepEqual(await amounts(2, 5), [[], 5])
  assert.deepEqual(await amounts(2, 1_000_000_000), [[], 5])
})

test('two writers at once keep the sum, in any order', async () => {
  const store = await aStoreAt()
  const [ada, ben] = await customers(store, 'ada@example.com', 'ben@example.com')
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0
        ? change(store, add(ada!, 10), add(ben!, 10), deduct(ada!, 5))
        : change(store, add(ben!, 10), deduct(ada!, 5), add(ada!, 10))
    )
  )
  const { sum } = await store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ sum: int }),
      sql`select sum(amount_minor)::bigint as sum from credit_entries where store_id = ${storeId} and member_id = ${ada!}`
    )
  )
  assert.equal((await accountOf(store, ada!)).balanceMinor, sum)
  assert.equal((await accountOf(store, ben!)).balanceMinor, 200)
})

test('credit changes while another transaction has locked the members, as a billing run does', async () => {
  const store = await aStoreAt()
  const [ada, ben] = await customers(store, 'ada@example.com', 'ben@example.com')
  await store.inStore(async (ctx) => {
    await upsertCustomers(ctx, [{ id: '9000000', email: 'new@example.com', firstName: null, lastName: null }])
    const [added, refused] = await change(store, add(ada!, 100), deduct(ben!, 1))
    assert.deepEqual([added!.refusal, refused!.refusal?.code], [undefined, 'conflict'])
  })
})
