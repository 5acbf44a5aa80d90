import assert from 'node:assert/strict'
import { rebuildMetrics } from '#analytics'
import { audit } from '#audit'
import { settleAttempts } from '#billing'
import { upsertFromContracts } from '#contracts'
import { type Ctx, type Database, instant, int, type RowOf, row, sql, text } from '#kit/postgres'
import { updateSettings, updateShop } from '#stores'
import { rebaseNextSubscriptions } from '#subscriptions'
import { scheduleSettings } from '#subscriptions/settings'
import { openDueAttempts } from '../src/billing/charging/open-attempts.ts'
import { aContract, anOrder } from '../test/contract-builder.ts'
import { aStore } from '../test/store-builder.ts'

/** Whether all cycles missed while nothing ran are billed, or only the latest. */
export type CatchUpMode = 'all' | 'latest'
export type Shop = Awaited<ReturnType<typeof openShop>>
/** A billed cycle, and the time zone in which its date was calculated. `nth` is the index of its subscription. */
export type Billed = { subscriptionId: number; nth: number; cycle: number; dueAt: Temporal.Instant; zone: string }

const DAYS = [28, 29, 30, 31]
const MAX_SUBSCRIPTIONS = 100

const BillingState = row({ id: int, nextCycle: int, dueAt: instant })
const Open = row({ key: text, subscriptionId: int, cycle: int, dueAt: instant })

type Opening = { fromYear: number; zone: string; time: string; catchUp: CatchUpMode }
type Run = { billed: Billed[]; missed: number }

/** A store in the time zone with a monthly subscription started on each of DAYS in January, whose charges all succeed. */
export async function openShop(db: Database, { fromYear, zone, time, catchUp }: Opening) {
  const startsOn = DAYS.map((day) => Temporal.PlainDateTime.from(`${fromYear}-01-${day}T${time}`))
  const starts = startsOn.map((local) => local.toZonedDateTime(zone).toInstant())
  const store = await aStore(db, { timezone: zone, clockAt: starts.at(-1)! })
  let inZone = zone
  let billingStates: RowOf<typeof BillingState>[] = await store.inStore(async (ctx) => {
    await updateSettings(ctx, scheduleSettings, { catchUp })
    const contracts = starts.map((at) => aContract(at))
    const orders = contracts.map((contract, i) => anOrder(starts[i]!, { id: contract.originOrder!.id }))
    await upsertFromContracts(ctx, contracts, orders)
    return listBillingStates(ctx)
  })

  const isDue = (at: Temporal.Instant, now: Temporal.Instant) => Temporal.Instant.compare(at, now) <= 0

  const bill = async (ctx: Ctx): Promise<Run> => {
    const run: Run = { billed: [], missed: 0 }
    for (;;) {
      const due = billingStates.filter(({ dueAt }) => isDue(dueAt, ctx.now))
      if (due.length === 0) return run
      assert.equal(await openDueAttempts(ctx, MAX_SUBSCRIPTIONS), due.length)
      const open = await succeed(ctx)
      assert.deepEqual(
        open.map(({ subscriptionId }) => subscriptionId),
        due.map(({ id }) => id)
      )
      const before = billingStates
      billingStates = await listBillingStates(ctx)
      for (const { subscriptionId, cycle, dueAt } of open) {
        const nth = before.findIndex(({ id }) => id === subscriptionId)
        const next = billingStates[nth]!
        assert.ok(isDue(dueAt, ctx.now), 'billed before its time')
        assert.equal(next.nextCycle, cycle + 1)
        const passed = cycle - before[nth]!.nextCycle
        if (catchUp === 'all') assert.equal(passed, 0, 'not the next cycle')
        else assert.ok(!isDue(next.dueAt, ctx.now), 'not the latest cycle')
        run.missed += passed
        run.billed.push({ subscriptionId, nth, cycle, dueAt, zone: inZone })
      }
    }
  }
  const billsNothing = async (ctx: Ctx) =>
    assert.equal(await openDueAttempts(ctx, MAX_SUBSCRIPTIONS), 0, `billed at ${ctx.now}`)
  const setClock = (to: Temporal.Instant) =>
    store.inStore(({ tx, storeId }) => tx.run(sql`update stores set clock_at = ${to} where store_id = ${storeId}`))

  return {
    startsOn,
    zone: () => inZone,
    billingStates: () => billingStates,
    nextDue: () => billingStates.map(({ dueAt }) => dueAt).sort(Temporal.Instant.compare)[0]!,

    billAt: (now: Temporal.Instant) => store.inStore((ctx) => bill({ ...ctx, now })),
    billsNothingAt: (now: Temporal.Instant) => store.inStore((ctx) => billsNothing({ ...ctx, now })),

    /** Like `billAt`, with the store's clock set to that instant, forward or back. */
    async billByClockAt(now: Temporal.Instant) {
      await setClock(now)
      return store.inStore(bill)
    },
    async billsNothingByClockAt(now: Temporal.Instant) {
      await setClock(now)
      await store.inStore(billsNothing)
    },

    /** Changes the shop's time zone: dates keep their local days and times. */
    async moveTo(other: string) {
      billingStates = await store.inStore(async (ctx) => {
        const moved = await updateShop(ctx, { name: 'Test shop', timezone: other })
        if (moved) for (let last: number | null = 0; last !== null; ) last = await rebaseNextSubscriptions(ctx, last)
        await rebuildMetrics(ctx)
        return listBillingStates(ctx)
      })
      inZone = other
    },

    /** The auditor's findings, except for undispatched events, since no dispatcher runs here. */
    findings: async () => (await store.inStore(audit)).findings.filter(({ check }) => check !== 'events_dispatched'),

    countCharges: () =>
      store.inStore(({ tx, storeId }) =>
        tx.one(
          row({ charges: int, cycles: int }),
          sql`select count(*) as charges, count(distinct (subscription_id, cycle_index)) as cycles
                from billing_attempts where store_id = ${storeId} and status = 'success'`
        )
      )
  }
}

function listBillingStates({ tx, storeId }: Ctx) {
  return tx.many(
    BillingState,
    sql`select id, next_cycle, billing_due_at as due_at from subscriptions where store_id = ${storeId} order by id`
  )
}

async function succeed(ctx: Ctx) {
  const open = await ctx.tx.many(
    Open,
    sql`
    select idempotency_key as key, subscription_id, cycle_index as cycle, cycle_at as due_at
      from billing_attempts where store_id = ${ctx.storeId} and status = 'pending' order by subscription_id`
  )
  const results = open.map(({ key }) => ({
    idempotencyKey: key,
    platformAttemptId: null,
    state: 'success' as const,
    order: anOrder(ctx.now),
    paymentMethod: null
  }))
  assert.equal(await settleAttempts(ctx, results), open.length)
  return open
}
