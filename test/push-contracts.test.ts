// Changes that are pushed to the platform's contract, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJobEngine, enqueue } from '#kit/jobs'
import { requestedScopes } from '#platform'
import { pushContractJob } from '#subscriptions'
import { startSandbox } from '../sandbox/start-sandbox.test-helper.ts'
import { jobs } from '../src/app/jobs.ts'
import { noMail } from '../src/app/mail.ts'
import { aChargedMember } from './charged-member.ts'
import { testDatabase } from './database.ts'
import { theValue } from './fake-platform.ts'
import { testVault } from './store-builder.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db, requestedScopes)

for (const [declined, code] of [
  ['insufficient_funds', 'card_declined'],
  ['insufficient_inventory', 'insufficient_inventory']
]) {
  test(`the date of a retry (${code}) is never pushed as the platform's date, by which it counts cycles`, async () => {
    const m = await aChargedMember(db, sandbox, [declined!, 'success'], { retryAfterDays: [40] })
    const engine = createJobEngine({
      db,
      leaseOwner: 1,
      jobs,
      deps: { db, vault: testVault, connectorOf: async () => m.connector, sendMail: noMail }
    })
    const push = async () => {
      await m.inStore((ctx) => enqueue(ctx, pushContractJob, [{ subscriptionId: m.id }]))
      await engine.runOnce(m.storeId)
      return theValue(await m.connector.contracts.find(m.contractId))!.nextBillingDate?.toString()
    }
    await m.goTo('2026-02-28T15:00:00Z')
    const before = await push()
    await m.bill()
    assert.deepEqual(await m.shown(), [['failed', code]])
    assert.equal(await push(), before)

    await m.goTo('2026-04-09T16:00:00Z')
    await m.bill()
    assert.deepEqual((await m.shown())[1], ['success', null])
    // The next cycle has become due: it is charged at once, and then the platform has the date of the one after.
    await m.bill()
    assert.deepEqual((await m.shown())[2], ['success', null])
    assert.equal(await push(), '2026-04-30T14:00:00Z')
  })
}
