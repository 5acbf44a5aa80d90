// One that comes back while we look whether its charge ever arrived. Against the sandbox, over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { pauseSubscription, resumeSubscription } from '#lifecycle'
import { requestedScopes } from '#platform'
import { markPushed } from '#subscriptions/transitions'
import { startSandbox } from '../../sandbox/start-sandbox.test-helper.ts'
import { aChargedMember } from '../../test/charged-member.ts'
import { withCalls } from '../../test/connectors.ts'
import { testDatabase } from '../../test/database.ts'
import { submitAttempts } from '../../test/submit-attempts.ts'
import { claimAttempts } from './charging/claims.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db, requestedScopes)

test('a charge that never arrived is made anew for one that came back while that was found out', async () => {
  const m = await aChargedMember(db, sandbox)
  await m.goTo('2026-02-28T15:00:00Z')
  await m.open()
  // A crash before the call.
  await m.inStore((ctx) => claimAttempts(ctx, 10, 1))
  await m.inStore(({ tx, storeId }) =>
    tx.run(sql`update billing_attempts set leased_until = null where store_id = ${storeId}`)
  )
  await m.inStore((ctx) => pauseSubscription(ctx, m.id, null, 'api'))
  const back = withCalls(m.connector, {
    billing: {
      findAttemptsByKeys: async (contractId, keys) => {
        const response = await m.connector.billing.findAttemptsByKeys(contractId, keys)
        await m.inStore((ctx) => resumeSubscription(ctx, m.id, null, 'api'))
        await m.inStore((ctx) => markPushed(ctx, [{ id: m.id, revision: '1', nextBillingAt: null }]))
        await m.open()
        return response
      }
    }
  })
  await submitAttempts(db, m.storeId, back, 1)
  assert.deepEqual(await m.shown(), [['failed', 'voided']])
  await m.bill()
  assert.deepEqual(await m.shown(), [['failed', 'voided']])
  // What is past due is charged a day later.
  await m.goTo('2026-03-01T15:00:00Z')
  await m.bill()
  assert.deepEqual(await m.shown(), [
    ['failed', 'voided'],
    ['success', null]
  ])
  assert.equal((await m.charges()).length, 1)
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, '2026-03-31T14:00:00Z'])
})
