import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { audit } from '#audit'
import { type Ctx, directStatements, int, row, type Statement, sql, text } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { aStore, type BuiltStore } from '../../test/store-builder.ts'
import { listBillingAttempts } from './list-billing-attempts.ts'
import { listMembers } from './list-members.ts'
import { listSubscriptions } from './list-subscriptions.ts'
import { rollUpTotals } from './totals/roll-up-totals.ts'

const { db } = await testDatabase()

/** Blocks so small that a few rows make many, and batches so small that a roll-up needs several. */
const SMALL = { blockRows: 3, chapterBlocks: 2, max: 7 }
const STATUSES = ['active', 'paused', 'cancelled', 'failed', 'expired'] as const
const SHOWN = { active: ['active'], paused: ['paused'], cancelled: ['cancelled', 'failed', 'expired'] } as const

const at = (minute: number) => Temporal.Instant.from('2026-01-01T00:00:00Z').add({ minutes: minute })

async function twoPlans(store: BuiltStore): Promise<number[]> {
  return store.inStore(async ({ tx, storeId, now }) =>
    (
      await tx.many(
        row({ id: int }),
        sql`
        insert into plans (store_id, name, type, tier_name, price_minor, currency, interval, interval_count,
          platform_product_id, platform_variant_id, platform_selling_plan_group_id, platform_selling_plan_id, created_at, updated_at)
        select ${storeId}, n, 'vip', 'Gold', 2900, 'USD', 'month', 1, n, n, n, n, ${now}, ${now}
          from unnest(array['A', 'B']) n returning id`
      )
    ).map(({ id }) => id)
  )
}

/** Customers that are not members yet, all of one minute. */
function addCustomers({ tx, storeId }: Ctx, howMany: number, minute: number) {
  return tx.run(sql`
    insert into members (store_id, platform_customer_id, email, created_at, updated_at)
    select ${storeId}, (random() * 1e15)::bigint::text, 'P' || n || '@example.com', ${at(minute)}, ${at(minute)}
      from generate_series(1, ${howMany}::int) n`)
}

function addSubscriptions(
  { tx, storeId }: Ctx,
  s: { howMany: number; minute: number; status: string; planId: number | null }
) {
  return tx.run(sql`
    insert into subscriptions (store_id, member_id, plan_id, platform_contract_id, platform_revision, name, status, price_minor,
      currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, paused_at, cancelled_at,
      cancel_reason, created_at, updated_at)
    select ${storeId}, m.id, ${s.planId}::bigint, (random() * 1e15)::bigint::text, '1', 'Plan', ${s.status}, 2900, 'USD', 'month', 1, ${at(0)},
           1, 1, 2, case when ${s.status} = 'paused' then ${at(0)}::timestamptz end,
           case when ${s.status} not in ('active', 'paused') then ${at(0)}::timestamptz end,
           case when ${s.status} not in ('active', 'paused') then 'other' end, ${at(s.minute)}, ${at(s.minute)}
      from (select id from members where store_id = ${storeId} order by id limit 3) m,
           generate_series(1, ${s.howMany}::int)`)
}

function addAttempts({ tx, storeId }: Ctx, a: { howMany: number; minute: number; status: string }) {
  return tx.run(sql`
    insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key,
      amount_minor, currency, scheduled_at, check_at, error_code, created_at, completed_at)
    select ${storeId}, s.id, (random() * 1e9)::int + 1, 1, ${a.status}, gen_random_uuid()::text, 2900, 'USD', ${at(a.minute)},
           case when ${a.status} = 'pending' then ${at(0)}::timestamptz end,
           case when ${a.status} = 'failed' then 'card_declined' end, ${at(0)},
           case when ${a.status} <> 'pending' then ${at(0)}::timestamptz end
      from (select id from subscriptions where store_id = ${storeId} order by id limit 3) s,
           generate_series(1, ${a.howMany}::int)`)
}

/** Moves every `nth` row of a list to another status and plan. */
function move({ tx, storeId }: Ctx, m: { list: string; nth: number; status: string; planId: number | null }) {
  const shown = m.status === 'active' || m.status === 'paused' ? m.status : 'cancelled'
  switch (m.list) {
    case 'members':
      return tx.run(sql`
        update members set status = ${shown}, plan_id = ${m.planId}, member_since = coalesce(member_since, ${at(0)})
         where store_id = ${storeId} and id % ${m.nth} = 0`)
    case 'subscriptions':
      return tx.run(sql`
        update subscriptions set status = ${m.status}, plan_id = ${m.planId},
               paused_at = case when ${m.status} = 'paused' then ${at(0)}::timestamptz end,
               cancelled_at = case when ${shown} = 'cancelled' then ${at(0)}::timestamptz end,
               cancel_reason = case when ${shown} = 'cancelled' then 'other' end
         where store_id = ${storeId} and id % ${m.nth} = 0`)
    default:
      return tx.run(sql`
        update billing_attempts set status = 'success', check_at = null, completed_at = ${at(0)}
         where store_id = ${storeId} and status = 'pending' and id % ${m.nth} = 0`)
  }
}

const ids = (rows: { id: number }[]) => rows.map(({ id }) => id)
const idsOf = async ({ tx }: Ctx, statement: Statement) => ids(await tx.many(row({ id: int }), statement))

type Question = {
  status: 'active' | 'paused' | 'cancelled' | undefined
  planIndex: number | undefined
  after: number | undefined
  before: number | undefined
  narrow: boolean
  limit: number
  offset: number
}

/** Asks each list the question, by the product's statements and by plain ones. */
async function assertSame(store: BuiltStore, plans: number[], question: Question) {
  const { storeId } = store
  const { status, narrow, limit, offset } = question
  const planId = question.planIndex === undefined ? undefined : (plans[question.planIndex] ?? 999)
  const after = question.after === undefined ? undefined : at(question.after)
  const before = question.before === undefined ? undefined : at(question.before)
  const narrowed = await store.inStore(({ tx }) =>
    tx.many(row({ id: int }), sql`select id from members where store_id = ${storeId} order by id limit 1`)
  )
  const memberId = narrow && narrowed[0] ? narrowed[0].id : null
  const [from, to] = [after ?? null, before ?? null]

  const expected = await store.inStore(async (ctx) => ({
    members: await idsOf(
      ctx,
      sql`
      select id from members where store_id = ${storeId} and status is not null
         and (${status ?? null}::text is null or status = ${status ?? null}) and (${planId ?? null}::bigint is null or plan_id = ${planId ?? null})
         and (not ${narrow} or lower(email) = 'p1@example.com') order by created_at desc, id desc`
    ),
    subscriptions: await idsOf(
      ctx,
      sql`
      select id from subscriptions where store_id = ${storeId}
         and (${status ?? null}::text is null or status = any(${status ? [...SHOWN[status]] : []}))
         and (${planId ?? null}::bigint is null or plan_id = ${planId ?? null})
         and (${from}::timestamptz is null or created_at > ${from}) and (${to}::timestamptz is null or created_at < ${to})
         and (${memberId}::bigint is null or member_id = ${memberId}) order by created_at desc, id desc`
    ),
    attempts: await idsOf(
      ctx,
      sql`
      select id from billing_attempts where store_id = ${storeId}
         and (${status ?? null}::text is null or status = case ${status ?? null} when 'active' then 'success' when 'paused' then 'pending' else 'failed' end)
         and (${from}::timestamptz is null or scheduled_at > ${from}) and (${to}::timestamptz is null or scheduled_at < ${to})
       order by scheduled_at desc, id desc`
    )
  }))
  const attemptStatus = status && ({ active: 'success', paused: 'pending', cancelled: 'failed' } as const)[status]
  const pages = {
    members: await listMembers(db.direct, storeId, {
      status,
      planId,
      email: narrow ? 'p1@EXAMPLE.com' : undefined,
      limit,
      offset
    }),
    subscriptions: await listSubscriptions(db.direct, storeId, {
      status,
      planId,
      customerId: memberId === null ? undefined : { memberId, platformId: null },
      createdAfter: after,
      createdBefore: before,
      limit,
      offset
    }),
    attempts: await listBillingAttempts(db.direct, storeId, {
      status: attemptStatus,
      dateFrom: after,
      dateTo: before,
      limit,
      offset
    })
  }
  for (const list of ['members', 'subscriptions', 'attempts'] as const) {
    const { rows, total } = pages[list]
    assert.deepEqual(
      { list, total, ids: ids(rows) },
      { list, total: expected[list].length, ids: expected[list].slice(offset, offset + limit) }
    )
  }
}

const minute = fc.integer({ min: 0, max: 12 })
const howMany = fc.integer({ min: 1, max: 9 })
const status = fc.constantFrom(...STATUSES)
const planIndex = fc.option(fc.constantFrom(0, 1), { nil: undefined })
const step = fc.oneof(
  fc.record({ kind: fc.constant('customers' as const), howMany, minute }),
  fc.record({ kind: fc.constant('subscriptions' as const), howMany, minute, status, planIndex }),
  fc.record({
    kind: fc.constant('attempts' as const),
    howMany,
    minute,
    status: fc.constantFrom('pending', 'success', 'failed')
  }),
  fc.record({
    kind: fc.constant('move' as const),
    list: fc.constantFrom('members', 'subscriptions', 'attempts'),
    nth: fc.integer({ min: 1, max: 4 }),
    status,
    planIndex
  }),
  fc.record({ kind: fc.constant('delete' as const), nth: fc.integer({ min: 2, max: 5 }) }),
  fc.constant({ kind: 'roll up' as const }),
  fc.constant({ kind: 'rebuild' as const })
)
const question = fc.record({
  status: fc.option(fc.constantFrom('active' as const, 'paused' as const, 'cancelled' as const), { nil: undefined }),
  planIndex: fc.option(fc.constantFrom(0, 1, 2), { nil: undefined }),
  after: fc.option(minute, { nil: undefined }),
  before: fc.option(minute, { nil: undefined }),
  narrow: fc.boolean(),
  limit: fc.integer({ min: 1, max: 8 }),
  offset: fc.integer({ min: 0, max: 60 })
})

test('after any writes, rolled up or waiting, every list returns what a plain query returns', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 18 }),
      fc.array(question, { minLength: 6, maxLength: 10 }),
      async (steps, questions) => {
        const [store, other] = [await aStore(db), await aStore(db)]
        const plans = await twoPlans(store)
        await other.inStore((ctx) => addCustomers(ctx, 5, 3))
        await other.inStore((ctx) => move(ctx, { list: 'members', nth: 1, status: 'active', planId: null }))
        for (const s of steps) {
          const planId = 'planIndex' in s && s.planIndex !== undefined ? plans[s.planIndex]! : null
          if (s.kind === 'roll up') await rollUpTotals(db, SMALL)
          else {
            await store.inStore(async (ctx) => {
              if (s.kind === 'customers') await addCustomers(ctx, s.howMany, s.minute)
              if (s.kind === 'subscriptions') await addSubscriptions(ctx, { ...s, planId })
              if (s.kind === 'attempts') await addAttempts(ctx, s)
              if (s.kind === 'move') await move(ctx, { ...s, planId })
              if (s.kind === 'delete')
                await ctx.tx.run(
                  sql`delete from billing_attempts where store_id = ${ctx.storeId} and id % ${s.nth} = 0`
                )
              if (s.kind === 'rebuild') await rebuild(ctx)
            })
          }
          await assertSame(store, plans, questions[0]!)
        }
        for (const q of questions) await assertSame(store, plans, q)
        await rollUpTotals(db, SMALL)
        for (const q of questions) await assertSame(store, plans, q)
        const { findings } = await store.inStore(audit)
        assert.deepEqual(
          findings.filter(({ check }) => check === 'lists_counted'),
          []
        )
      }
    ),
    { numRuns: 20, seed: 3, endOnFailure: true }
  )
})

const rebuild = ({ tx, storeId }: Ctx) =>
  tx.many(
    row({}),
    sql`
    select rebuild_list(${storeId}, list, ${SMALL.blockRows}, ${SMALL.chapterBlocks})
      from (values ('members'), ('subscriptions'), ('billing_attempts')) l(list)`
  )

test('while writers commit and roll back and the counts are rolled up, every total equals the rows of its snapshot', async () => {
  const store = await aStore(db)
  const until = performance.now() + 2_000
  const busy = () => performance.now() < until
  await store.inStore((ctx) => addCustomers(ctx, 40, 0))
  const writer = async (n: number) => {
    for (let i = 0; busy(); i++) {
      await store
        .inStore(async (ctx) => {
          if (i % 3 === 0) await addCustomers(ctx, 5, n + (i % 7))
          await move(ctx, { list: 'members', nth: 2 + ((n + i) % 5), status: STATUSES[(n + i) % 5]!, planId: null })
          if (i % 4 === 0) throw new Error('rolled back')
        })
        .catch((err: Error & { code?: string }) => {
          if (err.message !== 'rolled back') throw err
        })
    }
  }
  const folder = async () => {
    let rolledUp = 0
    while (busy()) rolledUp += await rollUpTotals(db, { ...SMALL, max: 300 })
    return rolledUp
  }
  let looked = 0
  const reader = async () => {
    while (busy()) {
      const found = await db.inInstallation((tx) =>
        tx.one(
          row({ kept: int, counted: int, keptActive: int, countedActive: int }),
          sql`
          select (select total from page_with_total(${store.storeId}, 'members', 0, '', null, null, 0, 1)) as kept,
                 (select total from page_with_total(${store.storeId}, 'members', 0, 'active', null, null, 0, 1)) as kept_active,
                 count(*) as counted, count(*) filter (where status = 'active') as counted_active
            from members where store_id = ${store.storeId} and status is not null`
        )
      )
      assert.deepEqual([found.kept, found.keptActive], [found.counted, found.countedActive])
      looked++
    }
  }
  const [rolledUp] = await Promise.all([folder(), folder(), reader(), writer(0), writer(1), writer(2)])
  assert.ok(rolledUp > 0 && looked > 0)
  await rollUpTotals(db, { ...SMALL, max: 300 })
  assert.deepEqual(
    (await store.inStore(audit)).findings.filter(({ check }) => check === 'lists_counted'),
    []
  )
})

test('the auditor finds counts that differ from the rows, and a rebuild corrects them', async () => {
  const store = await aStore(db)
  await store.inStore((ctx) => addCustomers(ctx, 20, 0))
  await store.inStore((ctx) => move(ctx, { list: 'members', nth: 1, status: 'active', planId: null }))
  await rollUpTotals(db, SMALL)
  const wrong = async () =>
    (await store.inStore(audit)).findings.filter(({ check }) => check === 'lists_counted').map(({ subject }) => subject)
  assert.deepEqual(await wrong(), [])

  await store.inStore(({ tx, storeId }) =>
    tx.run(
      sql`update list_blocks set rows = rows + 1 where store_id = ${storeId} and status = 'active' and from_at = '-infinity'`
    )
  )
  assert.deepEqual(await wrong(), ['members'])
  await store.inStore(rebuild)
  assert.deepEqual(await wrong(), [])
})

// test/schema.test.ts reads the plans of direct statements, which do not show what a function does.
test('every statement inside the functions of the lists names its store', async () => {
  const functions = await db.inInstallation((tx) =>
    tx.many(
      row({ name: text, body: text }),
      sql`
      select proname::text as name, prosrc as body from pg_proc
       where pronamespace = 'public'::regnamespace
         and proname in ('page_with_total', 'rank_in_list', 'count_between', 'roll_up_list_totals', 'cut_block', 'cut_chapters', 'rebuild_list')`
    )
  )
  assert.equal(functions.length, 7)
  for (const { name, body } of functions) {
    const reads = body.match(/(?:from|join) (?:list_\w+|members|subscriptions|billing_attempts)\b/g) ?? []
    const bound = body.match(/\bstore_id = (?:store|\$1)\b/g) ?? []
    assert.ok(bound.length >= reads.length, `${name}: ${reads.length} tables, ${bound.length} bound to the store`)
  }
  const callers = [...directStatements.values()].filter((statement) => statement.includes('page_with_total'))
  assert.equal(callers.length, 10)
  for (const statement of callers) assert.match(statement, /page_with_total\(\$1,/)
})
