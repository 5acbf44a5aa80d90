import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventNamed, EventType, WebhookEvent } from './index.ts'

/** The seventeen types. Does not compile when one does not exist, or is without the field that is its own. */
const OWN_FIELD = {
  'subscription.created': ({ data }) => data.plan.billing_frequency,
  'subscription.activated': ({ data }) => data.activated_at,
  'subscription.updated': ({ data }) => data.changes.price?.from,
  'subscription.paused': ({ data }) => data.paused_at,
  'subscription.resumed': ({ data }) => data.resumed_at,
  'subscription.cancelled': ({ data }) => data.cancel_reason,
  'billing.pending': ({ data }) => data.scheduled_at,
  'billing.success': ({ data }) => data.order?.total,
  'billing.failed': ({ data }) => data.error.decline_code,
  'billing.retry_scheduled': ({ data }) => data.retry_date,
  'billing.action_required': ({ data }) => data.action_url,
  'member.created': ({ data }) => data.member_since,
  'member.updated': ({ data }) => data.changes.email?.to,
  'member.tier_changed': ({ data }) => data.tier.new,
  'member.points_changed': ({ data }) => data.points.change,
  'store_credit.added': ({ data }) => data.new_balance,
  'store_credit.deducted': ({ data }) => data.transaction_id
} satisfies { [Type in EventType]?: (event: EventNamed<Type>) => unknown }

/** `event` tells the types apart, and nothing is left over. */
function about(event: WebhookEvent): string {
  if (event.event === 'member.tier_changed') return event.data.tier.new ?? 'none'
  if (event.event === 'billing.failed') return event.data.error.code
  return event.event
}

test('the seventeen types are distinguished by their names', () => {
  assert.equal(Object.keys(OWN_FIELD).length, 17)
  const data = {
    member_id: 'mem_1',
    customer: { id: 'cust_1', email: null },
    tier: { previous: 'VIP', new: null },
    kind: 'membership' as const
  }
  const event = { event: 'member.tier_changed' as const, timestamp: '2026-01-31T15:00:00Z', webhook_id: 'wh_1', data }
  assert.deepEqual([about(event), OWN_FIELD[event.event](event)], ['none', null])
})
