import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { snakeCase } from '#kit/define-settings'
import { Database, directStatements, int, type Queries, row, type Statement, sql } from '#kit/postgres'
import { exampleOf } from '#resources'
import { beforeDrop, testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { billingAttemptFilters } from './billing-attempt-filters.ts'
import { defineFilter, type Filters, IdText, readFilters } from './filters.ts'
import { listBillingAttempts } from './list-billing-attempts.ts'
import { listMembers } from './list-members.ts'
import { listSubscriptions } from './list-subscriptions.ts'
import { memberFilters } from './member-filters.ts'
import { subscriptionFilters } from './subscription-filters.ts'
import { defineList } from './totals/page-with-total.ts'
import { rollUpTotals } from './totals/roll-up-totals.ts'

const { db, url } = await testDatabase()
const store = await aStore(db)
const ROWS = 4_000

/** Each list with values of its filters that some of its rows have, not all. Others are read from their examples. */
const LISTS = {
  members: {
    filters: memberFilters,
    values: { status: 'paused', planId: 1, email: 'p7@example.com' },
    list: listMembers
  },
  subscriptions: {
    filters: subscriptionFilters,
    values: {
      status: 'active',
      planId: 1,
      customerId: { memberId: null, platformId: '107' },
      createdAfter: Temporal.Instant.from('2026-02-01T00:00:00Z'),
      createdBefore: Temporal.Instant.from('2026-02-01T00:00:00Z')
    },
    list: listSubscriptions
  },
  billing_attempts: {
    filters: billingAttemptFilters,
    values: {
      subscriptionId: 7,
      status: 'failed',
      dateFrom: Temporal.Instant.from('2026-02-01T00:00:00Z'),
      dateTo: Temporal.Instant.from('2026-02-01T00:00:00Z')
    },
    list: listBillingAttempts
  }
}

const owner = new pg.Client({ connectionString: url })
await owner.connect()
beforeDrop(() => owner.end())
await store.inStore(async ({ tx, storeId }) => {
  const plan = sql`
    insert into plans (store_id, name, type, tier_name, price_minor, currency, interval, interval_count,
      platform_product_id, platform_variant_id, platform_selling_plan_group_id, platform_selling_plan_id, created_at, updated_at)
    select ${storeId}, n, 'vip', 'Gold', 2900, 'USD', 'month', 1, n, n, n, n, now(), now() from unnest(array['A', 'B']) n`
  const members = sql`
    insert into members (store_id, platform_customer_id, email, status, plan_id, member_since, created_at, updated_at)
    select ${storeId}, (100 + n)::text, 'p' || n || '@example.com',
           (array['active', 'paused', 'cancelled'])[1 + n % 3], 1 + n % 2, now(),
           timestamptz '2026-01-01Z' + n * interval '1 hour', now()
      from generate_series(1, ${ROWS}::int) n`
  const subscriptions = sql`
    insert into subscriptions (store_id, member_id, plan_id, platform_contract_id, platform_revision, name, status, price_minor,
      currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, paused_at, created_at, updated_at)
    select ${storeId}, n, 1 + n % 2, n::text, '1', 'Plan', (array['active', 'paused'])[1 + n % 2], 2900, 'USD', 'month', 1,
           now(), 1, 1, 2, case n % 2 when 1 then now() end,
           timestamptz '2026-01-01Z' + n * interval '1 hour', now()
      from generate_series(1, ${ROWS}::int) n`
  const attempts = sql`
    insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key, amount_minor,
      currency, scheduled_at, error_code, created_at, completed_at)
    select ${storeId}, n, 2, 1, (array['success', 'failed'])[1 + n % 2], 'key-' || n, 2900, 'USD',
           timestamptz '2026-01-01Z' + n * interval '1 hour', (array[null, 'card_declined'])[1 + n % 2], now(), now()
      from generate_series(1, ${ROWS}::int) n`
  for (const statement of [plan, members, subscriptions, attempts]) await tx.run(statement)
})
await rollUpTotals(db, { blockRows: 100, chapterBlocks: 8 })
await owner.query('analyze')

/** The statement with which a list is read. */
async function statementOf(list: (typeof LISTS)[keyof typeof LISTS]['list'], values: object): Promise<Statement> {
  let statement: Statement | null = null
  const recorder = {
    many: async (_row: unknown, sent: Statement) => {
      statement = sent
      return [{ total: 0, row: [] }]
    }
  } as unknown as Queries
  await list(recorder, store.storeId, { ...values, limit: 10, offset: 0 } as never)
  return statement!
}

/** The value of a filter's example, which need not be in these lists. */
function exampleOfFilter(filters: Filters, name: string): unknown {
  const given = { [snakeCase(name)]: exampleOf(filters[name]!.schema) }
  return readFilters(filters, given, { profile: 'platform', timezone: 'America/New_York' })![name]
}

type Plan = Record<string, unknown> & { Plans?: Plan[] }

/** The most rows that a part of the plan reads. */
function maxRead(plan: Plan): number {
  const rows = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck'].map((k) =>
    Number(plan[k] ?? 0)
  )
  const here = rows.reduce((sum, n) => sum + n, 0) * Number(plan['Actual Loops'] ?? 1)
  return Math.max(here, ...(plan.Plans ?? []).map(maxRead))
}

for (const [name, { filters, values, list }] of Object.entries(LISTS)) {
  for (const filter of Object.keys(filters)) {
    test(`the list of ${name} filtered by ${filter} reads its page only, not the whole list`, async () => {
      const matching = (values as Record<string, unknown>)[filter]
      const value = matching ?? exampleOfFilter(filters, filter)
      const { text, values: parameters } = await statementOf(list, { [filter]: value })
      const given = parameters.map((one) => (one instanceof Temporal.Instant ? String(one) : one))
      await owner.query('begin; set local plan_cache_mode = force_generic_plan')
      const { rows } = await owner.query(`explain (analyze, format json) ${text}`, given)
      await owner.query('rollback')
      const read = maxRead(rows[0]['QUERY PLAN'][0].Plan)
      assert.ok(read < ROWS / 10, `${read} rows are read by ${text}`)
      const page = await list(db.direct, store.storeId, { [filter]: value, limit: 10, offset: 0 } as never)
      assert.ok(page.total < ROWS && (page.total > 0 || matching === undefined))
    })
  }
}

test('a filter reads the text of its parameter; a value that nothing has matches nothing', () => {
  const read = (filters: Filters, query: Record<string, unknown>) =>
    readFilters(filters, query, { profile: 'platform', timezone: 'America/New_York' })
  assert.deepEqual(read(memberFilters, { status: 'active', plan_id: 'plan_7', limit: 3 }), {
    status: 'active',
    planId: 7
  })
  assert.deepEqual(read(billingAttemptFilters, { date_from: '2026-01-31' }), {
    dateFrom: Temporal.Instant.from('2026-01-31T05:00:00Z')
  })
  assert.deepEqual(read(subscriptionFilters, {}), {})
  assert.equal(read(memberFilters, { status: 'active', plan_id: 'gold' }), null)
  assert.equal(read(subscriptionFilters, { customer_id: 'nobody' }), null)
})

test('two filters by key combine: one finds the rows, the other is a condition on them', async () => {
  // Statements have one name each, and this list has those of the members.
  directStatements.clear()
  const fresh = new Database({ url })
  beforeDrop(() => fresh.close())
  const platformId = defineFilter({
    schema: IdText("the platform's number", { meaning: 'The member with this number', examples: ['107'] }),
    read: (id) => id,
    by: {
      kind: 'key',
      types: ['text'],
      condition: (id) => `platform_customer_id = ${id}`,
      values: (id) => [id]
    }
  })
  const list = defineList(
    row({ id: int }),
    { ...memberFilters, platformId },
    {
      name: 'members',
      at: 'created_at',
      status: 'status',
      hasPlans: true,
      belongs: 'status is not null',
      details: 'select m.id from members m where m.store_id = $1 and m.id = page.id'
    }
  )
  const totalOf = async (values: Parameters<typeof list>[2]) => (await list(fresh.direct, store.storeId, values)).total
  const paging = { limit: 10, offset: 0 }
  assert.equal(await totalOf({ email: 'P7@example.com', platformId: '107', ...paging }), 1)
  assert.equal(await totalOf({ email: 'p7@example.com', platformId: '108', ...paging }), 0)
  assert.equal(await totalOf({ email: 'p7@example.com', status: 'active', ...paging }), 0)
  assert.equal(await totalOf({ platformId: '108', ...paging }), 1)
})
