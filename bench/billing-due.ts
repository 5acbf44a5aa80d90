// Finding due work in a store of a million subscriptions and in one of ten thousand: the pages that PostgreSQL reads for the next
// due time and for a claim, with the same number of due subscriptions. Usage: node bench/billing-due.ts [how many]
import pg from 'pg'
import { type Ctx, Database, STORE_ROLE, type Statement, type Tx } from '#kit/postgres'
import { createBillingEngine } from '../src/billing/billing-engine.ts'
import { lockDueSubscriptions } from '../src/subscriptions/lock-subscriptions.ts'
import { recorder } from '../test/recorder.ts'
import { aStore } from '../test/store-builder.ts'
import { benchDatabase, median } from './database.ts'

const SMALL = 10_000
const LARGE = Number(process.argv[2] ?? 1_000_000)
const CHUNK = 500_000
const DUE = 1_000
const CLAIM = 200
/** A B-tree of ten thousand rows has two levels, one of millions three: no more than that may be added. */
const WANTED = 1.25
const NOW = Temporal.Instant.from('2026-02-28T15:00:00Z')

type Cost = { pages: number; ms: number }

const database = await benchDatabase()
const db = new Database({ url: database.url })
const client = new pg.Client({ connectionString: database.url })
await client.connect()
try {
  const { storeId } = await aStore(db, { clockAt: NOW })
  const [look, claim] = await recorded(storeId)
  await grow(storeId, 0, SMALL)
  const small = { look: await costOf(look!, storeId), claim: await costOf(claim!, storeId) }
  await grow(storeId, SMALL, LARGE)
  const large = { look: await costOf(look!, storeId), claim: await costOf(claim!, storeId) }

  const ratio = (which: 'look' | 'claim') => Number((large[which].pages / small[which].pages).toFixed(2))
  const ratios = { look: ratio('look'), claim: ratio('claim') }
  console.log(
    JSON.stringify({
      bench: 'billing-due',
      subscriptions: [SMALL, LARGE],
      due: DUE,
      claimed: CLAIM,
      look: { pages: [small.look.pages, large.look.pages], ms: [small.look.ms, large.look.ms], ratio: ratios.look },
      claim: {
        pages: [small.claim.pages, large.claim.pages],
        ms: [small.claim.ms, large.claim.ms],
        ratio: ratios.claim
      },
      wanted: WANTED
    })
  )
  process.exitCode = Math.max(ratios.look, ratios.claim) <= WANTED ? 0 : 1
} finally {
  await client.end()
  await db.close()
  await database.close()
}

/** The statements for the next due time, and of a claim. */
async function recorded(storeId: number): Promise<Statement[]> {
  const statements: Statement[] = []
  const noted = (tx: Tx) => recorder(tx, (statement) => statements.push(statement))
  const engine = createBillingEngine({ db, leaseOwner: 1, connectorOf: () => Promise.reject(new Error('not called')) })
  statements.push(engine.nextDue!(storeId))
  await db.inStore(storeId, (ctx: Ctx) => lockDueSubscriptions({ ...ctx, tx: noted(ctx.tx) }, CLAIM))
  return statements
}

/**
 * Inserts subscriptions `from` + 1 to `to` without triggers and foreign keys (which needs a superuser). The due ones are due at the
 * same instant and spread over the store; the others become due over the next month.
 */
async function grow(storeId: number, from: number, to: number): Promise<void> {
  await client.query('set session_replication_role = replica')
  for (let after = from; after < to; after += CHUNK) {
    const slice = [storeId, after + 1, Math.min(after + CHUNK, to), String(NOW)]
    await client.query(
      `insert into members (store_id, id, platform_customer_id, email, status, member_since, created_at, updated_at)
         overriding system value
       select $1, n, n, 'person-' || n || '@example.com', 'active', t.at, t.at, t.at
         from generate_series($2::bigint, $3::bigint) n, lateral (select $4::timestamptz - interval '1 month' as at) t`,
      slice
    )
    await client.query(
      `insert into subscriptions (store_id, id, member_id, platform_contract_id, platform_revision, name, status, price_minor,
         currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, next_billing_at, billing_due_at,
         created_at, updated_at) overriding system value
       select $1, n, n, n, '1', 'VIP', 'active', 2900, 'USD', 'month', 1, t.at, 1, 1, 2, t.due, t.due, t.at, t.at
         from generate_series($2::bigint, $3::bigint) n,
              lateral (select $4::timestamptz - interval '1 month' as at,
                              $4::timestamptz + (1 + n % 2500000) * interval '1 second' as due) t`,
      slice
    )
  }
  await client.query('update subscriptions set billing_due_at = next_billing_at where billing_due_at <= $1', [
    String(NOW)
  ])
  await client.query('update subscriptions set billing_due_at = $1 where id % $2 = 1', [String(NOW), to / DUE])
  await client.query('set session_replication_role = origin')
  await client.query('vacuum analyze members')
  await client.query('vacuum analyze subscriptions')
}

/** The pages that the statement reads when all are in memory, and its time there: the median of several. */
async function costOf({ text, values }: Statement, storeId: number): Promise<Cost> {
  const costs: Cost[] = []
  for (let i = 0; i < 9; i++) {
    await client.query('begin')
    await client.query(`set local role ${STORE_ROLE}`)
    await client.query(`set local perennial.store_id = '${storeId}'`)
    const { rows } = await client.query(
      `explain (analyze, buffers, format json) ${text}`,
      values.map((value) => (value instanceof Temporal.Instant ? String(value) : value))
    )
    await client.query('rollback')
    const [{ Plan: plan, 'Execution Time': ms }] = rows[0]['QUERY PLAN']
    costs.push({ pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], ms })
  }
  return { pages: median(costs.map((c) => c.pages)), ms: Number(median(costs.map((c) => c.ms)).toFixed(2)) }
}
