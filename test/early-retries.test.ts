import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rescheduleSubscription } from '#lifecycle'
import { requestedScopes } from '#platform'
import { startSandbox } from '../sandbox/start-sandbox.test-helper.ts'
import { retryAttempt } from '../src/billing/charging/retry-attempt.ts'
import { aChargedMember } from './charged-member.ts'
import { testDatabase } from './database.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db, requestedScopes)

test('a cycle moved to a later date after an attempt is not charged before that date, even by a manual retry', async () => {
  const m = await aChargedMember(db, sandbox)
  await m.goTo('2026-02-28T15:00:00Z')
  await m.connector.contracts.pause(m.contractId)
  await m.bill()
  assert.deepEqual(await m.shown(), [['failed', 'contract_not_billable']])
  await m.connector.contracts.activate(m.contractId)
  await m.inStore((ctx) => rescheduleSubscription(ctx, m.id, Temporal.Instant.from('2026-03-10T15:00:00Z'), 'api'))

  const [failed] = await m.attempts()
  const retry = () => m.inStore((ctx) => retryAttempt(ctx, failed!.id, 'api'))
  await assert.rejects(retry(), { code: 'conflict', message: /is due on 2026-03-10T15:00:00.000Z/ })
  assert.deepEqual(await m.charges(), [])

  await m.goTo('2026-03-10T15:00:00Z')
  await retry()
  await m.bill()
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, '2026-04-10T15:00:00Z'])
})
