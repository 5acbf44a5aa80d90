// Pages by number: every row once, in order, whichever page is asked for, and without counting what lies before it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { endpointOf, planPage, readPageRequest } from '#exports'
import { int, row, sql, text, textList } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { aStore, type BuiltStore } from '../../test/store-builder.ts'
import { creditHidden, ledgerMarksExact } from './audit-rules.ts'
import type { EndpointName } from './endpoint.ts'
import { bringMarksUpToDate } from './pages/ledger-marks.ts'
import { fillStore } from './random-store.test-helper.ts'
import { type ExportedRow, readPlan } from './read-plan.test-helper.ts'

const { db, url } = await testDatabase()
const Wrong = row({ subject: text, message: text })

/** All pages of an endpoint with small pages, and what the whole is. */
async function pagesOf(store: BuiltStore, name: EndpointName, pageSize: number, query: Record<string, string> = {}) {
  const read = async (size: number, page: number) => {
    const endpoint = { ...endpointOf(name), pageSize: size }
    const request = readPageRequest(endpoint, { ...query, page: String(page) })
    return (await readPlan(url, await planPage(db, store.storeId, endpoint, request))).data
  }
  const pages: ExportedRow[][] = []
  for (let page = 1; page === 1 || pages.at(-1)!.length === pageSize; page++) pages.push(await read(pageSize, page))
  return { pages, whole: await read(100_000, 1), past: await read(pageSize, pages.length + 5) }
}

test('members: pages are the whole in parts, also after members came, went by a merge, and came between', async () => {
  const store = await aStore(db)
  await fillStore(store, 7, { customers: 400, orders: 10, subscriptions: 10, entries: 10 })
  const isRight = async () => {
    const { pages, whole, past } = await pagesOf(store, 'members', 17)
    assert.deepEqual(pages.flat(), whole)
    assert.deepEqual(past, [])
    const { rows } = await store.inStore(({ tx, storeId }) =>
      tx.one(
        row({ rows: int }),
        sql`select count(*) as rows from members where store_id = ${storeId} and status is not null and merged_into is null`
      )
    )
    assert.equal(whole.length, rows)
  }
  await isRight()
  const change = (statement: ReturnType<typeof sql>) => store.inStore(({ tx }) => tx.run(statement))
  const { storeId } = store
  await change(
    sql`update members set status = 'active', member_since = created_at where store_id = ${storeId} and id % 5 = 0`
  )
  await isRight()
  await change(sql`
    update members set merged_into = (select min(id) from members where store_id = ${storeId} and merged_into is null)
     where store_id = ${storeId} and id % 7 = 0 and merged_into is null
       and id <> (select min(id) from members where store_id = ${storeId} and merged_into is null)`)
  await isRight()
  const rolledBack = store.inStore(async ({ tx }) => {
    await tx.run(sql`update members set status = null, member_since = null where store_id = ${storeId}`)
    throw new Error('rolled back')
  })
  await assert.rejects(rolledBack, { message: 'rolled back' })
  await isRight()
})

/** What the rules of the ledger's pages find. */
const findings = (store: BuiltStore) =>
  store.inStore(async (ctx) => {
    const found = [ledgerMarksExact, creditHidden].map((rule) => ctx.tx.many(Wrong, rule.wrong(ctx)))
    return (await Promise.all(found)).flat().map(({ subject, message }) => `${subject} ${message}`)
  })

/** Adds entries to a store, one in nine of them a redemption, and returns what tests do with them. */
async function aLedger(store: BuiltStore, entries: number) {
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`
      insert into credit_entries (store_id, id, member_id, position, type, amount_minor, balance_after_minor, reason, operation_id,
        created_at)
      overriding system value
      select ${storeId}, 1000000 + n, m.id, 100000 + n, case n % 9 when 3 then 4 else 2 end,
             case n % 9 when 3 then -5 else 5 end, 0, 'n' || n, 'n' || n, ${now}
        from generate_series(1, ${entries}::integer) as n
        cross join (select min(id) as id from members where store_id = ${storeId}) m
       order by n
      on conflict (store_id, id) do nothing`)
  )
  /** Every page, and the whole by the definition of what is hidden. */
  const pagesAreRight = async () => {
    const { pages, whole, past } = await pagesOf(store, 'credits-history', 321)
    assert.deepEqual(pages.flat(), whole)
    assert.deepEqual(past, [])
    const { shown } = await store.inStore(({ tx, storeId }) =>
      tx.one(
        row({ shown: textList }),
        sql`
        with hidden as (
          select e.id from credit_entries e join credit_entries r on r.store_id = ${storeId} and r.reverses_id = e.id
           where e.store_id = ${storeId} and e.type = 4
           group by e.id, e.amount_minor having bool_or(r.mark = 'order_cancelled') and e.amount_minor + sum(r.amount_minor) >= 0)
        select array_agg(reason order by id desc) as shown from credit_entries
         where store_id = ${storeId} and id not in (select id from hidden)
           and (type <> 5 or reverses_id not in (select id from hidden))`
      )
    )
    assert.deepEqual(
      whole.map(({ body }) => body),
      shown
    )
    return whole
  }
  /** Gives back these redemptions, `parts` times as much as a third. */
  const restore = (which: string, parts: number, mark: string | null, beforeCommit = () => Promise.resolve()) =>
    store.inStore(async ({ tx, storeId, now }) => {
      await tx.run(sql`
        insert into credit_entries (store_id, id, member_id, position, type, amount_minor, balance_after_minor, reason, operation_id,
          created_at, reverses_id, mark)
        overriding system value
        select ${storeId}, newest.id + row_number() over (order by e.id), e.member_id, 2 * e.position + ${parts}::integer, 5, ${parts}::integer * 5 / 3, 0, e.reason || ' given back',
               e.operation_id || ${` given back ${parts}`}, ${now}, e.id, ${mark}
          from credit_entries e cross join (select max(id) as id from credit_entries where store_id = ${storeId}) newest
         where e.store_id = ${storeId} and e.type = 4 and e.reason ~ ${which} order by e.id`)
      await beforeCommit()
    })
  const countOf = async (what: ReturnType<typeof sql>) =>
    (await store.inStore(({ tx }) => tx.one(row({ rows: int }), what))).rows
  const uncounted = () =>
    countOf(
      sql`select count(*) as rows from hidden_credit_entries where store_id = ${store.storeId} and not is_counted`
    )
  return { pagesAreRight, restore, uncounted, countOf }
}

test('credits-history: newest first, over marks, with hidden entries between, of all and of one customer', async () => {
  const store = await aStore(db, { clockAt: Temporal.Instant.from('2026-11-01T00:00:00Z') })
  await fillStore(store, 3, { customers: 20, orders: 30, subscriptions: 5, entries: 150 })
  const { pagesAreRight, restore, uncounted, countOf } = await aLedger(store, 6500)
  await pagesAreRight()
  assert.ok((await countOf(sql`select count(*) as rows from export_marks where store_id = ${store.storeId}`)) >= 5)
  // Refunds gave back some in parts, or in whole without a cancellation: nothing is hidden.
  await restore('^n[0-9]*1$', 2, null)
  await restore('^n[0-9]*2$', 3, null)
  await pagesAreRight()
  const before = await uncounted()
  // Cancellations give back the rest, or everything; a mark that comes later hides what was given back before.
  await restore('^n[0-9]*1$', 1, 'order_cancelled')
  await restore('^n[0-9]*3$', 3, 'order_cancelled')
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`
      update credit_entries set mark = 'order_cancelled'
       where store_id = ${storeId} and type = 5 and reason ~ '^n[0-9]*2 given back'`)
  )
  await pagesAreRight()
  const few = await uncounted()
  assert.ok(few > before && few <= 1000, `${few} wait to be counted`)
  await restore('^n[0-9]*[456789]$', 3, 'order_cancelled')
  assert.ok((await uncounted()) > 1000)
  await pagesAreRight()
  assert.equal(await uncounted(), 0)
  await restore('^n[0-9]*0$', 3, 'order_cancelled')
  const whole = await pagesAreRight()

  const customer = String(whole[0]!.shopify_customer_gid)
  for (const given of [customer, `gid://platform/Customer/${customer}`]) {
    const own = await pagesOf(store, 'credits-history', 321, { shopify_customer_gid: given })
    assert.deepEqual(
      own.pages.flat(),
      whole.filter((one) => one.shopify_customer_gid === customer)
    )
  }
  for (const given of ['1', 'abc', 'gid://platform/Order/1', '']) {
    const { whole: none } = await pagesOf(store, 'credits-history', 321, { shopify_customer_gid: given })
    assert.deepEqual(none, [], given)
  }
})

test('credits-history: entries that are hidden while marks are set are counted once', async () => {
  const store = await aStore(db)
  await fillStore(store, 5, { customers: 5, orders: 5, subscriptions: 1, entries: 20 })
  const { pagesAreRight, restore, uncounted, countOf } = await aLedger(store, 6500)
  const marks = () => countOf(sql`select count(*) as rows from export_marks where store_id = ${store.storeId}`)
  const removeMarks = () =>
    store.inStore(({ tx, storeId }) => tx.run(sql`delete from export_marks where store_id = ${storeId}`))
  // While marks wait for a transaction that writes, it commits what it hides: the marks do not count what waits to be counted. On a busy
  // machine the wait may be over before it commits, or begin after that, so this is done until it came between.
  for (let round = 0, isBetween = false; !isBetween; round++) {
    assert.ok(round < 10, 'what was hidden never came between the count and the marks')
    await removeMarks()
    let marking = Promise.resolve()
    await restore(`^n[0-9]*${round}1$`, 3, 'order_cancelled', async () => {
      marking = store.inStore(bringMarksUpToDate)
      await pause(15)
    })
    await marking
    isBetween = (await marks()) > 0 && (await uncounted()) > 0
  }
  await pagesAreRight()
  await removeMarks()
  await store.inStore(async (ctx) => {
    await bringMarksUpToDate(ctx)
    // Not committed yet: another connection hides entries that lie before the new marks, and would count them into the marks that it sees.
    await restore('^n[0-9]*[023456789]$', 3, 'order_cancelled')
    await pagesAreRight()
    assert.equal(await marks(), 0)
  })
  assert.ok((await marks()) >= 6)
  await pagesAreRight()
  assert.equal(await uncounted(), 0)
  assert.deepEqual(await findings(store), [])
  // Each rule notices what it is for.
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update export_marks set hidden = hidden + 1 where store_id = ${storeId} and rank = 2000`)
  )
  assert.match(
    (await findings(store)).join(),
    /^sct_\d+ has \d+ hidden entries before it and at it; counted there are \d+$/
  )
  await store.inStore(async ({ tx, storeId }) => {
    await tx.run(sql`update export_marks set hidden = hidden - 1 where store_id = ${storeId} and rank = 2000`)
    await tx.run(sql`delete from hidden_credit_entries where store_id = ${storeId} and entry_id = (
      select max(entry_id) from hidden_credit_entries where store_id = ${storeId})`)
  })
  assert.match((await findings(store)).join(), /^sct_\d+ is to be hidden, and is shown$/)
})

test('credits-history: marks wait for a transaction that has a smaller id, which commits later and moves none of them', async () => {
  const store = await aStore(db)
  await fillStore(store, 6, { customers: 5, orders: 5, subscriptions: 1, entries: 20 })
  const { pagesAreRight, countOf } = await aLedger(store, 2500)
  const marks = () => countOf(sql`select count(*) as rows from export_marks where store_id = ${store.storeId}`)
  const [hasId, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const writer = store.inStore(async ({ tx, storeId, now }) => {
    await tx.run(sql`
      insert into credit_entries (store_id, id, member_id, position, type, amount_minor, balance_after_minor, reason, operation_id,
        created_at)
      overriding system value
      select ${storeId}, 1000000, min(id), 99999, 2, 5, 0, 'late', 'late', ${now} from members where store_id = ${storeId}`)
    hasId.resolve()
    await mayCommit.promise
  })
  await hasId.promise
  await store.inStore(bringMarksUpToDate)
  const early = await marks()
  // Pages do not need marks.
  await pagesAreRight()
  mayCommit.resolve()
  await writer
  await pagesAreRight()
  await store.inStore(bringMarksUpToDate)
  assert.deepEqual(await findings(store), [])
  await pagesAreRight()
  assert.deepEqual([early, await marks()], [0, 2])
})

test('credits-history: where marks are far behind and writers do not end, the answer is to try again', async () => {
  const store = await aStore(db)
  await fillStore(store, 6, { customers: 5, orders: 5, subscriptions: 1, entries: 20 })
  await aLedger(store, 101_000)
  const endpoint = endpointOf('credits-history')
  const plan = () => planPage(db, store.storeId, endpoint, readPageRequest(endpoint, {}))
  await store.inStore(async ({ tx, storeId, now }) => {
    await tx.run(sql`
      insert into credit_entries (store_id, member_id, position, type, amount_minor, balance_after_minor, reason, operation_id, created_at)
      select ${storeId}, min(id), 1, 2, 5, 5, 'late', 'late', ${now} from members where store_id = ${storeId}
      on conflict (store_id, member_id, position) do update set reason = credit_entries.reason`)
    await assert.rejects(plan(), {
      code: 'unavailable',
      message: 'The history is long and is being written: try again in a moment'
    })
  })
  assert.notEqual((await plan()).page, null)
})
