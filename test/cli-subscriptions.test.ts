// The commands for subscriptions, run as processes against the running service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { run, json } = commandLine(service)

test('the settings command sets an unlimited wait and resets it', async () => {
  const store = await service.aStore()
  const settings = ['store', 'settings', '--store', store.domain]

  const ofWait = async (given: string) => (await json(...settings, '--hard-decline-wait-days', given)).dunning
  assert.equal((await ofWait('never')).hard_decline_wait_days, null)
  assert.equal((await ofWait('30')).hard_decline_wait_days, 30)
})

test('commands show, pause, reschedule, change and annotate a subscription, and list its history', async () => {
  const store = await service.aStore()
  await store.grace(24)
  const { customer } = await store.member('ada@example.com')
  const { body } = await service.get(`/subscriptions?customer_id=${customer.id}`, store.key)
  const of = [body.data[0].id, '--store', store.domain]

  assert.equal((await json('subscription', 'show', ...of)).status, 'active')
  assert.equal((await json('subscription', 'pause', ...of, '--days', '5')).status, 'paused')
  assert.equal((await json('subscription', 'resume', ...of)).status, 'active')
  assert.equal((await json('subscription', 'skip', ...of)).next_billing_date, '2026-03-31T14:00:00.000Z')
  const change = ['--date', '2026-02-10', '--price', '31.50', '--interval', 'week']
  const changed = await json('subscription', 'change', ...of, ...change)
  assert.deepEqual([changed.next_billing_date, changed.pending_change.price], ['2026-02-10T05:00:00.000Z', 31.5])
  assert.equal((await json('subscription', 'cancel', ...of, '--reason', 'moving')).cancel_reason, 'moving')
  assert.equal((await json('subscription', 'reactivate', ...of)).status, 'active')
  assert.equal((await json('subscription', 'note', ...of, '--text', 'Called')).notes, 'Called')

  const { total } = await json('subscription', 'activity', ...of, '--limit', '3')
  assert.equal(total, 9)
  const { out } = await run(['subscription', 'activity', ...of, '--limit', '3'])
  assert.deepEqual(
    out
      .trim()
      .split('\n')
      .map((line: string) => line.replace(/^\S+Z/, '')),
    [
      '  operator  Note',
      '    Called',
      '  operator  Reactivated; next charge on 2026-02-10',
      '  operator  Cancelled: moving'
    ]
  )
})

for (const [command, flags] of [
  [['subscription', 'change', 'sub_1'], '--date, --plan, --price, --interval, --interval-count or --payment-method'],
  [
    ['plan', 'update', '--id', 'plan_1'],
    '--trial-type, --trial-days, --trial-price, --max-cycles, --countries, --products or --perks'
  ],
  [['webhook', 'update', '--id', 'we_1'], '--url, --events or --description'],
  [['sandbox', 'shop'], '--name or --timezone']
] as const) {
  test(`${command[0]} ${command[1]} without anything to change names the flags`, async () => {
    const { code, err } = await run([...command, '--store', 'none.example'])
    assert.deepEqual([code, err], [1, `perennial: At least one of these flags is required: ${flags}\n`])
  })
}
