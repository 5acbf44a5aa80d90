// A store is deleted with everything that it has, in every table, and nothing of others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bool,
  eraseStoreRows,
  int,
  listStoreTables,
  nullable,
  type Queries,
  row,
  sql,
  text,
  UnknownStore
} from '#kit/postgres'
import { beginStoreDeletion, eraseStore, listDeletingStores } from '../src/stores/delete-store.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service

type Store = Awaited<ReturnType<typeof service.aStore>>

const tables = [
  ...(await db.inInstallation((tx) => listStoreTables(tx, 'public'))).map(({ name }) => name),
  ...(await db.inInstallation((tx) => listStoreTables(tx, 'sandbox'))).map(({ name }) => name),
  'stores',
  'sandbox.shops'
]

/** How many rows a store has in each table, and a hash of them, read without our code. */
async function rowsOf(storeId: number): Promise<Map<string, string>> {
  const read = async (q: Queries, table: string) => {
    const { state } = await q.one(row({ state: text }), {
      name: '',
      text: `select count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as state
               from ${table} t where store_id = $1`,
      values: [storeId]
    })
    return state
  }
  return db.inInstallation(async (tx) => {
    const found = new Map<string, string>()
    for (const table of tables) found.set(table, await read(tx, table))
    return found
  })
}

const filled = (rows: Map<string, string>) =>
  [...rows].filter(([, state]) => !state.startsWith('0 ')).map(([table]) => table)

/** A store with rows in every table: a few members and merged customers, and a made row wherever that leaves none. */
async function aFullStore(name: string): Promise<Store> {
  const store = await service.aStore({ name })
  const { at, storeId } = store
  await service.admin('POST', `${at}/webhooks`, { url: 'http://127.0.0.1:9/' })
  await service.admin('POST', `${at}/reward-integrations`, { key: 'smile', pull: { url: 'http://127.0.0.1:9/' } })
  const people = []
  for (const email of ['a', 'b', 'c', 'd']) people.push((await store.member(`${email}@example.com`)).customer.id)
  // Rows that refer to earlier ones of their table, and to later ones.
  await service.admin('POST', `${at}/sandbox/merges`, { customer: people[2], into: people[0] })
  await service.admin('POST', `${at}/sandbox/merges`, { customer: people[1], into: people[3] })
  const rows = await rowsOf(storeId)
  // What others refer to comes first.
  for (const table of tables.toReversed()) if (!filled(rows).includes(table)) await aRow(table, storeId)
  return store
}

const Column = row({ name: text, type: text, isNeeded: bool, refersTo: nullable(text) })

/** What a column must have to pass a check, by table: literals of SQL. */
const FITTING: Record<string, Record<string, string>> = {
  contract_grants: { label: "'A grant'", key: "'ABCDEFGH2345'", kind: "'discount'", percent: '10' },
  billing_attempts: { status: "'failed'", error_code: "'card_declined'", completed_at: "'2026-01-01'" },
  discount_nodes: { slot: "'prices'" },
  discount_redemptions: { amount_minor: '0' },
  discount_segments: { tier: "'vip'" },
  event_count_marks: { counted_to: '1024' },
  event_counts: { counted_to: '1024' },
  export_changes: { kind: "'order'" },
  export_marks: { rank: '1000' },
  churn_offer_reasons: { alias: "'other'" },
  churn_offers: { name: "'Stay'", type: "'add_store_credits'", currency: "'USD'", credit_minor: '1' },
  churn_reasons: { alias: "'other'" },
  contract_offers: { type: "'add_store_credits'", status: "'active'" },
  fact_retries: { last_error: "'It failed'" },
  import_rows: { status: "'waiting'" },
  imports: { mode: "'live'", source: "'csv'", status: "'receiving'", actor: "'operator'" },
  loyalty_coupons: {
    rule_id: '(select max(id) from loyalty_rules where store_id = $1)',
    type: "'free_product'",
    percent_hundredths: '10000'
  },
  loyalty_referrals: { state: "'valid'" },
  loyalty_receipt_files: { name: "repeat('a', 36)", due_at: "'2026-01-01'" },
  loyalty_receipts: { content_hash: "repeat('a', 64)", amount_minor: '1', file_bytes: '1' },
  loyalty_rules: { name: "'Rule'" },
  loyalty_templates: { name: "'Template'", type: "'percentage'", required_points: '1' },
  loyalty_tiers: { name: "'Tier'", multiplier_hundredths: '100' },
  order_disputes: { platform_dispute_id: "'1'" },
  order_transactions: { platform_transaction_id: "'1'" },
  order_walks: { kind: "'recent'" },
  privacy_requests: { topic: "'customers/redact'", source: "'platform'", run_at: "'2026-01-01'" },
  platform_credit_transactions: { kind: "'ours'" },
  platform_refunds: { platform_refund_id: "'1'" },
  quarantined_contracts: { contract_id: "'1'" },
  read_ins: { part: "'orders'", phase: "'done'" },
  spending_gift_cards: { status: "'spare'" },
  'sandbox.bulk_operations': { type: "'QUERY'" },
  'sandbox.discounts': { kind: "'DiscountCodeBasic'" },
  subscription_changes: { actor: "'operator'", price_minor: '1' },
  subscription_creations: { actor: "'operator'", platform_customer_id: "'1'" },
  wallet_campaigns: { title: "'Sale'" },
  wallet_credentials: { kind: "'apple'" }
}

/** Adds one row with any values that fit. */
async function aRow(table: string, storeId: number): Promise<void> {
  const columns = await db.inInstallation((tx) =>
    tx.many(
      Column,
      sql`
      select a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type,
             a.attnotnull and not a.atthasdef and a.attidentity = '' as is_needed,
             (select '(select max(' || k.attname || ') from ' || f.confrelid::regclass::text || ' where store_id = $1)'
                from pg_constraint f
                join pg_attribute k on k.attrelid = f.confrelid and k.attnum = f.confkey[array_position(f.conkey, a.attnum)]
               where f.contype = 'f' and f.conrelid = a.attrelid and a.attnum = any(f.conkey)
                 and f.confrelid::regclass::text <> 'stores' limit 1) as refers_to
        from pg_attribute a
       where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped and a.attname <> 'store_id'
         and a.attgenerated = '' order by a.attnum`
    )
  )
  const given = FITTING[table] ?? {}
  const used = columns.filter(({ name, isNeeded }) => isNeeded || name in given)
  const literalOf = ({ name, type, refersTo }: (typeof used)[number]) => given[name] ?? refersTo ?? valueOfType(type)
  const names = ['store_id', ...used.map(({ name }) => `"${name}"`)].join(', ')
  const values = ['$1::bigint', ...used.map(literalOf)].join(', ')
  await db.inInstallation((tx) =>
    tx.run({ name: '', text: `insert into ${table} (${names}) select ${values}`, values: [storeId] })
  )
}

function valueOfType(type: string): string {
  if (type.endsWith('[]')) return "'{}'"
  if (/int|numeric/.test(type)) return '1'
  if (/json/.test(type)) return "'{}'"
  if (/timestamp|date/.test(type)) return "'2026-01-01'"
  if (type === 'boolean') return 'false'
  if (type === 'bytea') return "'\\x00'"
  if (type === 'uuid') return 'gen_random_uuid()'
  return "'x'"
}

/** The store of which nothing may change. */
const other = await aFullStore('Other')

test('nothing is left of a deleted store, in any table, and another store is untouched', async () => {
  const gone = await aFullStore('Gone')
  const before = await rowsOf(gone.storeId)
  const others = await rowsOf(other.storeId)
  const empty = tables.filter((table) => !filled(before).includes(table))
  assert.deepEqual(empty, [], 'tables without a row, in which nothing would be found missing')
  const deleted = await service.admin('POST', `${gone.at}/delete`, { name: 'Gone' })
  assert.deepEqual(deleted, { id: gone.id, domain: gone.domain, deleted: true })
  assert.deepEqual(filled(await rowsOf(gone.storeId)), [])
  assert.deepEqual(await rowsOf(other.storeId), others)
  // The domain is free again, and the number of the store is not used again.
  const again = await service.aStore({ domain: gone.domain, name: 'Again' })
  assert.notEqual(again.id, gone.id)
})

test('a deletion that is interrupted after any batch goes on from there', async () => {
  const others = await rowsOf(other.storeId)
  const gone = await aFullStore('Gone')
  await beginStoreDeletion(db, { storeId: gone.storeId, name: 'Gone' }, 'Gone')
  assert.deepEqual(await listDeletingStores(db), [gone.storeId])
  let interruptions = 0
  for (;;) {
    let batches = 0
    if (await eraseStore(db, gone.storeId, { batch: 2, mayGoOn: () => batches++ < 4 + interruptions * 3 })) break
    interruptions++
    assert.ok(interruptions < 200)
  }
  assert.ok(interruptions > 10, `${interruptions} interruptions`)
  await service.sandbox.controls.deleteShop({ storeId: gone.storeId })
  assert.deepEqual(filled(await rowsOf(gone.storeId)), [])
  assert.deepEqual(await listDeletingStores(db), [])
  assert.deepEqual(await rowsOf(other.storeId), others)
  // Once more does nothing.
  assert.equal(await eraseStore(db, gone.storeId), true)
})

test('no transaction removes more rows of a table than a batch has', async () => {
  const store = await aFullStore('Bounded')
  await beginStoreDeletion(db, { storeId: store.storeId, name: 'Bounded' }, 'Bounded')
  let most = 0
  const counting: Parameters<typeof eraseStore>[0] = Object.create(db, {
    inInstallation: {
      value: (work: (tx: Queries) => Promise<unknown>) =>
        db.inInstallation(async (tx) => {
          const run: Queries['run'] = async (statement) => {
            const rows = await tx.run(statement)
            most = Math.max(most, rows)
            return rows
          }
          return work({ ...tx, run })
        })
    }
  })
  assert.equal(await eraseStore(counting, store.storeId, { batch: 3 }), true)
  assert.equal(most, 3)
})

test('a table from which much was removed is vacuumed before those that it refers to', async () => {
  const store = await service.aStore({ name: 'Vacuumed' })
  await store.member('ada@example.com')
  const { storeId } = store
  const vacuums = async () => {
    const { count } = await db.inInstallation((tx) =>
      tx.one(
        row({ count: int }),
        sql`select vacuum_count as count from pg_stat_user_tables where relname = 'subscriptions'`
      )
    )
    return count
  }
  const before = await vacuums()
  await beginStoreDeletion(db, { storeId, name: 'Vacuumed' }, 'Vacuumed')
  await eraseStoreRows(db, { schema: 'public', storeId, vacuumFromRows: 1 })
  await until('a vacuum', async () => (await vacuums()) > before, 20_000)
  assert.equal(await eraseStore(db, storeId), true)
})

test('a store that is being deleted does no work: no charge, no delivery, no request, no key', async () => {
  const store = await aFullStore('Busy')
  const { storeId } = store
  const charges = async () => (await service.sandbox.controls.charges(storeId)).length
  await db.inInstallation((tx) =>
    tx.run(sql`update stores set clock_at = clock_at + interval '3 months' where store_id = ${storeId}`)
  )
  const billing = service.engines.find(({ name }) => name === 'billing')!
  assert.notEqual(await billing.nextDueAt(storeId), null)
  const before = await charges()
  await beginStoreDeletion(db, { storeId, name: 'Busy' }, 'Busy')
  for (const engine of service.engines.filter(({ name }) => name !== 'sandbox')) {
    const done = await engine.runOnce(storeId).catch((err) => {
      assert.ok(
        err instanceof UnknownStore || /no store|disconnected/.test(err.message),
        `${engine.name}: ${err.message}`
      )
      return 0
    })
    assert.equal(done, 0, engine.name)
  }
  assert.equal(await charges(), before)
  await assert.rejects(service.deps.settle(storeId), UnknownStore)
  await assert.rejects(
    db.inStore(storeId, async () => {}),
    UnknownStore
  )
  const second = await startService(url)
  assert.equal((await second.get('/members', store.key)).status, 401)
  await assert.rejects(service.admin('GET', `${store.at}/members`), /409 .*is being deleted/)
  assert.equal((await service.admin('GET', store.at)).status, 'deleting')
  await assert.rejects(service.admin('POST', '/stores', { ...NEW, domain: store.domain }), /409/)
  // The leader of the next start goes on with it.
  const { deleted } = await service.admin('POST', `${store.at}/delete`, { name: 'Busy' })
  assert.equal(deleted, true)
  assert.deepEqual(filled(await rowsOf(storeId)), [])
})

const NEW = { name: 'New', timezone: 'UTC', currency: 'USD', plan: 'starter', sandbox: true }

test('the name confirms the deletion: another one changes nothing', async () => {
  const store = await service.aStore({ name: 'Books' })
  const before = await rowsOf(store.storeId)
  for (const body of [{ name: 'books' }, { name: store.domain }, {}]) {
    await assert.rejects(service.admin('POST', `${store.at}/delete`, body), /400 .*name/)
  }
  assert.deepEqual(await rowsOf(store.storeId), before)
})

test('what a transaction writes that began before the deletion is found by a later sweep', async () => {
  const store = await service.aStore({ name: 'Late' })
  const { storeId } = store
  const written = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const late = service.sandboxDb.inInstallation(async (tx) => {
    await tx.run(sql`
      insert into alerts (store_id, kind, subject, message, created_at) values (${storeId}, 'k', 's', 'm', now())`)
    written.resolve()
    await mayCommit.promise
  })
  await written.promise
  await beginStoreDeletion(db, { storeId, name: 'Late' }, 'Late')
  const erasing = eraseStore(db, storeId)
  // Nothing refers to the store that others see, so its row is about to go, and waits for the transaction.
  const watching = await db.session()
  await watching.query('reset role')
  await until('the deletion waits', async () => {
    const { rows } = await watching.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and query like 'delete from stores%'`
    )
    return rows.length > 0
  })
  await watching.end()
  mayCommit.resolve()
  await late
  assert.equal(await erasing, true)
  await service.sandbox.controls.deleteShop({ storeId })
  assert.deepEqual(filled(await rowsOf(storeId)), [])
})
