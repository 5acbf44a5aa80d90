// Events are read by their sequence while many transactions commit in another order than they began: none is missed or read twice.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { audit } from '#audit'
import { changeCredits } from '#credits'
import { type Ctx, type Database, int, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { startServiceHere } from '../test/service-here.ts'
import { WITHOUT_LIMIT } from './without-limit.ts'

export type CursorTrial = { databaseUrl: string; db: Database; changes: number; seed: number }
export type CursorReport = { events: number; pages: number; followers: number; grownMib: number }

const MEMBERS = 12
const WRITERS = 10
/** The longest that a transaction stays open after it has taken the number of its fact. */
const OPEN_MS = 60
/** One writer keeps each of its transactions open until an event with a higher number was read, or for so long. */
const LATE_MS = 3_000
const MAX_GROWTH_MIB = 192
const MIB = 1024 * 1024

type Event = { id: string; sequence: number; event: string; data: { customer_id?: string } }
type Page = { data: Event[]; meta: { total: number; next_since: number; has_more: boolean } }

/**
 * Ten writers change store credit in transactions that stay open for a random while, so that later ones commit first, one of them
 * certainly after events were read that are numbered after its own; meanwhile followers read `GET /v1/events` from the beginning
 * with `since`, each with a page size of its own: all events, those of a type, those of a customer. In the end each must have
 * exactly the committed events of its kind, each once and in the order of their sequence; and a reader of a list that began
 * before must have every member. Throws otherwise.
 */
export async function readWhileWriting({ databaseUrl, db, changes, seed }: CursorTrial): Promise<CursorReport> {
  const random = randomFrom(seed)
  const service = await startServiceHere(databaseUrl, { budgets: WITHOUT_LIMIT, background: true, pollMs: 200 })
  try {
    const store = await service.aStore()
    for (let i = 0; i < MEMBERS; i++) await store.member(`person-${i}@example.com`)
    const members = (await service.get('/members?limit=100', store.key)).body.data as {
      id: string
      customer: { id: string }
    }[]
    assert.equal(members.length, MEMBERS)
    const numbers = members.map(({ id }) => Number(id.slice('mem_'.length)))

    let made = 0
    let writing = WRITERS
    /** The highest number of an event that the follower of all events has read. */
    let furthest = 0
    const write = async (writer: number) => {
      const isLate = writer === 0
      while (made < changes) {
        const n = made++
        // The account is locked as long as the transaction is open: nobody else may wait for that of the late writer.
        const memberId = isLate ? numbers[0]! : numbers[1 + Math.floor(random() * (MEMBERS - 1))]!
        const openMs = random() * OPEN_MS
        const isUndone = !isLate && random() < 0.1
        const work = service.db.inStore(store.storeId, async (ctx) => {
          const change = { type: 'manual_add' as const, amountMinor: 100, reason: 'trial', operationId: `trial:${n}` }
          await changeCredits(ctx, [{ ...change, memberId }])
          // The fact has its number; others are committed before it.
          if (isLate) await isPassed(ctx)
          else await sleep(openMs)
          if (isUndone) throw new Undone()
        })
        await work.catch((err) => {
          if (!(err instanceof Undone)) throw err
        })
        service.deps.wake(store.storeId)
      }
      writing--
    }

    const isPassed = async ({ tx, storeId }: Ctx) => {
      const { last } = await tx.one(
        row({ last: int }),
        sql`select max(id) as last from facts where store_id = ${storeId}`
      )
      for (let ms = 0; ms < LATE_MS && furthest <= last && made < changes; ms += 10) await sleep(10)
    }

    let pages = 0
    const page = async (query: string): Promise<Page> => {
      const { status, body } = await service.get(`/events?${query}`, store.key)
      assert.equal(status, 200, JSON.stringify(body))
      pages++
      return body
    }
    /** Reads on until nothing more can come. */
    const follow = async (
      limit: number,
      filter: string,
      isOver: () => Promise<boolean>,
      onSeen = (_: Event[]) => {}
    ) => {
      const seen: Event[] = []
      let since = 0
      for (;;) {
        const wasOver = await isOver()
        const { data, meta } = await page(`since=${since}&limit=${limit}${filter}`)
        assert.ok(
          data.every(({ sequence }) => sequence > since),
          `since=${since} has an event of before`
        )
        seen.push(...data)
        onSeen(data)
        assert.ok(meta.next_since >= since)
        if (wasOver && meta.next_since === since) return seen
        since = meta.next_since
      }
    }
    const committed = (where = sql`select id, name from facts where store_id = ${store.storeId} order by position`) =>
      service.db.inStore(store.storeId, ({ tx }) => tx.many(row({ id: int, name: text }), where))
    const isOver = async () => {
      if (writing > 0) return false
      const { waiting } = await service.db.inStore(store.storeId, ({ tx }) =>
        tx.one(
          row({ waiting: int }),
          sql`
          select (select count(*) from facts where store_id = ${store.storeId} and position is null)
               + (select count(*) from fact_consumers
                   where store_id = ${store.storeId} and consumer = 'webhooks' and furthest < last_position) as waiting`
        )
      )
      return waiting === 0
    }
    const listed = async () => {
      const ids = new Set<string>()
      for (let offset = 0; offset < MEMBERS; offset += 5) {
        const { body } = await service.get(`/members?limit=5&offset=${offset}`, store.key)
        for (const { id } of body.data) ids.add(id)
      }
      return ids
    }

    const before = process.memoryUsage.rss() / MIB
    const customer = members[Math.floor(random() * MEMBERS)]!
    const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
    const [all, small, ofType, ofCustomer] = await Promise.all([
      follow(100, '', isOver, (data) => {
        furthest = Math.max(furthest, ...data.map(({ id }) => Number(id.slice('evt_'.length))))
      }),
      follow(1 + Math.floor(random() * 9), '', isOver),
      follow(20, '&type=store_credit.added', isOver),
      follow(10, `&customer=${customer.customer.id}`, isOver),
      writers,
      (async () => {
        while (writing > 0) {
          assert.equal((await listed()).size, MEMBERS, 'a member is missing in the list')
          await sleep(20)
        }
      })()
    ])
    const facts = await committed()
    const publicNames = new Set(all.map(({ event }) => event))
    assert.ok(publicNames.has('store_credit.added'))
    const ids = (events: Event[]) => events.map(({ id }) => id)
    const added = facts.filter(({ name }) => name === 'store_credit.added').map(({ id }) => `evt_${id}`)
    assert.ok(added.length > changes / 2, `only ${added.length} changes were committed`)
    assert.deepEqual(ids(ofType), added, 'events of a type')
    assert.deepEqual(
      ids(all).filter((id) => added.includes(id)),
      added,
      'all events'
    )
    assert.deepEqual(ids(small), ids(all), 'small pages and large ones')
    assert.equal(new Set(ids(all)).size, all.length, 'an event came twice')
    const mine = all.filter(({ data }) => JSON.stringify(data).includes(`"${customer.customer.id}"`))
    assert.deepEqual(ids(ofCustomer), ids(mine), 'events of a customer')
    assert.deepEqual(
      all.map(({ sequence }) => sequence),
      all.map(({ sequence }) => sequence).toSorted((a, b) => a - b)
    )
    const grownMib = Math.round(process.memoryUsage.rss() / MIB - before)
    assert.ok(grownMib < MAX_GROWTH_MIB, `memory has grown by ${grownMib} MiB`)
    assert.deepEqual((await db.inStore(store.storeId, audit)).findings, [])
    return { events: all.length, pages, followers: 4, grownMib }
  } finally {
    await service.stop()
  }
}

/** A transaction that ends without a commit, whose numbers are then missing. */
class Undone extends Error {}
