// A preview of an action is its plan, not applied.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ctx } from '#kit/postgres'
import { int, row, sql } from '#kit/postgres'
import { lockSubscription, type Subscription } from '#subscriptions'
import {
  type PlanContext,
  planCancel,
  planContextOf,
  planPause,
  planReschedule,
  planSkip,
  type TransitionPlan
} from '#subscriptions/transitions'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife, at } from '../../test/subscription-life.ts'
import { cancelSubscription } from './cancel-subscription.ts'
import { pauseSubscription } from './pause-subscription.ts'
import { rescheduleSubscription } from './reschedule-subscription.ts'
import { skipCycle } from './skip-cycle.ts'

const { db } = await testDatabase()
const [UNTIL, LATER] = [at('2026-03-10T15:00:00Z'), at('2026-03-05T15:00:00Z')]

type Action = {
  plan: (s: Subscription, context: PlanContext) => TransitionPlan
  act: (ctx: Ctx, id: number) => Promise<Subscription>
}

const actions: Record<string, Action> = {
  pause: {
    plan: (s, context) => planPause(s, UNTIL, context),
    act: (ctx, id) => pauseSubscription(ctx, id, UNTIL, 'api')
  },
  cancel: {
    plan: (s, context) => planCancel(s, 'other', null, context),
    act: (ctx, id) => cancelSubscription(ctx, id, { reason: 'other', comment: null, by: 'api' })
  },
  skip: { plan: planSkip, act: (ctx, id) => skipCycle(ctx, id, 'api') },
  reschedule: {
    plan: (s, context) => planReschedule(s, LATER, context),
    act: (ctx, id) => rescheduleSubscription(ctx, id, LATER, 'api')
  }
}

for (const [name, { plan, act }] of Object.entries(actions)) {
  test(`the plan of ${name} writes nothing, and the action does what the plan says`, async () => {
    const life = await aSubscriptionLife(db)
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
      plan(await lockSubscription(ctx, life.id), await planContextOf(ctx))
    )
    assert.deepEqual(await life.read(), before)
    assert.deepEqual(await counts(), counted)

    await life.inStore((ctx) => act(ctx, life.id))
    const { cancelComment: _, ...after } = preview.after
    assert.deepEqual(await life.read(), after)
    const { data } = preview.events[0]!
    assert.deepEqual(await life.lastEvent(preview.events[0]!.name), data)
  })
}
