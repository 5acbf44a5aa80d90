import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelSubscription } from '#lifecycle'
import { requestedScopes } from '#platform'
import { startSandbox } from '../sandbox/start-sandbox.test-helper.ts'
import { aChargedMember } from './charged-member.ts'
import { testDatabase } from './database.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db, requestedScopes)

test('a cancellation also cancels a retry that was due and not opened yet; an opened one keeps its events', async () => {
  const m = await aChargedMember(db, sandbox, 'insufficient_funds')
  await m.goTo('2026-02-28T15:00:00Z')
  await m.bill()
  await m.goTo('2026-03-02T16:00:00Z')
  await m.bill()
  // The next one, on 7 March, is not opened.
  await m.goTo('2026-03-08T15:00:00Z')
  await m.inStore((ctx) => cancelSubscription(ctx, m.id, { reason: 'other', comment: null, by: 'api' }))
  const announced = (await m.attempts()).map(({ status, retryAt }) => [status, retryAt])
  assert.deepEqual(announced, [
    ['failed', '2026-03-02 15:11:00+00'],
    ['failed', null]
  ])
})
