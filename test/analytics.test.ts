import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { suite, test } from 'node:test'
import { activateOffer, addShown, createOffer } from '#churn'
import { changeCredits, restoreCredit } from '#credits'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { Refusal } from '#kit/refusal'
import { cancelSubscription, pauseSubscription, resumeSubscription } from '#lifecycle'
import { findCustomerId, parseCustomerId } from '#members'
import { Oracle } from './analytics-oracle.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

const PLANS = [
  { name: 'Weekly', type: 'vip', price: '7.00', interval: 'week' },
  { name: 'Every 10 days', type: 'vip', price: '13.00', interval: 'day', interval_count: 10 },
  { name: 'Trial', type: 'elite', price: '31.00', interval: 'month', trial_days: 9, tier: 'Elite' },
  { name: 'Year', type: 'elite', price: '100.00', interval: 'year' },
  { name: 'Thirteen weeks', type: 'vip', price: '41.00', interval: 'week', interval_count: 13 }
]

/** The sandbox's checkout refuses a card that declines. */
async function unlessDeclined(act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (err) {
    if (!/checkout was declined/.test((err as Error).message)) throw err
  }
}

type Lived = {
  n: number
  today: string
  store: Awaited<ReturnType<typeof service.aStore>>
  oracle: Oracle
  inStore: <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>
}
type Life = { timezone: string; currency: string; decimals: number; from: string; days: number; seed: number }

async function live({ timezone, currency, decimals, from, days, seed }: Life, onDay: (lived: Lived) => Promise<void>) {
  const random = randomFrom(seed)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!
  const at = (day: Temporal.PlainDate, time: string) =>
    day.toZonedDateTime({ timeZone: timezone, plainTime: time }).toInstant()
  const first = Temporal.PlainDate.from(from)
  const store = await service.aStore({ timezone, currency, clock: at(first, '00:30').toString() })
  const whole = (price: string) => (decimals === 0 ? price.replace('.', '') : price)
  for (const plan of PLANS) await service.admin('POST', `${store.at}/plans`, { ...plan, price: whole(plan.price) })
  const oracle = new Oracle(timezone, decimals)
  const inStore = <T>(work: (ctx: Ctx) => Promise<T>) => service.db.inStore(store.storeId, work)
  const people: { customer: { id: string }; order_id: string }[] = []
  const post = (path: string, body: unknown) =>
    fetch(`${service.urls.public}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${store.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body)
    })

  const gift = async (customer: string, expires: boolean) => {
    const inThreeDays = (await inStore(async (ctx) => ctx.now)).add({ hours: 73 }).toString()
    const given = await post(`/store-credits/${customer}/add`, {
      amount: 10 + Math.floor(random() * 30),
      reason: 'gift',
      ...(expires && { expires_at: inThreeDays })
    })
    assert.ok(given.status < 300)
  }
  /** Spends credit, and gives a part of that back. */
  const redeem = (customer: string) =>
    inStore(async (ctx) => {
      const memberId = await findCustomerId(ctx, parseCustomerId(customer, 'platform'))
      const spent = { memberId: memberId!, amountMinor: -3, reason: 'spent', operationId: randomUUID() }
      const [done] = await changeCredits(ctx, [{ ...spent, type: 'redemption', isCapped: true }])
      const { id: entryId, operationId } = done!.entry!
      const type = 'redemption_restored' as const
      const restored = { entryId, memberId: memberId!, type, amountMinor: 1, reason: 'returned' }
      await restoreCredit(ctx, [{ ...restored, operationId: `${operationId}:back` }])
    })
  const subscriptionsIn = (status: string) =>
    inStore(({ tx, storeId, now }) =>
      tx.many(
        row({ id: int }),
        // Entries of earlier days, since the oracle reads a day only at its end.
        sql`select id from subscriptions where store_id = ${storeId} and status = ${status}
               and created_at < ${now.subtract({ hours: 26 })} order by id`
      )
    )
  const offerIds = await inStore(async (ctx) => {
    const none = { description: null, target: null, isOfEachItem: false, minMemberDays: 0, minDaysSinceOffer: 0 }
    const input = { ...none, reasons: ['too_expensive', 'other'], isForTrials: true, isOn: true }
    const off = { discount_type: 'percentage', discount_value: 20, recurring_cycle_limit: 1 }
    const ids: number[] = []
    for (const one of [
      { name: 'Less', type: 'discount_price', rules: off },
      { name: 'Rarely', type: 'change_frequency', rules: { interval_count: 3, interval_name: 'week' } },
      { name: 'Credit', type: 'add_store_credits', rules: { credit_amount: 3 } }
    ] as const) {
      ids.push((await createOffer(ctx, { ...input, ...one })).id)
    }
    return ids
  })
  // Drawn apart from the rest.
  const drawn = randomFrom(seed + 1)
  const draw = <T>(list: readonly T[]) => list[Math.floor(drawn() * list.length)]!
  const offersOfDay = async () => {
    const offerId = draw(offerIds)
    const withOffer = { alias: draw(['too_expensive', 'other'] as const), offerId, times: 1 + Math.floor(drawn() * 3) }
    await inStore((ctx) => addShown(ctx, [withOffer, { alias: 'order_issues', offerId: 0, times: 1 }]))
    const found = await subscriptionsIn(draw(['active', 'active', 'paused']))
    if (found.length > 0 && drawn() < 0.6) await accept(draw(found).id, offerId)
  }
  const accept = async (subscriptionId: number, offerId: number) => {
    const acceptance = { subscriptionId, offerId, reason: null, isShopper: false, by: 'customer' as const }
    await activateOffer(service.deps, store.storeId, acceptance).catch((err) => {
      if (!(err instanceof Refusal)) throw err
    })
    await inStore((ctx) => oracle.look(ctx))
  }
  const acts: Record<string, () => Promise<unknown>> = {
    join: async () =>
      people.push(await store.member(`m${people.length}@example.com`, pick(['VIP', ...PLANS.map((p) => p.name)]))),
    joinAgain: async () => {
      const again = pick(people)
      await service.admin('POST', `${store.at}/sandbox/joins`, { customer: again.customer.id, plan: pick(PLANS).name })
    },
    card: () =>
      store.card(
        pick(people).customer.id,
        pick(['insufficient_funds', 'expired_card', 'success', 'success', 'late', '3ds'])
      ),
    replaceCard: () => store.card(pick(people).customer.id, 'success'),
    cancel: async () => {
      const found = await subscriptionsIn(pick(['active', 'paused']))
      if (found.length > 0) {
        await inStore((ctx) =>
          cancelSubscription(ctx, pick(found).id, {
            reason: pick(['too_expensive', 'moved', 'other', 'Zwölf % "x"']),
            comment: null,
            by: 'customer'
          })
        )
      }
    },
    pause: async () => {
      const found = await subscriptionsIn('active')
      const until = pick([null, 24 * 5])
      if (found.length > 0) {
        await inStore((ctx) =>
          pauseSubscription(ctx, pick(found).id, until === null ? null : ctx.now.add({ hours: until }), 'customer')
        )
      }
    },
    resume: async () => {
      const found = await subscriptionsIn('paused')
      if (found.length > 0) await inStore((ctx) => resumeSubscription(ctx, pick(found).id, null, 'customer'))
    },
    refund: async () => {
      const orders = await inStore(({ tx, storeId }) =>
        tx.many(
          row({ platformOrderId: text, left: int }),
          sql`select platform_order_id, total_minor - refunded_minor as left from orders
               where store_id = ${storeId} and total_minor > refunded_minor order by id`
        )
      )
      if (orders.length === 0) return
      const order = pick(orders)
      await service.admin('POST', `${store.at}/sandbox/refunds`, {
        order: order.platformOrderId,
        ...(random() < 0.5 && { amount: decimals === 0 ? '100' : '1.00' })
      })
    },
    shop: () =>
      service.admin('POST', `${store.at}/sandbox/orders`, {
        customer: pick(people).customer.id,
        total: whole('50.00')
      }),
    credit: async () => {
      const customer = pick(people).customer.id
      await gift(customer, random() < 0.4)
      await post(`/store-credits/${customer}/deduct`, { amount: 1 + Math.floor(random() * 15), reason: 'used' })
      await redeem(customer)
    },
    points: () =>
      inStore(({ tx, storeId, now }) =>
        tx.run(sql`
          insert into points_entries (store_id, member_id, points, balance_after, reason, operation_id, created_at)
          select ${storeId}, id, ${pick([50, 120, -30])}::bigint, 0, 'test', gen_random_uuid()::text, ${now}
            from members where store_id = ${storeId} order by id limit 3`)
      )
  }
  const weights = [
    'join',
    'join',
    'join',
    'joinAgain',
    'card',
    'card',
    'replaceCard',
    'cancel',
    'pause',
    'resume',
    'refund',
    'shop',
    'credit',
    'points'
  ]

  const joins = (plan: string) => async () => people.push(await store.member(`m${people.length}@example.com`, plan))
  const card = (person: number, outcome: string) => () => store.card(people[person]!.customer.id, outcome)
  // Every run must include a trial, a recovered decline, an unrecovered one and a charge that stays open.
  const script: Record<string, () => Promise<unknown>> = {
    '0 00:40': joins('Weekly'),
    '0 13:07': joins('Weekly'),
    '1 00:40': joins('Trial'),
    '1 13:07': joins('Weekly'),
    '2 00:40': card(0, 'insufficient_funds'),
    '2 13:07': card(1, 'expired_card'),
    '3 00:40': () => gift(people[0]!.customer.id, true),
    '8 00:40': card(0, 'success'),
    [`${days - 9} 13:07`]: card(3, '3ds'),
    [`${days - 8} 13:07`]: card(0, '3ds')
  }

  for (let n = 0; n < days; n++) {
    const day = first.add({ days: n })
    for (const time of ['00:40', '13:07']) {
      await store.advance({ to: at(day, time).toString() })
      await unlessDeclined(script[`${n} ${time}`] ?? acts[pick(weights)]!)
      await service.deps.settle(store.storeId)
    }
    await offersOfDay()
    await store.advance({ to: at(day, '23:58').toString() })
    await inStore((ctx) => oracle.look(ctx))
    await onDay({ n, today: day.toString(), store, oracle, inStore })
  }
}

const LIVES: Life[] = [
  { timezone: 'Pacific/Auckland', currency: 'JPY', decimals: 0, from: '2026-03-10', days: 32, seed: 12 },
  { timezone: 'Europe/Vienna', currency: 'EUR', decimals: 2, from: '2026-03-09', days: 32, seed: 17 }
]

const PERIODS = { '7d': 7, '30d': 30, '90d': 90, '365d': 365 }

async function agree({ store, oracle, inStore, today }: Lived, { timezone, currency }: Life) {
  const plans = await inStore(({ tx, storeId }) =>
    tx.many(row({ id: int }), sql`select id from plans where store_id = ${storeId} order by id`)
  )
  for (const [period, days] of Object.entries(PERIODS)) {
    for (const plan of [null, ...plans.map((p) => p.id)]) {
      const filter = plan === null ? '' : `&plan_id=plan_${plan}`
      const { body, status } = await service.get(`/analytics/overview?period=${period}${filter}`, store.key)
      assert.equal(status, 200)
      const from = Temporal.PlainDate.from(today).subtract({ days: days - 1 })
      const metrics = (since: Temporal.PlainDate, to: Temporal.PlainDate) =>
        inStore((ctx) => oracle.metrics(ctx, since.toString(), to.toString(), plan))
      const current = await metrics(from, Temporal.PlainDate.from(today))
      const { series: _, ...previous } = await metrics(from.subtract({ days }), from.subtract({ days: 1 }))
      const planId = plan === null ? null : `plan_${plan}`
      assert.deepEqual(
        body.data,
        { period, timezone, currency, plan_id: planId, ...current, previous },
        `${period} of ${planId} on ${today}`
      )
    }
  }
}

async function wrongMetrics(store: Lived['store']): Promise<unknown[]> {
  const { findings } = await service.admin('POST', '/doctor', { store: store.id })
  return findings.filter((finding: { check: string }) => finding.check === 'metrics_consistent')
}

const rebuild = ({ inStore }: Lived) =>
  inStore(({ tx, storeId }) => tx.one(row({ corrected: int }), sql`select rebuild_metrics(${storeId}) as corrected`))

// Half of each is waiting for the database.
suite('overview', { concurrency: true }, () => {
  for (const life of LIVES) {
    test(`over a daylight saving change in ${life.timezone}: every metric equals the value from the raw rows`, async (t) => {
      let end: Lived | undefined
      await live(life, async (lived) => {
        end = lived
        if (lived.n === 5 || lived.n === 21) await agree(lived, life)
      })
      const lived = end!
      const { inStore, store } = lived

      await t.test('as maintained by the writes', () => agree(lived, life))
      const { churn } = (await service.get('/analytics/overview?period=90d', store.key)).body.data
      const { offers_shown: shown, offers_accepted: accepted, saved } = churn
      assert.ok(shown > accepted && accepted > saved && saved > 0, JSON.stringify(churn))
      await t.test('the doctor finds no difference', async () => assert.deepEqual(await wrongMetrics(store), []))
      await t.test('after the metrics are damaged and rebuilt', async () => {
        await inStore(async ({ tx, storeId }) => {
          await tx.run(sql`delete from daily_metrics where store_id = ${storeId} and extract(day from day) > 9`)
          await tx.run(sql`delete from daily_cancellations where store_id = ${storeId} and plan_id = 0`)
          await tx.run(sql`delete from metric_changes where store_id = ${storeId}`)
          await tx.run(
            sql`update daily_metrics set revenue = 7, yearly_value = 3 where store_id = ${storeId} and plan_id <> 0`
          )
        })
        assert.notDeepEqual(await wrongMetrics(store), [])
        assert.ok((await rebuild(lived)).corrected > 0)
        assert.deepEqual(await wrongMetrics(store), [])
        assert.deepEqual(await rebuild(lived), { corrected: 0 })
        await agree(lived, life)
        await service.deps.settle(store.storeId)
        await agree(lived, life)
        assert.deepEqual(await rebuild(lived), { corrected: 0 })
      })
      const stored = await inStore(({ tx, storeId }) =>
        tx.many(
          row({ metric: text }),
          sql`select metric from rolled_up_metrics where store_id = ${storeId}
               union select metric from metric_changes where store_id = ${storeId} order by 1`
        )
      )
      assert.equal(stored.length, 22, `every metric occurs in the run: ${stored.map((k) => k.metric)}`)
    })
  }
})

test('metrics of credit that were counted in another way are counted anew by the job of the migration', async () => {
  const store = await service.aStore()
  const { storeId, key } = store
  const { customer } = await store.member('ada@example.com', 'VIP')
  const inStore = <T>(work: (ctx: Ctx) => Promise<T>) => service.db.inStore(storeId, work)
  await service.deps.settle(storeId)
  const memberId = await inStore((ctx) => findCustomerId(ctx, parseCustomerId(customer.id, 'platform')))
  await inStore(async (ctx) => {
    const common = { memberId: memberId!, reason: 'a test' }
    await changeCredits(ctx, [
      { ...common, type: 'manual_add', amountMinor: 2000, operationId: 'added' },
      { ...common, type: 'manual_deduct', amountMinor: -300, operationId: 'deducted' }
    ])
    const [spent] = await changeCredits(ctx, [
      { ...common, type: 'redemption', amountMinor: -700, operationId: 'spent' }
    ])
    const back = { entryId: spent!.entry!.id, type: 'redemption_restored', amountMinor: 200 } as const
    await restoreCredit(ctx, [{ ...common, ...back, operationId: 'restored' }])
  })
  const credit = async () => (await service.get('/analytics/overview?period=7d', key)).body.data.store_credits
  const counted = { issued: 20, redeemed: 5, expired: 0, outstanding: 12 }
  assert.deepEqual(await credit(), counted)
  // As it was counted before: what is restored was issued again, and what was deducted by hand was redeemed.
  await inStore(({ tx }) =>
    tx.run(sql`
      insert into metric_changes (store_id, day, metric, amount)
      select ${storeId}, day, f.metric, f.amount
        from (values ('credit_issued', 200), ('credit_redeemed', 500)) f(metric, amount)
       cross join (select day from metric_changes where store_id = ${storeId} and metric = 'credit_issued' limit 1) d`)
  )
  assert.deepEqual(await credit(), { ...counted, issued: 22, redeemed: 10 })
  const migration = await readFile('migrations/0043-kit-rebuild-metrics.sql', 'utf8')
  await service.db.inInstallation((tx) => tx.run({ name: 'rebuild_metrics_again', text: migration, values: [] }))
  await service.deps.settle(storeId)
  assert.deepEqual(await credit(), counted)
  assert.deepEqual(await wrongMetrics(store), [])
})
