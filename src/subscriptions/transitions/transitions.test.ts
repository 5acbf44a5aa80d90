import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide, type Situation, type SubscriptionStatus, type TransitionName, transitions } from './transitions.ts'

const NOW = Temporal.Instant.from('2026-01-31T15:00:00Z')
const LATER = NOW.add({ hours: 24 })

/** A subscription that nothing but its status keeps from a transition. */
function a(status: SubscriptionStatus, over: Partial<Situation> = {}): Situation {
  return {
    status,
    billingDueAt: status === 'active' ? LATER : null,
    declines: 0,
    inventoryFailures: 0,
    pastDueCycle: null,
    cyclesPaid: 1,
    maxCycles: null,
    cycleIndex: 1,
    trialEndsAt: null,
    graceEndsAt: status === 'cancelled' ? LATER : null,
    ...over
  }
}

/** Where each move leads from each status; null: it is not possible. */
const LIFECYCLE: Record<TransitionName, Record<SubscriptionStatus, SubscriptionStatus | null>> = {
  pause: { active: 'paused', paused: null, cancelled: null, failed: null, expired: null },
  resume: { active: null, paused: 'active', cancelled: null, failed: null, expired: null },
  cancel: { active: 'cancelled', paused: 'cancelled', cancelled: null, failed: 'cancelled', expired: null },
  fail: { active: 'failed', paused: null, cancelled: null, failed: null, expired: null },
  expire: { active: 'expired', paused: null, cancelled: null, failed: null, expired: null },
  reactivate: { active: null, paused: null, cancelled: 'active', failed: null, expired: null },
  skip: { active: 'active', paused: null, cancelled: null, failed: null, expired: null },
  skip_held: { active: 'active', paused: null, cancelled: null, failed: null, expired: null },
  reschedule: { active: 'active', paused: null, cancelled: null, failed: null, expired: null },
  change_terms: { active: 'active', paused: 'paused', cancelled: null, failed: null, expired: null },
  change_payment: { active: 'active', paused: 'paused', cancelled: null, failed: 'failed', expired: null },
  gift: { active: 'active', paused: 'paused', cancelled: null, failed: null, expired: null },
  revoke_gift: { active: 'active', paused: 'paused', cancelled: null, failed: null, expired: null }
}

test('every move leads from every status where the lifecycle says', () => {
  assert.deepEqual(Object.keys(LIFECYCLE).sort(), Object.keys(transitions).sort())
  for (const [transition, byStatus] of Object.entries(LIFECYCLE)) {
    for (const [status, to] of Object.entries(byStatus)) {
      assert.deepEqual(
        decide(transition as TransitionName, a(status as SubscriptionStatus), NOW),
        to ? { to } : { obstacle: 'status' },
        `${transition} of one that is ${status}`
      )
    }
  }
})

test('the schedule of a cycle that billing has in hand is not moved; all other moves are as possible as before', () => {
  const underWay = a('active', { billingDueAt: null })
  const retried = a('active', { declines: 1 })
  const held = a('active', { declines: 1, billingDueAt: null })
  const pastDue = a('active', { pastDueCycle: 2 })
  for (const situation of [underWay, retried, held, pastDue]) {
    for (const transition of Object.keys(transitions) as TransitionName[]) {
      const isSchedule = transition === 'skip' || transition === 'reschedule'
      assert.deepEqual(
        decide(transition, situation, NOW),
        isSchedule ? { obstacle: 'in_billing' } : decide(transition, a('active'), NOW),
        transition
      )
    }
  }
})

test('where all cycles of a fixed number are paid there is none to skip or to move', () => {
  const done = a('active', { cyclesPaid: 3, maxCycles: 3 })
  for (const transition of ['skip', 'reschedule'] as const) {
    assert.deepEqual(decide(transition, done, NOW), { obstacle: 'no_cycle_left' })
    assert.deepEqual(decide(transition, { ...done, maxCycles: 4 }, NOW), { to: 'active' })
  }
})

test('the first charge after a trial is not skipped, in the trial and after it, until it is paid', () => {
  const of = (trialEndsAt: Temporal.Instant, over: Partial<Situation> = {}) =>
    a('active', { cycleIndex: 0, cyclesPaid: 0, trialEndsAt, ...over })
  for (const end of [LATER, NOW, NOW.subtract({ hours: 1 })]) {
    assert.deepEqual(decide('skip', of(end), NOW), { obstacle: 'first_charge_open' })
    assert.deepEqual(decide('skip', of(end, { cycleIndex: 1 }), NOW), { to: 'active' }, 'its first charge is paid')
  }
  for (const transition of ['skip_held', 'reschedule', 'pause', 'cancel', 'gift'] as const) {
    assert.ok('to' in decide(transition, of(LATER), NOW), transition)
  }
})

test('a cancellation can be taken back until its time is over, and never without one', () => {
  const at = (graceEndsAt: Temporal.Instant | null) => decide('reactivate', a('cancelled', { graceEndsAt }), NOW)
  assert.deepEqual(at(NOW.add({ milliseconds: 1 })), { to: 'active' })
  assert.deepEqual(at(NOW), { obstacle: 'no_grace' })
  assert.deepEqual(at(null), { obstacle: 'no_grace' })
})
