// 3-D Secure: a payment that waits for its customer has an event with its link and reminders, and only the platform ends it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionRequiredSettings } from '#billing/settings'
import { row, sql, text } from '#kit/postgres'
import { reactivationGraceSettings } from '#lifecycle/settings'
import { updateSettings } from '#stores'
import { testDatabase } from './database.ts'
import { aStoreWithEvents, type RecordedEvent, types } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox

/** The renewal is due on 28 February at 15:00 UTC. */
async function aChallengedMember({ lost = false }: { lost?: boolean } = {}) {
  const store = await aStoreWithEvents(service)
  const { storeId } = store
  const { customer } = await store.member('ada@example.com')
  const [{ id }] = (await store.client.subscriptions.list({}).toArray({ atMost: 1 })) as [{ id: string }]
  await store.card(customer.id, '3ds')
  if (lost) await controls.setWebhookFaults({ storeId, faults: { drop: 1 } })
  const recorded = await store.recorded(() => store.advance({ to: '2026-02-28T15:00:00Z' }))
  const attempt = async () => (await store.client.billingAttempts.list({}).toArray({ atMost: 1 }))[0]!
  return {
    ...store,
    customer,
    id,
    beginning: recorded,
    attempt,
    decide: async (decision: 'confirmed' | 'refused') => {
      const challenge = (await attempt()).action_required!.url.split('/').at(-1)!
      await controls.settleChallenge({ storeId, challenge, decision })
      await store.settle()
    },
    history: async () => {
      const lines = await service.db.inStore(storeId, ({ tx }) =>
        tx.many(
          row({ kind: text }),
          sql`select kind from contract_activities where store_id = ${storeId} and kind like 'action%' order by id`
        )
      )
      return lines.map(({ kind }) => kind)
    }
  }
}

const reminders = (recorded: RecordedEvent[]) =>
  recorded.filter(({ type }) => type === 'billing.action_required').map(({ data }) => data.reminder)

test('a challenge sends one event with its link, and the attempt has the link until it is settled', async () => {
  const member = await aChallengedMember()
  assert.deepEqual(types(member.beginning), ['billing.pending', 'billing.action_required'])
  const [pending, actionRequired] = member.beginning
  const { action_required } = await member.attempt()
  assert.match(action_required!.url, /\/challenges\/[\w-]{24}$/)
  assert.deepEqual(action_required, { url: action_required!.url, since: '2026-02-28T15:00:00.000Z', reminders: 0 })
  assert.deepEqual(actionRequired!.data, { ...pending!.data, action_url: action_required!.url, reminder: 0 })

  assert.deepEqual(await member.recorded(member.replay), [])
  assert.deepEqual(
    await member.recorded(() => member.advance({ by: 'PT2H' })),
    [],
    'reading the attempt again sends no event'
  )

  const paid = await member.recorded(() => member.decide('confirmed'))
  assert.deepEqual(types(paid), ['billing.success'])
  const settled = await member.attempt()
  assert.deepEqual([settled.status, settled.action_required], ['success', null])
  assert.deepEqual(reminders(await member.recorded(() => member.advance({ by: 'P10D' }))), [], 'nothing to remind of')
  assert.deepEqual(await member.history(), ['action_required'])
  await member.soundBooks()
})

test('the link is read from the platform if the message is lost', async () => {
  const member = await aChallengedMember({ lost: true })
  assert.deepEqual(types(member.beginning), ['billing.pending'])
  const recorded = await member.recorded(() => member.advance({ by: 'P1D' }))
  assert.deepEqual(reminders(recorded), [0])
  const { action_required } = await member.attempt()
  assert.equal(action_required!.since, '2026-02-28T15:10:00.000Z')

  await controls.setWebhookFaults({ storeId: member.storeId, faults: null })
  assert.deepEqual(await member.recorded(member.replay), [])
  assert.deepEqual(await member.history(), ['action_required'])
})

test('customers are reminded after 24 and 72 hours, and an unconfirmed payment ends as a hard decline of the platform', async () => {
  const member = await aChallengedMember()
  const remindedBy = async (to: string) => reminders(await member.recorded(() => member.advance({ to })))
  assert.deepEqual(await remindedBy('2026-03-01T14:59:59Z'), [])
  assert.deepEqual(await remindedBy('2026-03-01T15:00:00Z'), [1])
  assert.equal((await member.attempt()).action_required!.reminders, 1)
  assert.deepEqual(await remindedBy('2026-03-03T14:59:59Z'), [])
  assert.deepEqual(await remindedBy('2026-03-03T15:00:00Z'), [2])
  assert.deepEqual(await remindedBy('2026-03-07T14:59:59Z'), [])
  assert.equal((await member.attempt()).status, 'pending', 'it stays pending here')

  const ended = await member.recorded(() => member.advance({ to: '2026-03-08T00:00:00Z' }))
  assert.deepEqual(types(ended), ['billing.failed'])
  const { error, retry_scheduled, action_required } = await member.attempt()
  assert.deepEqual(
    [error!.code, error!.decline_code, retry_scheduled, action_required],
    ['authentication_required', 'expired_buyer_action', false, null]
  )
  assert.deepEqual(await member.history(), ['action_required', 'action_reminded', 'action_reminded'])
  const another = await member.recorded(() => member.card(member.customer.id, 'success'))
  assert.deepEqual(types(another), ['billing.pending', 'billing.success'], 'another card is charged at once')
  await member.soundBooks()
})

test('a store configures the reminders; of several missed ones only the latest is sent', async () => {
  const member = await aChallengedMember()
  await service.db.inStore(member.storeId, (ctx) =>
    updateSettings(ctx, actionRequiredSettings, { remindAfterHours: [1, 2, 30, 40] })
  )
  const recorded = await member.recorded(() => member.advance({ to: '2026-03-05T00:00:00Z' }))
  // The first date was set with the earlier setting.
  assert.deepEqual(reminders(recorded), [2, 3, 4])
  assert.equal((await member.attempt()).action_required!.reminders, 4)

  const silent = await aStoreWithEvents(service)
  await service.db.inStore(silent.storeId, (ctx) =>
    updateSettings(ctx, actionRequiredSettings, { remindAfterHours: [] })
  )
  const { customer } = await silent.member('bob@example.com')
  await silent.card(customer.id, '3ds')
  assert.deepEqual(reminders(await silent.recorded(() => silent.advance({ to: '2026-03-06T00:00:00Z' }))), [0])
})

test('a confirmed payment whose message is lost is found before a reminder is sent', async () => {
  const member = await aChallengedMember()
  await controls.setWebhookFaults({ storeId: member.storeId, faults: { drop: 1 } })
  await member.advance({ to: '2026-03-01T12:00:00Z' })
  await member.decide('confirmed')
  const recorded = await member.recorded(() => member.advance({ to: '2026-03-02T00:00:00Z' }))
  assert.deepEqual(types(recorded), ['billing.success'])
})

test('a subscription cancelled during a challenge gets no more reminders, and the platform ends the payment', async () => {
  const member = await aChallengedMember()
  await member.client.subscriptions.cancel(member.id)
  const recorded = await member.recorded(() => member.advance({ by: 'P8D' }))
  assert.deepEqual(reminders(recorded), [])
  assert.equal((await member.attempt()).error!.decline_code, 'cancelled_payment')
  await member.soundBooks()
})

test('if the cancellation does not reach the platform, a late confirmation is a charge after the end', async () => {
  const member = await aChallengedMember()
  await service.db.inStore(member.storeId, (ctx) => updateSettings(ctx, reactivationGraceSettings, 0))
  const recorded = await member.recorded(async () => {
    await member.client.subscriptions.cancel(member.id)
    await service.db.inStore(member.storeId, ({ tx }) =>
      tx.run(sql`delete from jobs where store_id = ${member.storeId}`)
    )
    await member.advance({ by: 'P4D' })
    await member.decide('confirmed')
  })
  assert.deepEqual(types(recorded), ['subscription.cancelled', 'member.tier_changed', 'billing.success'])
  const { data: alerts } = await service.admin('GET', `${member.at}/alerts`)
  assert.deepEqual(
    alerts.map(({ kind }: { kind: string }) => kind),
    ['charged_after_stop']
  )
})
