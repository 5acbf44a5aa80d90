// With thousands of rows due at the same instant, a claim reads only the rows that it takes, in index order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createJobEngine } from '#kit/jobs'
import { STORE_ROLE, type Statement } from '#kit/postgres'
import { claimAttempts } from '../src/billing/charging/claims.ts'
import { remindCustomers } from '../src/billing/dunning/remind-customers.ts'
import { lockDueSubscriptions, lockEndedPauses } from '../src/subscriptions/lock-subscriptions.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { aDueStore } from './due-store.ts'
import { RecordingDatabase } from './recorder.ts'

const TIED = 3_000
const CLAIMED = 50

const { db, url } = await testDatabase()
const store = await aDueStore(db, { subscriptions: TIED, dueAt: Temporal.Instant.from('2026-02-28T15:00:00Z') })
const { storeId } = store
const recording = new RecordingDatabase({ url })
const owner = new pg.Client({ connectionString: url })
await owner.connect()
beforeDrop(async () => void (await Promise.all([owner.end(), recording.close()])))

type Plan = Record<string, unknown> & { Plans?: Plan[] }
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** The executed plan of a claim, on tables with current statistics. */
async function planOf({ text, values }: Statement): Promise<Plan[]> {
  await owner.query('analyze subscriptions; analyze billing_attempts; analyze jobs')
  await owner.query('begin')
  try {
    await owner.query(`set local role ${STORE_ROLE}; set local perennial.store_id = '${storeId}'`)
    const given = values.map((value) => (value instanceof Temporal.Instant ? String(value) : value))
    const { rows } = await owner.query(`explain (analyze, format json) ${text}`, given)
    return nodesOf(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    await owner.query('rollback')
  }
}

async function assertInOrder(index: string, claim: () => Promise<unknown>) {
  await claim()
  const statement = recording.transactions.flat().findLast(({ text }) => /for update.* skip locked/.test(text))!
  const nodes = await planOf(statement)
  const scan = nodes.find((node) => node['Index Name'] === index)
  assert.ok(
    scan,
    `${index} is not used: ${JSON.stringify(nodes.map((node) => node['Index Name'] ?? node['Node Type']))}`
  )
  assert.ok(Number(scan['Actual Rows']) < TIED / 10, `${scan['Actual Rows']} rows are read from ${index}`)
}

test('claiming due subscriptions reads only those that it takes', () =>
  assertInOrder('subscriptions_due', () => recording.inStore(storeId, (ctx) => lockDueSubscriptions(ctx, CLAIMED))))

test('claiming attempts to send or to check reads only those that it takes', async () => {
  await owner.query(`
    insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key, amount_minor,
      currency, scheduled_at, check_at, created_at)
    select store_id, id, 2, 1, 'pending', 'key-' || id, 2900, 'USD', billing_due_at, billing_due_at, billing_due_at
      from subscriptions`)
  await assertInOrder('billing_attempts_to_check', () =>
    recording.inStore(storeId, (ctx) => claimAttempts(ctx, CLAIMED, 1))
  )
})

test('claiming customers to remind reads only those that it takes', async () => {
  await owner.query(`
    update billing_attempts a set action_url = 'https://bank.example', action_required_at = check_at - interval '1 day',
           remind_at = check_at, check_at = check_at + interval '1 day', lease_owner = null, leased_until = null`)
  await owner.query('vacuum billing_attempts')
  await assertInOrder('billing_attempts_to_remind', () =>
    recording.inStore(storeId, (ctx) => remindCustomers(ctx, CLAIMED))
  )
})

test('claiming jobs reads only those that it takes', async () => {
  await owner.query(`
    insert into jobs (store_id, kind, dedupe_key, payload, run_at) select store_id, 'none', id, '{}', billing_due_at from subscriptions`)
  const engine = createJobEngine({ db: recording, leaseOwner: 1, jobs: [], deps: {} })
  await assertInOrder('jobs_due', () => engine.runOnce(storeId))
})

test('claiming pauses that end reads only those that it takes', async () => {
  await owner.query(`
    update subscriptions set status = 'paused', paused_at = created_at, resumes_at = billing_due_at, next_billing_at = null,
                             billing_due_at = null`)
  await owner.query('vacuum subscriptions')
  await assertInOrder('subscriptions_resuming', () =>
    recording.inStore(storeId, (ctx) => lockEndedPauses(ctx, CLAIMED))
  )
})
