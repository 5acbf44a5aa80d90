import { type AttemptResult, retryAttempt, retryHeldCharges, settleAttempts } from '#billing'
import { upsertFromContracts } from '#contracts'
import { type Database, instant, int, nullable, row, sql, text } from '#kit/postgres'
import {
  cancelSubscription,
  pauseSubscription,
  reactivateSubscription,
  resumeSubscription,
  skipCycle
} from '#lifecycle'
import { reactivationGraceSettings } from '#lifecycle/settings'
import type { PlatformContract } from '#platform'
import { listAlerts, setClock, updateSettings } from '#stores'
import { findSubscriptionByContract, listActivity, lockSubscriptions } from '#subscriptions'
import { resumeEndedPauses } from '#subscriptions/for-billing'
import { markPushed } from '#subscriptions/transitions'
import { claimAttempts } from '../src/billing/charging/claims.ts'
import { openDueAttempts } from '../src/billing/charging/open-attempts.ts'
import { endChargesPastDeadline } from '../src/billing/settling/end-charges-past-deadline.ts'
import { aContract, anOrder } from './contract-builder.ts'
import { aPlan } from './plan-builder.ts'
import { aStore, type DunningChange } from './store-builder.ts'

export const at = (when: string) => Temporal.Instant.from(when)
const START = at('2026-01-31T15:00:00Z')

/** A monthly subscription from 31 January whose steps the test runs. */
export async function aSubscriptionLife(
  db: Database,
  {
    dunning = {},
    graceHours = 0,
    terms = {},
    plan
  }: {
    dunning?: DunningChange
    graceHours?: number
    terms?: Partial<PlatformContract>
    /** The plan that the contract was sold under; none by default. */
    plan?: Parameters<typeof aPlan>[1]
  } = {}
) {
  const store = await aStore(db, { clockAt: START, dunning })
  const sold = plan && (await aPlan(store, plan))
  const plain = aContract(START, terms)
  const contract = sold ? { ...plain, lines: plain.lines.map((line) => ({ ...line, ...sold })) } : plain
  const { inStore, storeId } = store
  await inStore((ctx) => updateSettings(ctx, reactivationGraceSettings, graceHours))
  await inStore((ctx) => upsertFromContracts(ctx, [contract], [anOrder(START, { id: contract.originOrder!.id })]))
  const { id } = (await inStore((ctx) => findSubscriptionByContract(ctx, contract.id)))!

  const pending = () =>
    inStore(({ tx }) =>
      tx.many(
        row({ key: text, cycle: int }),
        sql`select idempotency_key as key, cycle_index as cycle from billing_attempts
             where store_id = ${storeId} and status = 'pending' order by id`
      )
    )
  /** Settles pending attempts: with an error code, or success for null; 'wait' leaves them pending. */
  const settle = async (outcome: (cycle: number) => string | null) => {
    const ending = (await pending()).filter(({ cycle }) => outcome(cycle) !== 'wait')
    const results = ending.map(({ key, cycle }): AttemptResult => {
      const errorCode = outcome(cycle)
      const ref = { idempotencyKey: key, platformAttemptId: key }
      return errorCode === null
        ? { ...ref, state: 'success', order: null, paymentMethod: null }
        : { ...ref, state: 'failed', errorCode, errorMessage: 'No' }
    })
    await inStore((ctx) => settleAttempts(ctx, results))
  }
  const read = async () => (await inStore((ctx) => lockSubscriptions(ctx, [id])))[0]!
  return {
    id,
    inStore,
    storeId,
    contract,
    read,
    pending,
    /** The id of another customer of the store. */
    anotherCustomer: async () => {
      const other = aContract(START, { originOrder: null, status: 'paused' })
      await inStore((ctx) => upsertFromContracts(ctx, [other], []))
      return (await inStore((ctx) => findSubscriptionByContract(ctx, other.id)))!.memberId
    },
    /** Reports an attempt as paid, even if it is failed here. */
    paidLate: (idempotencyKey: string) =>
      inStore((ctx) =>
        settleAttempts(ctx, [
          { idempotencyKey, platformAttemptId: idempotencyKey, state: 'success', order: null, paymentMethod: null }
        ])
      ),
    /** Syncs the platform's contract with the given fields. */
    sync: (over: Partial<PlatformContract> = {}) =>
      inStore((ctx) => upsertFromContracts(ctx, [{ ...contract, ...over }], [])),
    /** Marks the pending changes as pushed to the platform. */
    pushed: () => inStore((ctx) => markPushed(ctx, [{ id, revision: contract.revision, nextBillingAt: null }])),
    pauseUntil: (when: string | null) => inStore((ctx) => pauseSubscription(ctx, id, when ? at(when) : null, 'api')),
    resumeEnded: () => inStore((ctx) => resumeEndedPauses(ctx, 10)),
    cancel: () => inStore((ctx) => cancelSubscription(ctx, id, { reason: 'other', comment: null, by: 'api' })),
    reactivate: () => inStore((ctx) => reactivateSubscription(ctx, id, 'api')),
    skip: () => inStore((ctx) => skipCycle(ctx, id, 'api')),
    giveUp: () => inStore((ctx) => endChargesPastDeadline(ctx, 10)),
    /** The texts of the history after the given one, oldest first. */
    history: async () =>
      (await inStore((ctx) => listActivity(ctx, id, { limit: 50, offset: 0 }))).rows.map(({ text }) => text).reverse(),
    lastActor: async () => (await inStore((ctx) => listActivity(ctx, id, { limit: 1, offset: 0 }))).rows[0]!.actor,
    alerts: async () => (await inStore((ctx) => listAlerts(ctx))).alerts.map(({ kind }) => kind),
    goTo: (when: string) => inStore((ctx) => setClock(ctx, at(when))),
    /** Opens due cycles and marks their attempts as sent, so that only the platform can end them. */
    bill: async () => {
      await inStore((ctx) => openDueAttempts(ctx, 10))
      await inStore((ctx) => claimAttempts(ctx, 10, 1))
    },
    /** Opens due cycles without sending their attempts. */
    open: () => inStore((ctx) => openDueAttempts(ctx, 10)),
    /** Whether each pending attempt is still to be sent, oldest first. */
    claimLater: async () => {
      await inStore(({ tx }) =>
        tx.run(sql`update billing_attempts set check_at = scheduled_at, leased_until = null where store_id = ${storeId}
                      and status = 'pending'`)
      )
      return (await inStore((ctx) => claimAttempts(ctx, 10, 1))).map(({ isWanted }) => isWanted)
    },
    pay: () => settle(() => null),
    decline: (errorCode: string) => settle(() => errorCode),
    settle,
    retry: async (attemptId: number) => {
      await inStore((ctx) => retryAttempt(ctx, attemptId, 'operator'))
      await inStore((ctx) => claimAttempts(ctx, 10, 1))
    },
    pause: () => inStore((ctx) => pauseSubscription(ctx, id, null, 'api')),
    resume: (when: string | null = null) =>
      inStore((ctx) => resumeSubscription(ctx, id, when ? at(when) : null, 'api')),
    paymentMethodDeadline: async () => (await read()).paymentMethodDeadline?.toString() ?? null,
    newCard: () => inStore((ctx) => retryHeldCharges(ctx, [contract.id])),
    attempts: () =>
      inStore(({ tx }) =>
        tx.many(
          row({
            id: int,
            key: text,
            status: text,
            cycleIndex: int,
            retryAt: nullable(instant),
            attemptsRemaining: int
          }),
          sql`select *, idempotency_key as key from billing_attempts where store_id = ${storeId} order by id`
        )
      ),
    /** How each attempt stands, oldest first: its status, its error code ('' for none), and 1 with an announced retry. */
    charges: () =>
      inStore(({ tx }) =>
        tx.many(
          row({ status: text, code: text, retries: int }),
          sql`select status, coalesce(error_code, '') as code, (retry_at is not null)::int as retries
                from billing_attempts where store_id = ${storeId} order by id`
        )
      ),
    lastEvent: async (type: string) => {
      const events = await inStore(({ tx }) =>
        tx.many(
          row({ data: text }),
          sql`select data from facts where store_id = ${storeId} and name = ${type} order by id desc limit 1`
        )
      )
      return JSON.parse(events[0]!.data)
    },
    /** [status, last cycle paid, next cycle, declines, due] */
    now: async () => {
      const s = await read()
      return [s.status, s.cycleIndex, s.nextCycle, s.declines, s.billingDueAt?.toString() ?? null]
    }
  }
}
