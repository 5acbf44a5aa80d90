// The report against one that is counted row by row, over random acceptances around the ends of months in several time zones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upsertFromContracts } from '#contracts'
import { sql } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { findSubscriptionByContract } from '#subscriptions'
import { aContract, anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aStore, type BuiltStore } from '../../../test/store-builder.ts'
import { createOffer } from '../offers/change-offers.ts'
import { REASON_ALIASES, type ReasonAlias } from '../reasons/reasons.ts'
import { addShown } from './add-shown.ts'
import { listSaveRates, type SaveRate } from './save-rates.ts'

const { db } = await testDatabase()
const NOW = Temporal.Instant.from('2026-06-30T23:30:00Z')
const REASONS: (ReasonAlias | null)[] = ['too_expensive', 'other', null]

async function subscriptionsOf(store: BuiltStore, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let i = 0; i < count; i++) {
    const contract = aContract(NOW)
    const order = anOrder(NOW, { id: contract.originOrder!.id })
    ids.push(
      await store.inStore(async (ctx) => {
        await upsertFromContracts(ctx, [contract], [order])
        return (await findSubscriptionByContract(ctx, contract.id))!.id
      })
    )
  }
  return ids
}

async function offersOf(store: BuiltStore, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let i = 0; i < count; i++) {
    const credit = {
      type: 'add_store_credits',
      rules: { credit_amount: 10 },
      target: null,
      isOfEachItem: false
    } as const
    const input = { name: `Offer ${i}`, description: null, reasons: ['other'], minMemberDays: 0, minDaysSinceOffer: 0 }
    ids.push(
      (await store.inStore((ctx) => createOffer(ctx, { ...credit, ...input, isForTrials: true, isOn: true }))).id
    )
  }
  return ids
}

type Acceptance = {
  subscriptionId: number
  offerId: number
  reason: ReasonAlias | null
  acceptedAt: Temporal.Instant
  lostAt: Temporal.Instant | null
  status: 'applying' | 'active' | 'cancelled'
}

const insertAcceptances = (store: BuiltStore, all: Acceptance[]) =>
  store.inStore(async ({ tx, storeId }) => {
    for (const one of all) {
      const isOver = one.status === 'cancelled'
      await tx.run(sql`
        insert into contract_offers (store_id, subscription_id, offer_id, name, type, currency, is_of_each_item, credit_minor, status,
                                     answer_by, reason, accepted_at, lost_at, ended_at, ended_by, updated_at)
        values (${storeId}, ${one.subscriptionId}, ${one.offerId}, 'Offer', 'add_store_credits', 'USD', false, 1000, ${one.status},
                ${one.status === 'applying' ? NOW : null}, ${one.reason}, ${one.acceptedAt}, ${one.lostAt},
                ${isOver ? NOW : null}, ${isOver ? 'revoked' : null}, ${NOW})`)
    }
  })

type Shown = { at: Temporal.Instant; alias: ReasonAlias; offerId: number; times: number }

/** The same report, counted one by one. */
function counted(accepted: Acceptance[], shown: Shown[], months: number, timezone: string): Map<string, number[]> {
  const monthOf = (at: Temporal.Instant) => at.toZonedDateTimeISO(timezone).toPlainDate().toPlainYearMonth()
  const isIn = (at: Temporal.Instant) => monthOf(at).until(monthOf(NOW), { largestUnit: 'months' }).months < months
  const cells = new Map<string, number[]>()
  const add = (key: unknown[], values: number[]) => {
    const sofar = cells.get(key.join()) ?? values.map(() => 0)
    cells.set(
      key.join(),
      sofar.map((sum, i) => sum + values[i]!)
    )
  }
  for (const one of shown.filter(({ at }) => isIn(at))) {
    add([monthOf(one.at), one.alias, one.offerId || null], [one.times, 0, 0, 0, 0, 0, 0, 0])
  }
  for (const one of accepted.filter(({ acceptedAt, status }) => isIn(acceptedAt) && status !== 'applying')) {
    const stayed = [30, 60, 90].flatMap((days) => {
      const then = one.acceptedAt.add({ hours: 24 * days })
      const isPast = Temporal.Instant.compare(then, NOW) <= 0
      const isThere = isPast && (one.lostAt === null || Temporal.Instant.compare(one.lostAt, then) >= 0)
      return [Number(isPast), Number(isThere)]
    })
    add([monthOf(one.acceptedAt), one.reason, one.offerId], [0, 1, ...stayed])
  }
  return cells
}

const asCells = (rates: SaveRate[]) =>
  new Map(
    rates.map(({ month, reason, offerId, shown, accepted, after30, after60, after90 }) => [
      [month, reason, offerId].join(),
      [shown, accepted, ...[after30, after60, after90].flatMap((one) => [one.accepted, one.active])]
    ])
  )

for (const [timezone, seed] of [
  ['Pacific/Auckland', 3],
  ['America/New_York', 4],
  ['Europe/Vienna', 5]
] as const) {
  test(`in ${timezone}, each number is that of the rows`, async () => {
    const store = await aStore(db, { clockAt: NOW, timezone })
    const random = randomFrom(seed)
    const upTo = (n: number) => Math.floor(random() * n)
    const pick = <T>(list: readonly T[]) => list[upTo(list.length)]!
    const [subscriptions, offers] = [await subscriptionsOf(store, 40), await offersOf(store, 4)]
    const hoursAgo = (hours: number) => NOW.subtract({ hours })
    // Near ends of months, near 30, 60 and 90 days ago to the hour, and anywhere.
    const moment = () => {
      const midnight = Temporal.PlainDate.from({ year: 2026, month: 1 + upTo(6), day: 1 }).toZonedDateTime(timezone)
      return pick([
        () => midnight.toInstant().add({ hours: pick([-1, 0, 1]) }),
        () => hoursAgo(24 * pick([30, 60, 90]) + pick([-1, 0, 1])),
        () => hoursAgo(upTo(24 * 200))
      ])()
    }
    const accepted = subscriptions.flatMap((subscriptionId) =>
      offers
        .filter(() => random() < 0.6)
        .map((offerId, i): Acceptance => {
          const acceptedAt = moment()
          const days = pick([null, null, 1, 29, 30, 31, 59, 60, 61, 90, 120])
          const end = days === null ? null : acceptedAt.add({ hours: 24 * days + pick([-1, 0, 1]) })
          const lostAt = end !== null && Temporal.Instant.compare(end, NOW) <= 0 ? end : null
          const status = i > 0 ? 'cancelled' : pick(['applying', 'active'] as const)
          return { subscriptionId, offerId, reason: pick(REASONS), acceptedAt, lostAt, status }
        })
    )
    await insertAcceptances(store, accepted)
    const shown: Shown[] = Array.from({ length: 60 }, () => ({
      ...{ at: moment(), alias: pick(REASON_ALIASES), offerId: pick([0, ...offers]), times: 1 + upTo(5) }
    }))
    for (const { at, ...one } of shown) await store.inStore((ctx) => addShown({ ...ctx, now: at }, [one]))
    for (const months of [1, 2, 3, 12]) {
      const rates = await store.inStore((ctx) => listSaveRates(ctx, months))
      const expected = counted(accepted, shown, months, timezone)
      assert.ok(months < 12 || expected.size > 20)
      assert.deepEqual(asCells(rates), expected, `${months} months`)
      assert.equal(rates.length, expected.size)
      const places = rates.map((one) => [
        one.month,
        one.reason === null ? 9 : REASON_ALIASES.indexOf(one.reason),
        one.offerId ?? 0
      ])
      const sorted = places.toSorted(
        (a, b) => (a[0]! < b[0]! ? 1 : a[0]! > b[0]! ? -1 : 0) || +a[1]! - +b[1]! || +a[2]! - +b[2]!
      )
      assert.deepEqual(places, sorted)
      for (const { offerId, offerName } of rates) {
        assert.equal(offerName, offerId === null ? null : `Offer ${offers.indexOf(offerId)}`)
      }
    }
  })
}

test('a store in which nothing happened has an empty report', async () => {
  const store = await aStore(db, { clockAt: NOW })
  assert.deepEqual(await store.inStore((ctx) => listSaveRates(ctx, 12)), [])
})
