// A preview is the plan that its action applies: it refuses what the action refuses, writes nothing, and says what changes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { type Change, listChanges, lockSubscription, type Subscription } from '#subscriptions'
import type { NewChange, TransitionPlan } from '#subscriptions/transitions'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife, at } from '../../test/subscription-life.ts'
import { cancelSubscription, previewCancellation } from './cancel-subscription.ts'
import { changeSubscription, previewChanges } from './change-subscription.ts'
import {
  endForDeletedCustomers,
  previewEndsForDeleted,
  previewRevokedGiftsTo,
  revokeGiftsToDeleted
} from './end-for-deleted-customers.ts'
import { giftSubscription, previewGift, previewRevokedGift, revokeGift } from './gift-subscription.ts'
import { pauseSubscription, previewPause } from './pause-subscription.ts'
import { previewReactivation, reactivateSubscription } from './reactivate-subscription.ts'
import { previewChange, requestChange } from './request-change.ts'
import { previewReschedule, rescheduleSubscription } from './reschedule-subscription.ts'
import { previewResume, resumeSubscription } from './resume-subscription.ts'
import { previewSkip, skipCycle } from './skip-cycle.ts'

const { db } = await testDatabase()
const [UNTIL, LATER] = [at('2026-03-10T15:00:00Z'), at('2026-03-05T15:00:00Z')]
const BY = 'api' as const
const WHY = { reason: 'other', comment: null }
const [TERMS, CARD] = [{ priceMinor: 1900, intervalCount: 2 }, { platformPaymentMethodId: 'card-2' }]

type Life = Awaited<ReturnType<typeof aSubscriptionLife>>
/** The subscription, its contract, another customer, and the latter's platform number. */
type On = { id: number; contractId: string; receiver: number; receiverNumber: string }
/** What is planned: of the agreement, and of the terms that are requested. */
type Planned = { plan?: TransitionPlan | null; terms?: { before: Change | null; after: NewChange | null } | null }
type Action = { preview: (ctx: Ctx, on: On) => Promise<Planned>; act: (ctx: Ctx, on: On) => Promise<unknown> }

const actions: Record<string, Action> = {
  pause: {
    preview: async (ctx, { id }) => ({ plan: await previewPause(ctx, id, UNTIL) }),
    act: (ctx, { id }) => pauseSubscription(ctx, id, UNTIL, BY)
  },
  resume: {
    preview: async (ctx, { id }) => ({ plan: await previewResume(ctx, id, null) }),
    act: (ctx, { id }) => resumeSubscription(ctx, id, null, BY)
  },
  'resume at a date': {
    preview: async (ctx, { id }) => ({ plan: await previewResume(ctx, id, UNTIL) }),
    act: (ctx, { id }) => resumeSubscription(ctx, id, UNTIL, BY)
  },
  cancel: {
    preview: async (ctx, { id }) => ({ plan: await previewCancellation(ctx, id, WHY) }),
    act: (ctx, { id }) => cancelSubscription(ctx, id, { ...WHY, by: BY })
  },
  reactivate: {
    preview: async (ctx, { id }) => ({ plan: await previewReactivation(ctx, id) }),
    act: (ctx, { id }) => reactivateSubscription(ctx, id, BY)
  },
  skip: {
    preview: async (ctx, { id }) => ({ plan: await previewSkip(ctx, id) }),
    act: (ctx, { id }) => skipCycle(ctx, id, BY)
  },
  reschedule: {
    preview: async (ctx, { id }) => ({ plan: await previewReschedule(ctx, id, LATER) }),
    act: (ctx, { id }) => rescheduleSubscription(ctx, id, LATER, BY)
  },
  gift: {
    preview: async (ctx, { id, receiver }) => ({ plan: await previewGift(ctx, id, receiver) }),
    act: (ctx, { id, receiver }) => giftSubscription(ctx, id, receiver, BY)
  },
  'gift to nobody known': {
    preview: async (ctx, { id }) => ({ plan: await previewGift(ctx, id, 999_999) }),
    act: (ctx, { id }) => giftSubscription(ctx, id, 999_999, BY)
  },
  'revoke a gift': {
    preview: async (ctx, { id }) => ({ plan: await previewRevokedGift(ctx, id) }),
    act: (ctx, { id }) => revokeGift(ctx, id, BY)
  },
  'request terms': {
    preview: async (ctx, { id }) => ({ terms: await previewChange(ctx, id, TERMS, BY) }),
    act: (ctx, { id }) => requestChange(ctx, id, TERMS, BY)
  },
  'request a plan that is not there': {
    preview: async (ctx, { id }) => ({ terms: await previewChange(ctx, id, { planId: 999_999 }, BY) }),
    act: (ctx, { id }) => requestChange(ctx, id, { planId: 999_999 }, BY)
  },
  'request the terms that it has': {
    preview: async (ctx, { id }) => ({ terms: await previewChange(ctx, id, { intervalCount: 1 }, BY) }),
    act: (ctx, { id }) => requestChange(ctx, id, { intervalCount: 1 }, BY)
  },
  'request a payment method': {
    preview: async (ctx, { id }) => ({ terms: await previewChange(ctx, id, CARD, BY) }),
    act: (ctx, { id }) => requestChange(ctx, id, CARD, BY)
  },
  'change date and terms': {
    preview: async (ctx, { id }) => {
      const { date, terms } = await previewChanges(ctx, id, { ...TERMS, nextBillingAt: LATER }, BY)
      return { plan: date, terms }
    },
    act: (ctx, { id }) => changeSubscription(ctx, id, { ...TERMS, nextBillingAt: LATER }, BY)
  },
  'end for a deleted customer': {
    preview: async (ctx, { contractId }) => ({ plan: (await previewEndsForDeleted(ctx, [contractId]))[0] }),
    act: (ctx, { contractId }) => endForDeletedCustomers(ctx, [contractId])
  },
  'revoke gifts to a deleted customer': {
    preview: async (ctx, { receiverNumber }) => ({ plan: (await previewRevokedGiftsTo(ctx, [receiverNumber]))[0] }),
    act: (ctx, { receiverNumber }) => revokeGiftsToDeleted(ctx, [receiverNumber])
  }
}

/** How a subscription gets there, and which actions are possible then; the others are refused or change nothing. */
const states: Record<string, { to?: (life: Life, on: On) => Promise<unknown>; graceHours?: number; possible: string }> =
  {
    active: {
      possible:
        'pause, cancel, skip, reschedule, gift, request terms, request a payment method, change date and terms, end for a deleted customer'
    },
    paused: {
      to: (life) => life.pause(),
      possible:
        'resume, resume at a date, cancel, gift, request terms, request a payment method, end for a deleted customer'
    },
    'given away': {
      to: (life, { receiver }) => life.inStore((ctx) => giftSubscription(ctx, life.id, receiver, BY)),
      possible:
        'pause, cancel, skip, reschedule, revoke a gift, request terms, request a payment method, change date and terms, end for a deleted customer, revoke gifts to a deleted customer'
    },
    'at the date already': {
      to: (life) => life.inStore((ctx) => rescheduleSubscription(ctx, life.id, LATER, BY)),
      possible:
        'pause, cancel, skip, gift, request terms, request a payment method, change date and terms, end for a deleted customer'
    },
    'waiting for other terms': {
      to: (life) => life.inStore((ctx) => requestChange(ctx, life.id, { intervalCount: 3 }, BY)),
      possible:
        'pause, cancel, skip, reschedule, gift, request terms, request the terms that it has, request a payment method, change date and terms, end for a deleted customer'
    },
    'cancelled, to be taken back': {
      graceHours: 24,
      to: async (life) => {
        await life.inStore((ctx) => requestChange(ctx, life.id, TERMS, BY))
        await life.cancel()
      },
      possible: 'reactivate'
    },
    'cancelled for good': { to: (life) => life.cancel(), possible: '' },
    failed: {
      to: (life) => life.sync({ status: 'failed', revision: '7' }),
      possible: 'cancel, request a payment method'
    },
    expired: { to: (life) => life.sync({ status: 'expired', revision: '7' }), possible: '' },
    'charged just now': {
      to: charge,
      possible: 'pause, cancel, gift, request terms, request a payment method, end for a deleted customer'
    },
    'waiting for a retry': {
      to: async (life) => {
        await charge(life)
        await life.decline('INSUFFICIENT_FUNDS')
      },
      possible: 'pause, cancel, gift, request terms, request a payment method, end for a deleted customer'
    },
    'held for a person': {
      to: async (life) => {
        await charge(life)
        await life.decline('BLANK')
      },
      possible: 'pause, cancel, skip, gift, request terms, request a payment method, end for a deleted customer'
    }
  }

async function charge(life: Life): Promise<void> {
  await life.goTo('2026-02-28T15:00:00Z')
  await life.bill()
}

/** Whatever an action writes. */
const tracesIn = ({ tx, storeId }: Ctx) =>
  tx.one(
    row({ subscriptions: text, attempts: text, members: text, changes: text, facts: int, history: int, jobs: text }),
    sql`select (select json_agg(s order by s.id)::text from subscriptions s where s.store_id = ${storeId}) as subscriptions,
               (select coalesce(json_agg(a order by a.id)::text, '') from billing_attempts a where a.store_id = ${storeId}) as attempts,
               (select json_agg(m order by m.id)::text from members m where m.store_id = ${storeId}) as members,
               (select coalesce(json_agg(c)::text, '') from subscription_changes c where c.store_id = ${storeId}) as changes,
               (select coalesce(max(id), 0) from facts where store_id = ${storeId}) as facts,
               (select coalesce(max(id), 0) from contract_activities where store_id = ${storeId}) as history,
               (select coalesce(json_agg(j order by j.id)::text, '') from jobs j where j.store_id = ${storeId}) as jobs`
  )

/** What an action has recorded of the agreement, and the texts of its history. */
async function recordedSince({ tx, storeId }: Ctx, { facts, history }: { facts: number; history: number }) {
  const recorded = await tx.many(
    row({ name: text, data: text }),
    sql`select name, data from facts
         where store_id = ${storeId} and id > ${facts} and name like 'subscription.%' order by id`
  )
  const written = await tx.many(
    row({ text }),
    sql`select text from contract_activities where store_id = ${storeId} and id > ${history} order by id`
  )
  return {
    facts: recorded.map(({ name, data }) => ({ name, data: JSON.parse(data) })),
    history: written.map((one) => one.text)
  }
}

/** Runs in a transaction that is rolled back; a refusal is returned. */
async function tried<T>(life: Life, work: (ctx: Ctx) => Promise<T>): Promise<T | { refused: string }> {
  const undone = new Error('undone')
  let result: T | undefined
  try {
    await life.inStore(async (ctx) => {
      result = await work(ctx)
      throw undone
    })
  } catch (error) {
    if (error instanceof Refusal) return { refused: `${error.code}: ${error.message}` }
    if (error !== undone) throw error
  }
  return result!
}

const rowOf = ({ cancelComment: _, ...subscription }: TransitionPlan['after']): Subscription => subscription
const storedAs = (value: unknown) => JSON.parse(JSON.stringify(value))

for (const [state, { to, graceHours = 0, possible }] of Object.entries(states)) {
  test(`of a subscription that is ${state} each action does what its preview says: ${possible || 'nothing'}`, async () => {
    const life = await aSubscriptionLife(db, { graceHours })
    const receiver = await life.anotherCustomer()
    const receiverNumber = await life.inStore(async ({ tx, storeId }) => {
      const found = sql`select platform_customer_id as number from members where store_id = ${storeId} and id = ${receiver}`
      return (await tx.one(row({ number: text }), found)).number
    })
    const on = { id: life.id, contractId: life.contract.id, receiver, receiverNumber }
    await to?.(life, on)
    const before = await life.read()
    const traces = await life.inStore(tracesIn)

    const changing: string[] = []
    for (const [name, { preview, act }] of Object.entries(actions)) {
      const previewed = await tried(life, async (ctx) => {
        const planned = await preview(ctx, on)
        assert.deepEqual(await tracesIn(ctx), traces, `the preview of ${name} writes`)
        return planned
      })
      const acted = await tried(life, async (ctx) => {
        await act(ctx, on)
        return {
          row: await lockSubscription(ctx, life.id),
          changes: await listChanges(ctx, [life.id]),
          recorded: await recordedSince(ctx, traces),
          after: await tracesIn(ctx)
        }
      })
      if ('refused' in previewed || 'refused' in acted) {
        assert.deepEqual(acted, previewed, name)
        continue
      }
      const { plan = null, terms = null } = previewed
      const isDifferent =
        (plan !== null && plan.after !== plan.before) || Boolean(terms && (terms.before || terms.after))
      if (!isDifferent) assert.deepEqual(acted.after, traces, `${name} changes what its preview does not say`)
      else changing.push(name)
      assert.deepEqual(acted.row, plan ? rowOf(plan.after) : before, name)
      if (plan) assert.deepEqual(plan.before, before, name)
      assert.deepEqual(
        acted.recorded,
        {
          facts: (plan?.events ?? []).map(({ name, data }) => ({ name, data: storedAs(data) })),
          history: (plan?.activities ?? []).map((activity) => activity.text)
        },
        name
      )
      if (terms) {
        assert.deepEqual(
          acted.changes.map(({ version: _, ...change }) => change),
          terms.after ? [terms.after] : [],
          name
        )
      }
    }
    assert.deepEqual(changing, possible.split(', ').filter(Boolean), 'the actions that change something')
    assert.deepEqual(await life.inStore(tracesIn), traces, 'a trial was not rolled back')
  })
}

test('a pause gives the cycle back whose charge was not sent yet, beyond what its preview says', async () => {
  const life = await aSubscriptionLife(db)
  await life.goTo('2026-02-28T15:00:00Z')
  await life.open()
  const { after } = await life.inStore((ctx) => previewPause(ctx, life.id, null))
  await life.pause()
  assert.deepEqual(await life.read(), { ...rowOf(after), nextCycle: after.nextCycle - 1 })
})
