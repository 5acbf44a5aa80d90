import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Plan } from '#plans'
import { aContract } from '../../test/contract-builder.ts'
import { billingDate } from '../subscriptions/schedule/billing-dates.ts'
import { type ImportTerms, importedSubscription } from './imported-subscription.ts'

const at = (text: string) => Temporal.Instant.from(text)
const ZONE = 'America/New_York'
const STORE = { timezone: ZONE } as Parameters<typeof importedSubscription>[4]
const TERMS: ImportTerms = {
  importId: 1,
  isPaused: false,
  pausedUntil: null,
  nextBillingAt: null,
  cyclesPaid: null,
  startedAt: null,
  plan: null
}
const WHO = { memberId: 1, receiverId: null, plan: null, originOrderId: null }

function imported(now: string, contract: Parameters<typeof aContract>[1], terms: Partial<ImportTerms> = {}) {
  const imported = importedSubscription(
    aContract(at('2024-01-31T15:00:00Z'), contract),
    { ...TERMS, ...terms },
    WHO,
    at(now),
    STORE
  )
  const dates = [0, 1, 2].map((ahead) => String(billingDate(imported, imported.nextCycle + ahead, ZONE)).slice(0, 10))
  return { created: imported, dates }
}

test('of a date that has passed the next of its series after now counts, and its day of the month stays', () => {
  const cases = [
    ['2026-02-10T00:00:00Z', '2026-02-20T15:00:00Z', ['2026-02-20', '2026-03-20', '2026-04-20']],
    ['2026-02-10T00:00:00Z', '2025-10-31T15:00:00Z', ['2026-02-28', '2026-03-31', '2026-04-30']],
    ['2026-02-28T15:00:00Z', '2025-10-31T14:00:00Z', ['2026-03-31', '2026-04-30', '2026-05-31']],
    ['2026-02-10T00:00:00Z', '2015-03-03T15:00:00Z', ['2026-03-03', '2026-04-03', '2026-05-03']]
  ] as const
  for (const [now, date, expected] of cases) {
    for (const cyclesPaid of [null, 0, 41]) {
      const { created, dates } = imported(now, { nextBillingDate: at(date) }, { cyclesPaid })
      assert.deepEqual(dates, expected, `${date} ${cyclesPaid}`)
      assert.equal(String(created.nextBillingAt).slice(0, 10), expected[0])
      assert.ok(created.anchorCycle >= 1)
      assert.equal(created.nextCycle, (cyclesPaid ?? 1) + 1)
    }
  }
})

test('the date of the row comes before that of the platform; without either the series of its beginning goes on', () => {
  const rowDate = { nextBillingAt: at('2026-03-15T12:00:00Z') }
  assert.equal(
    imported('2026-02-10T00:00:00Z', { nextBillingDate: at('2026-02-20T15:00:00Z') }, rowDate).dates[0],
    '2026-03-15'
  )
  assert.equal(imported('2026-02-10T00:00:00Z', { nextBillingDate: null }).dates[0], '2026-02-28')
})

test('a pause of the platform stays a pause, and only one of the import ends by itself', () => {
  const until = at('2026-03-01T00:00:00Z')
  const platform = imported('2026-02-10T00:00:00Z', { status: 'paused' }, { pausedUntil: until }).created
  assert.deepEqual([platform.status, platform.resumesAt, platform.nextBillingAt], ['paused', null, null])
  const ours = imported('2026-02-10T00:00:00Z', {}, { isPaused: true, pausedUntil: until }).created
  assert.deepEqual([ours.status, String(ours.resumesAt)], ['paused', '2026-03-01T00:00:00Z'])
})

test('an import that names a plan counts its price, its version and its receiver; what has ended does not resume', () => {
  const plan = { id: 7, name: 'VIP', currentVersion: 3, platformSellingPlanId: '703', versions: [] } as unknown as Plan
  const { lines } = aContract(at('2024-01-31T15:00:00Z'))
  const [vip, mug] = [
    { ...lines[0]!, sellingPlanId: '703', lastingPriceMinor: 2500 },
    { ...lines[0]!, lastingPriceMinor: 400 }
  ]
  const { created } = imported('2026-02-10T00:00:00Z', { lines: [vip, mug] }, { plan })
  assert.deepEqual(
    [created.planId, created.planVersion, created.unitPriceMinor, created.name, created.giftedAt],
    [7, 3, 2500, 'VIP', null]
  )
  const over = imported(
    '2026-02-10T00:00:00Z',
    { status: 'cancelled' },
    { isPaused: true, pausedUntil: at('2026-03-01T00:00:00Z') }
  )
  assert.deepEqual([over.created.status, over.created.resumesAt, over.created.pausedAt], ['cancelled', null, null])
  const now = at('2026-02-10T00:00:00Z')
  const gift = importedSubscription(aContract(now), TERMS, { ...WHO, receiverId: 5 }, now, STORE)
  assert.deepEqual([gift.receiverMemberId, String(gift.giftedAt)], [5, String(now)])
})

test('where the order of a contract is withheld, the import says how many cycles are paid', () => {
  const withheld = { originOrder: undefined }
  assert.equal(imported('2026-02-10T00:00:00Z', withheld, { cyclesPaid: 3 }).created.cycleIndex, 3)
  assert.throws(() => imported('2026-02-10T00:00:00Z', withheld), /withholds the order of contract/)
})
