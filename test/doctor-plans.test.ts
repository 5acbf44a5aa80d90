// The doctor on a store that has grown since the last ANALYZE: each table is read a few times, not once per row.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { metricsConsistent } from '#analytics/audit-rules'
import { audit } from '#audit'
import { STORE_ROLE } from '#kit/postgres'
import { compareCharges } from '../src/audit/platform-charges.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { aDueStore } from './due-store.ts'
import { RecordingDatabase } from './recorder.ts'

const ROWS = 1_000
const DUE_AT = Temporal.Instant.from('2026-02-28T15:00:00Z')

const { db, url } = await testDatabase()
const recording = new RecordingDatabase({ url })
const owner = new pg.Client({ connectionString: url })
await owner.connect()
beforeDrop(async () => void (await Promise.all([owner.end(), recording.close()])))

/** A store whose charges and facts are newer than the statistics. */
async function aChargedStore() {
  const store = await aDueStore(db, { subscriptions: ROWS, dueAt: DUE_AT })
  await owner.query(
    `insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key, amount_minor,
       currency, scheduled_at, cycle_at, created_at, completed_at)
     select store_id, id, 2, 1, 'success', 'key-' || id, 2900, 'USD', $2, $2, $2, $2 from subscriptions where store_id = $1`,
    [store.storeId, String(DUE_AT)]
  )
  await owner.query(
    `insert into facts (store_id, name, ordering_key, data, refs, occurred_at)
     select a.store_id, t.name, 'member:' || s.member_id, json_build_object('billing_attempt_id', 'ba_' || a.id),
            jsonb_build_object('subscriptionId', s.id, 'memberId', s.member_id), $2
       from billing_attempts a join subscriptions s on s.store_id = a.store_id and s.id = a.subscription_id,
            unnest(array['billing.pending', 'billing.success']) as t(name) where a.store_id = $1`,
    [store.storeId, String(DUE_AT)]
  )
  return store
}

test('each check of the doctor reads each row a bounded number of times, even with outdated statistics', async () => {
  const grown = await aChargedStore()
  const { findings } = await recording.inStore(grown.storeId, audit)
  assert.deepEqual(
    findings.filter(({ check }) => check === 'attempt_events_complete' || check === 'created_events_complete'),
    []
  )
  await recording.inStore(grown.storeId, metricsConsistent.check)
  await assertCompares(grown.storeId, 20 * ROWS)
})

test('of the attempts of a store those are read that the platform lists, and those of the time that was listed', async () => {
  const { storeId } = await aChargedStore()
  await owner.query('analyze billing_attempts; analyze subscriptions')
  const { rows } = await owner.query(
    `select s.platform_contract_id as "contractId", a.idempotency_key as "idempotencyKey", a.id::text as "attemptId"
       from billing_attempts a join subscriptions s on s.store_id = a.store_id and s.id = a.subscription_id
      where a.store_id = $1 order by a.id limit 5`,
    [storeId]
  )
  recording.transactions.length = 0
  for (const after of [undefined, DUE_AT.add({ hours: 24 * 90 })]) {
    const { missing } = await recording.inStore(storeId, (ctx) =>
      compareCharges(ctx, [], { withheld: rows, after, limit: 10 })
    )
    assert.equal(missing.length, after ? 0 : 10)
    // All that the store ever had are compared where no time is given.
    await assertCompares(storeId, after ? 100 : 5 * ROWS)
  }
})

/** Explains what was recorded since the last time: no node of a plan may return and discard so many rows. */
async function assertCompares(storeId: number, fewerThan: number) {
  for (const statements of recording.transactions.splice(0)) {
    await owner.query('begin')
    await owner.query(`set local role ${STORE_ROLE}; set local perennial.store_id = '${storeId}'`)
    for (const { text, values } of statements) {
      const given = values.map((value) => (value instanceof Temporal.Instant ? String(value) : value))
      if (/^\s*set /.test(text)) await owner.query(text)
      else {
        const { rows } = await owner.query(`explain (analyze, format json) ${text}`, given)
        const compared = maxCompared(rows[0]['QUERY PLAN'][0].Plan)
        assert.ok(compared < fewerThan, `${compared} rows are compared by ${text}`)
      }
    }
    await owner.query('rollback')
  }
}

type Plan = Record<string, unknown> & { Plans?: Plan[] }

/** The highest number of rows that a node of a plan returned or discarded. */
function maxCompared(plan: Plan): number {
  const counted = ['Actual Rows', 'Rows Removed by Join Filter', 'Rows Removed by Filter'].map((name) =>
    Number(plan[name] ?? 0)
  )
  const here = counted.reduce((sum, n) => sum + n, 0) * Number(plan['Actual Loops'] ?? 1)
  return Math.max(here, ...(plan.Plans ?? []).map(maxCompared))
}
