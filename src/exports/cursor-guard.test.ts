import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { changeCredits } from '#credits'
import { endpointOf, planPage, readPageRequest } from '#exports'
import { type Ctx, int, row, sql, text, waitForWriters } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { upsertCustomers } from '#members'
import { testDatabase } from '../../test/database.ts'
import { aStore, type BuiltStore } from '../../test/store-builder.ts'
import { readPlan } from './read-plan.test-helper.ts'

const { db, url } = await testDatabase()
const PAGE = 25
const small = { ...endpointOf('store-credits'), pageSize: PAGE }

async function readAfter(store: BuiltStore, sinceId: number) {
  const plan = await planPage(db, store.storeId, small, readPageRequest(small, { since_id: String(sinceId) }))
  const { data, meta } = await readPlan(url, plan)
  return {
    messages: data.map(({ message }) => message as string),
    lastId: meta.last_id as number,
    hasMore: meta.has_more
  }
}

const add = (ctx: Ctx, memberId: number, name: string) =>
  changeCredits(ctx, [{ memberId, type: 'manual_add', amountMinor: 1, reason: name, operationId: name }])

/** Adds an entry in a transaction that stays open with its id; the returned function commits it. */
async function addSlowly(store: BuiltStore, memberId: number, name: string): Promise<() => Promise<void>> {
  const [hasId, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = store.inStore(async (ctx) => {
    await add(ctx, memberId, name)
    hasId.resolve()
    await mayEnd.promise
  })
  await hasId.promise
  return () => {
    mayEnd.resolve()
    return slow
  }
}

let customers = 0
const aCustomer = (store: BuiltStore): Promise<number> =>
  store.inStore(async (ctx) => {
    const id = String(++customers)
    const known = await upsertCustomers(ctx, [{ id, email: null, firstName: null, lastName: null }])
    return known.get(id)!.id
  })

class Undone extends Error {}

test('a sync that runs while writers insert and roll back ends with exactly the committed rows, each once', async () => {
  const random = randomFrom(5)
  const store = await aStore(db)
  const WRITERS = 6
  const EACH = 40
  const members = await Promise.all(Array.from({ length: WRITERS }, () => aCustomer(store)))
  let writing = WRITERS
  const write = async (memberId: number, writer: number) => {
    for (let n = 0; n < EACH; n++) {
      const isUndone = random() < 0.2
      // Some stay open while many others commit higher ids.
      const openMs = random() < 0.1 ? 400 : random() * 10
      await store
        .inStore(async (ctx) => {
          await add(ctx, memberId, `${writer}-${n}`)
          // It has its id; others commit higher ones before it.
          await sleep(openMs)
          if (isUndone) throw new Undone()
        })
        .catch((err) => {
          if (!(err instanceof Undone)) throw err
        })
    }
    writing--
  }
  const read = async () => {
    const seen: string[] = []
    for (let since = 0, wasOver = false; ; ) {
      wasOver = writing === 0
      const { messages, lastId, hasMore } = await readAfter(store, since)
      seen.push(...messages)
      if (messages.length === 0 && wasOver) return seen
      assert.ok(!hasMore || messages.length > 0, 'a page without rows that says there are more')
      since = lastId
    }
  }
  const [seen] = await Promise.all([read(), ...members.map(write)])
  const committed = await store.inStore(({ tx, storeId }) =>
    tx.many(row({ reason: text }), sql`select reason from credit_entries where store_id = ${storeId} order by id`)
  )
  assert.ok(committed.length > WRITERS * EACH * 0.6)
  assert.deepEqual(
    seen,
    committed.map(({ reason }) => reason)
  )
})

test('a row that commits late with a smaller id than a committed one is waited for, and the same since_id gives the same page', async () => {
  const store = await aStore(db)
  const [early, late] = [await aCustomer(store), await aCustomer(store)]
  const end = await addSlowly(store, late, 'late')
  await store.inStore((ctx) => add(ctx, early, 'early'))
  const reading = readAfter(store, 0)
  const first = await Promise.race([reading, sleep(300, 'waits')])
  assert.equal(first, 'waits')
  await end()
  const page = await reading
  assert.deepEqual(page.messages, ['late', 'early'])
  assert.deepEqual(await readAfter(store, 0), page)
})

test('a page that has waited for a row has no more rows than a page has', async () => {
  const store = await aStore(db)
  const [early, late] = [await aCustomer(store), await aCustomer(store)]
  const end = await addSlowly(store, late, 'late')
  const names = Array.from({ length: PAGE }, (_, n) => `early-${n}`)
  await store.inStore(async (ctx) => {
    for (const name of names) await add(ctx, early, name)
  })
  const reading = readAfter(store, 0)
  assert.equal(await Promise.race([reading, sleep(300, 'waits')]), 'waits')
  await end()
  const { messages, hasMore, lastId } = await reading
  assert.deepEqual([messages, hasMore], [['late', ...names.slice(0, -1)], true])
  assert.deepEqual((await readAfter(store, lastId)).messages, names.slice(-1))
})

test('where a writer stays, rows that are known to be all there are returned, and nobody takes the end of them for the end', async () => {
  const store = await aStore(db)
  const [early, late] = [await aCustomer(store), await aCustomer(store)]
  await store.inStore((ctx) => add(ctx, early, 'known'))
  const known = await readAfter(store, 0)
  const end = await addSlowly(store, late, 'slow')
  await store.inStore((ctx) => add(ctx, early, 'after'))
  const page = await readAfter(store, 0)
  assert.deepEqual(page, { messages: ['known'], lastId: known.lastId, hasMore: true })
  await assert.rejects(readAfter(store, known.lastId), { code: 'unavailable', retryAfterSeconds: 2 })
  await end()
  assert.deepEqual((await readAfter(store, known.lastId)).messages, ['slow', 'after'])
})

test('the guard waits for a writer that has no id yet, since it may have taken one', async () => {
  const store = await aStore(db)
  await store.inStore(async (reader) => {
    const [hasLock, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const writer = store.inStore(async ({ tx, storeId }) => {
      await tx.run(sql`update credit_entries set mark = null where store_id = ${storeId} and id = 0`)
      hasLock.resolve()
      await mayEnd.promise
    })
    await hasLock.promise
    assert.equal(await waitForWriters(reader, 'credit_entries', 50), false)
    mayEnd.resolve()
    await writer
    assert.equal(await waitForWriters(reader, 'credit_entries', 50), true)
    // A reader is no writer, nor is it itself.
    await reader.tx.many(row({ n: int }), sql`select 1 as n from credit_entries where store_id = ${reader.storeId}`)
    assert.equal(await waitForWriters(reader, 'credit_entries', 50), true)
  })
})
