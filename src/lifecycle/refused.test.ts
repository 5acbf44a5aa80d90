// What the table of transitions does not allow is refused by every action, and leaves no trace.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife, at } from '../../test/subscription-life.ts'
import { cancelSubscription } from './cancel-subscription.ts'
import { giftSubscription, revokeGift } from './gift-subscription.ts'
import { pauseSubscription } from './pause-subscription.ts'
import { reactivateSubscription } from './reactivate-subscription.ts'
import { requestChange } from './request-change.ts'
import { rescheduleSubscription } from './reschedule-subscription.ts'
import { resumeSubscription } from './resume-subscription.ts'
import { skipCycle } from './skip-cycle.ts'

const { db } = await testDatabase()
const LATER = at('2026-03-05T15:00:00Z')

type Life = Awaited<ReturnType<typeof aSubscriptionLife>>

const actions: Record<string, (ctx: Ctx, id: number) => Promise<unknown>> = {
  pause: (ctx, id) => pauseSubscription(ctx, id, null, 'api'),
  resume: (ctx, id) => resumeSubscription(ctx, id, null, 'api'),
  cancel: (ctx, id) => cancelSubscription(ctx, id, { reason: 'other', comment: null, by: 'api' }),
  reactivate: (ctx, id) => reactivateSubscription(ctx, id, 'api'),
  skip: (ctx, id) => skipCycle(ctx, id, 'api'),
  reschedule: (ctx, id) => rescheduleSubscription(ctx, id, LATER, 'api'),
  gift: (ctx, id) => giftSubscription(ctx, id, 999_999, 'api'),
  'revoke a gift': (ctx, id) => revokeGift(ctx, id, 'api'),
  'change terms': (ctx, id) => requestChange(ctx, id, { priceMinor: 1900 }, 'api'),
  'change the payment method': (ctx, id) => requestChange(ctx, id, { platformPaymentMethodId: 'card-2' }, 'api')
}

/** How a subscription gets there, and which actions are refused then. */
const states: Record<string, { to: (life: Life) => Promise<unknown>; refused: string[] }> = {
  active: { to: async () => {}, refused: ['resume', 'reactivate'] },
  paused: { to: (life) => life.pause(), refused: ['pause', 'reactivate', 'skip', 'reschedule'] },
  'cancelled for good': { to: (life) => life.cancel(), refused: Object.keys(actions) },
  'given away and cancelled for good': {
    to: async (life) => {
      const receiver = await life.anotherCustomer()
      await life.inStore((ctx) => giftSubscription(ctx, life.id, receiver, 'api'))
      await life.cancel()
    },
    refused: Object.keys(actions)
  },
  failed: {
    to: (life) => life.sync({ status: 'failed', revision: '7' }),
    refused: Object.keys(actions).filter((name) => name !== 'cancel' && name !== 'change the payment method')
  },
  expired: { to: (life) => life.sync({ status: 'expired', revision: '7' }), refused: Object.keys(actions) },
  'charged just now': { to: charge, refused: ['skip', 'reschedule'] },
  'waiting for a retry': {
    to: async (life) => {
      await charge(life)
      await life.decline('INSUFFICIENT_FUNDS')
    },
    refused: ['skip', 'reschedule']
  }
}

async function charge(life: Life): Promise<void> {
  await life.goTo('2026-02-28T15:00:00Z')
  await life.bill()
}

const tracesOf = ({ inStore, storeId }: Life) =>
  inStore(({ tx }) =>
    tx.one(
      row({ facts: int, history: int, jobs: int, changes: int }),
      sql`select (select count(*) from facts where store_id = ${storeId}) as facts,
                 (select count(*) from contract_activities where store_id = ${storeId}) as history,
                 (select count(*) from jobs where store_id = ${storeId}) as jobs,
                 (select count(*) from subscription_changes where store_id = ${storeId}) as changes`
    )
  )

for (const [state, { to, refused }] of Object.entries(states)) {
  test(`of a subscription that is ${state} these are refused: ${refused.join(', ')}`, async () => {
    const life = await aSubscriptionLife(db)
    await to(life)
    const [before, traces] = [await life.read(), await tracesOf(life)]
    for (const name of refused) {
      await assert.rejects(
        life.inStore((ctx) => actions[name]!(ctx, life.id)),
        { code: 'conflict', message: new RegExp(`^Subscription sub_${life.id} `) },
        name
      )
    }
    assert.deepEqual([await life.read(), await tracesOf(life)], [before, traces])
  })
}

test('a failed subscription that is cancelled keeps when and why it ended, and there is no way back', async () => {
  const life = await aSubscriptionLife(db, { graceHours: 24 })
  await life.sync({ status: 'failed', revision: '7' })
  const [failed, { facts }] = [await life.read(), await tracesOf(life)]
  await life.goTo('2026-02-03T15:00:00Z')
  await life.cancel()
  const { status, cancelledAt, cancelReason } = await life.read()
  assert.deepEqual(
    [status, cancelledAt, cancelReason],
    ['cancelled', failed.cancelledAt, failed.cancelReason],
    'receivers were notified of that end'
  )
  assert.equal((await tracesOf(life)).facts, facts + 1, 'a fact that no receiver has')
  await assert.rejects(life.reactivate(), { code: 'conflict' })
})

test('a gift is for another customer of the store, and never of products', async () => {
  const life = await aSubscriptionLife(db, { plan: { name: 'VIP' } })
  const give = (receiver: number) => life.inStore((ctx) => giftSubscription(ctx, life.id, receiver, 'api'))
  await assert.rejects(give(999_999), {
    code: 'not_found',
    details: [{ field: 'receiver', code: 'not_found', message: 'must be a customer of the store' }]
  })
  const receiver = await life.anotherCustomer()
  await life.inStore(({ tx, storeId }) =>
    tx.run(sql`
      update plans set type = 'product', tier_name = null, platform_product_id = null, product_ids = '{7}'
       where store_id = ${storeId}`)
  )
  await assert.rejects(give(receiver), { code: 'conflict', message: /is for products: only a membership can be given/ })
})
