// A preview of an action is its plan, not applied.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { listChanges, lockSubscription, type Subscription } from '#subscriptions'
import {
  type PlanContext,
  planCancel,
  planContextOf,
  planGift,
  planPause,
  planReactivate,
  planReschedule,
  planResume,
  planSkip,
  type TransitionPlan
} from '#subscriptions/transitions'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife, at } from '../../test/subscription-life.ts'
import { cancelSubscription } from './cancel-subscription.ts'
import { giftSubscription, revokeGift } from './gift-subscription.ts'
import { pauseSubscription } from './pause-subscription.ts'
import { planChange } from './plan-change.ts'
import { reactivateSubscription } from './reactivate-subscription.ts'
import { requestChange } from './request-change.ts'
import { rescheduleSubscription } from './reschedule-subscription.ts'
import { resumeSubscription } from './resume-subscription.ts'
import { skipCycle } from './skip-cycle.ts'

const { db } = await testDatabase()
const [UNTIL, LATER] = [at('2026-03-10T15:00:00Z'), at('2026-03-05T15:00:00Z')]

const GRACE_HOURS = 24

type Life = Awaited<ReturnType<typeof aSubscriptionLife>>
type Action = {
  /** What comes before the action. */
  after?: (life: Life, receiver: number) => Promise<unknown>
  plan: (s: Subscription, context: PlanContext, receiver: number) => TransitionPlan
  act: (ctx: Ctx, id: number, receiver: number) => Promise<Subscription>
}

const actions: Record<string, Action> = {
  pause: {
    plan: (s, context) => planPause(s, UNTIL, context),
    act: (ctx, id) => pauseSubscription(ctx, id, UNTIL, 'api')
  },
  cancel: {
    plan: (s, context) => planCancel(s, 'other', null, context, GRACE_HOURS),
    act: (ctx, id) => cancelSubscription(ctx, id, { reason: 'other', comment: null, by: 'api' })
  },
  resume: {
    after: (life) => life.pause(),
    plan: (s, context) => planResume(s, null, context),
    act: (ctx, id) => resumeSubscription(ctx, id, null, 'api')
  },
  reactivate: {
    after: (life) => life.cancel(),
    plan: planReactivate,
    act: (ctx, id) => reactivateSubscription(ctx, id, 'api')
  },
  skip: { plan: planSkip, act: (ctx, id) => skipCycle(ctx, id, 'api') },
  reschedule: {
    plan: (s, context) => planReschedule(s, LATER, context),
    act: (ctx, id) => rescheduleSubscription(ctx, id, LATER, 'api')
  },
  gift: {
    plan: (s, context, receiver) => planGift(s, receiver, context),
    act: (ctx, id, receiver) => giftSubscription(ctx, id, receiver, 'api')
  },
  'revoking a gift': {
    after: (life, receiver) => life.inStore((ctx) => giftSubscription(ctx, life.id, receiver, 'api')),
    plan: (s, context) => planGift(s, null, context),
    act: (ctx, id) => revokeGift(ctx, id, 'api')
  }
}

for (const [name, { after: prepare, plan, act }] of Object.entries(actions)) {
  test(`the plan of ${name} writes nothing, and the action does what the plan says`, async () => {
    const life = await aSubscriptionLife(db, { graceHours: GRACE_HOURS })
    const receiver = await life.anotherCustomer()
    await prepare?.(life, receiver)
    const counts = () =>
      life.inStore(({ tx, storeId }) =>
        tx.one(
          row({ events: int, history: int, jobs: int }),
          sql`select (select count(*) from facts where store_id = ${storeId}) as events,
                     (select count(*) from contract_activities where store_id = ${storeId}) as history,
                     (select count(*) from jobs where store_id = ${storeId}) as jobs`
        )
      )
    const [before, counted] = [await life.read(), await counts()]
    const preview = await life.inStore(async (ctx) =>
      plan(await lockSubscription(ctx, life.id), await planContextOf(ctx), receiver)
    )
    assert.deepEqual(await life.read(), before)
    assert.deepEqual(await counts(), counted)

    await life.inStore((ctx) => act(ctx, life.id, receiver))
    const { cancelComment: _, ...after } = preview.after
    assert.deepEqual(await life.read(), after)
    const { data } = preview.events[0]!
    assert.deepEqual(await life.lastEvent(preview.events[0]!.name), data)
  })
}

test('the plan of a change of terms writes nothing, and the action requests what the plan says', async () => {
  const life = await aSubscriptionLife(db)
  const wanted = { priceMinor: 1900, intervalCount: 2 }
  const change = planChange(await life.read(), null, null, wanted, 'api')
  const waiting = () => life.inStore((ctx) => listChanges(ctx, [life.id]))
  assert.deepEqual(await waiting(), [])
  const before = await life.read()
  await life.inStore((ctx) => requestChange(ctx, life.id, wanted, 'api'))
  assert.deepEqual(await waiting(), [{ ...change, version: 1 }])
  assert.deepEqual(await life.read(), before)
})
