// The batched writes of store credit keep one plan for each statement (`inStoreByKeys`). It must find rows by their keys, however
// many the store has, and whether the server takes its disk for a fast one (as the embedded one does) or for a slow one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { type Bound, type Ctx, Database, int, row, sql, text } from '#kit/postgres'
import { beforeDrop, testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { testServer } from '../server.test-helper.ts'

const MEMBERS = 5_000
/** Rows of one table that a change of one account may read; all of a statement's reads of it together. */
const MOST = 20

const { db, url } = await testDatabase()
const owner = new pg.Client({ connectionString: url })
await owner.connect()
beforeDrop(() => owner.end())

/** Notes the rows that each transaction by keys has read, by table. */
class CountingDatabase extends Database {
  read: Record<string, number> = {}

  override forWork() {
    return this
  }

  override inStoreByKeys<Early, T>(
    storeId: number,
    early: (bound: Bound) => Promise<Early>,
    work: (ctx: Ctx, early: Early) => Promise<T>
  ): Promise<T> {
    return super.inStoreByKeys(storeId, early, async (ctx, read) => {
      const done = await work(ctx, read)
      const tables = await ctx.tx.many(
        row({ table: text, rows: int }),
        sql`select relname as table, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_user_tables
             where schemaname = 'public' and relname <> 'stores'`
      )
      this.read = Object.fromEntries(tables.map(({ table, rows }) => [table, rows]))
      return done
    })
  }
}

for (const pageCost of ['1.1', '4']) {
  test(`a change of credit reads the rows that it is about, and no others, in a store with many: random_page_cost ${pageCost}`, async (t) => {
    const store = await aStore(db, { currency: 'JPY' })
    const { storeId } = store
    await owner.query(`
      insert into members (store_id, id, platform_customer_id, email, status, member_since, created_at, updated_at)
      overriding system value
      select ${storeId}, n, 1000000 + n, 'person-' || n || '@example.com', 'active', now(), now(), now()
        from generate_series(1, ${MEMBERS}) n;
      insert into credit_accounts (store_id, member_id, balance_minor, entries, totalled_entries, updated_at)
      select ${storeId}, n, 100, 1, 1, now() from generate_series(1, ${MEMBERS}) n;
      with entered as (
        insert into credit_entries (store_id, member_id, position, type, amount_minor, balance_after_minor, reason, operation_id,
                                    created_at)
        select ${storeId}, n, 1, 2, 100, 100, 'before', 'before:' || n, now() from generate_series(1, ${MEMBERS}) n
        returning id, member_id)
      insert into credit_lots (store_id, entry_id, member_id, remaining_minor) select ${storeId}, id, member_id, 100 from entered;
      insert into idempotent_responses (store_id, idempotency_key, fingerprint, status, body, created_at)
      select ${storeId}, 'before-' || n, '\\x00', 200, '{}', now() from generate_series(1, ${MEMBERS}) n;
      analyze;
      do $$ begin execute format('alter database %I set random_page_cost = ${pageCost}', current_database()); end $$`)
    const counting = new CountingDatabase({ url, poolSize: 1 })
    t.after(() => counting.close())
    const { app } = testServer(counting)
    const headers = { authorization: `Bearer ${await store.aKey()}` }
    for (const [path, payload] of [
      ['cust_7/add', { amount: 5, reason: 'Late delivery' }],
      ['cust_7/deduct', { amount: 5, reason: 'By mistake' }],
      ['cust_7/reservations', { amount: 5 }],
      // Of an account that holds a reservation, by the platform's number.
      ['1000007/deduct', { amount: 5, reason: 'By mistake' }],
      ['1000007/reservations', { amount: 5 }]
    ] as const) {
      const keyed = { ...headers, 'idempotency-key': `of:${path}` }
      const url = `/v1/store-credits/${path}`
      const answer = await app.inject({ method: 'POST', url, payload, headers: keyed })
      assert.equal(answer.statusCode, 200, answer.body)
      assert.ok(counting.read.credit_accounts! > 0 && counting.read.idempotent_responses! > 0, 'rows are counted')
      const many = Object.entries(counting.read).filter(([, rows]) => rows > MOST)
      assert.deepEqual(many, [], path)
    }
  })
}
