// Cycles that fell due while nothing could be charged: what comes of them when the customer brings another card.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitingKeys } from '#kit/jobs'
import { updateSettings } from '#stores'
import { scheduleSettings } from '#subscriptions/settings'
import { anOrder } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife as lifeOf } from '../../test/subscription-life.ts'
import { syncContractJob } from '../subscriptions/platform-requests.ts'
import { settleAttempts } from './settling/settle-attempts.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'
const cyclesOf = async (life: Awaited<ReturnType<typeof lifeOf>>) =>
  (await life.attempts()).filter(({ status }) => status === 'success').map(({ cycleIndex }) => cycleIndex)

for (const [catchUp, paid] of [
  ['latest', [2, 5]],
  ['all', [2, 3, 4, 5]]
] as const) {
  test(`after a card was dead for months the declined cycle is charged, and of those since then: ${catchUp}`, async () => {
    const life = await lifeOf(db, { dunning: { hardDeclineWaitDays: null } })
    await life.inStore((ctx) => updateSettings(ctx, scheduleSettings, { catchUp }))
    await life.goTo(SECOND)
    await life.bill()
    await life.decline('EXPIRED_PAYMENT_METHOD')
    await life.goTo('2026-06-10T00:00:00Z')
    await life.newCard()
    for (let n = 0; n < 6; n++) {
      await life.bill()
      await life.pay()
    }
    assert.deepEqual(await cyclesOf(life), paid)
    assert.deepEqual(await life.now(), ['active', 5, 6, 0, '2026-06-30T14:00:00Z'])
  })
}

test('a renewal that used a discount has its contract read again: the discount may have been at its end', async () => {
  for (const discountMinor of [0, 900]) {
    const life = await lifeOf(db)
    await life.goTo(SECOND)
    await life.bill()
    const order = anOrder(Temporal.Instant.from(SECOND), { discountMinor })
    const key = (await life.pending())[0]!.key
    const ref = { idempotencyKey: key, platformAttemptId: key, paymentMethod: null }
    await life.inStore((ctx) => settleAttempts(ctx, [{ ...ref, state: 'success', order }]))
    const looks = await life.inStore((ctx) => waitingKeys(ctx, syncContractJob, [life.contract.id]))
    assert.equal(looks.size, discountMinor > 0 ? 1 : 0)
  }
})
