// Missed cycles and the platform's own numbering of cycles, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pauseSubscription, resumeSubscription } from '#lifecycle'
import { requestedScopes } from '#platform'
import { startSandbox } from '../sandbox/start-sandbox.test-helper.ts'
import { retryAttempt } from '../src/billing/charging/retry-attempt.ts'
import { aChargedMember } from './charged-member.ts'
import { testDatabase } from './database.ts'
import { theValue } from './fake-platform.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db, requestedScopes)
const SECOND = '2026-02-28T15:00:00Z'
type Given = Parameters<typeof aChargedMember>
const aMember = (outcome?: Given[2], dunning?: Given[3]) => aChargedMember(db, sandbox, outcome, dunning)

test('a missed cycle does not affect the next one: its retry is refused, and the next is charged on its day', async () => {
  const ways: Record<string, Given[3]> = {
    insufficient_inventory: { inventory: { retryAfterDays: [1] } },
    insufficient_funds: { retryAfterDays: [1], onFailure: 'pause' }
  }
  for (const [outcome, dunning] of Object.entries(ways)) {
    const m = await aMember(outcome, dunning)
    await m.goTo(SECOND)
    await m.bill()
    await m.goTo('2026-03-01T16:00:00Z')
    await m.bill()
    if (outcome === 'insufficient_funds') {
      assert.equal((await m.now())[0], 'paused')
      await m.goTo('2026-03-30T16:00:00Z')
      await m.inStore((ctx) => resumeSubscription(ctx, m.id, null, 'api'))
    }
    assert.deepEqual(await m.now(), ['active', 1, 1, 0, '2026-03-31T14:00:00Z'])
    theValue(await m.connector.contracts.activate(m.contractId))
    theValue(
      await m.connector.contracts.setNextBillingDate(m.contractId, Temporal.Instant.from('2026-03-31T14:00:00Z'))
    )
    await m.card('success')
    const [first] = await m.attempts()
    const retry = m.inStore((ctx) => retryAttempt(ctx, first!.id, 'api'))
    await assert.rejects(retry, { code: 'conflict', message: /was missed/ }, outcome)
    await m.goTo('2026-03-31T14:00:00Z')
    await m.bill()
    assert.deepEqual(await m.now(), ['active', 3, 2, 0, '2026-04-30T14:00:00Z'])
    assert.equal((await m.charges()).length, 1)
  }
})

test("a cycle that the platform reports as paid by another cycle's payment is missed, and the next one is charged", async () => {
  // A platform that refuses what it calls paid.
  const m = await aChargedMember(db, sandbox, 'reported_failed', { inventory: { retryAfterDays: [] } }, null)
  await m.goTo(SECOND)
  await m.bill()
  const third = Temporal.Instant.from('2026-03-31T14:00:00Z')
  // Paused and resumed, so cycle 2 is missed; the platform shifts its cycles, and then reports cycle 2 as paid.
  await m.inStore((ctx) => pauseSubscription(ctx, m.id, null, 'api'))
  await m.inStore((ctx) => resumeSubscription(ctx, m.id, third, 'api'))
  theValue(await m.connector.contracts.setNextBillingDate(m.contractId, third))
  await m.goTo('2026-03-01T15:00:00Z')
  await m.recorded((await m.attempts())[0]!.platform!)
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, third.toString()])
  await m.card('success')
  await m.goTo(third.toString())
  await m.bill()
  await m.submit()
  assert.deepEqual(await m.shown(), [
    ['success', null],
    ['failed', 'already_paid']
  ])
  const fourth = '2026-04-30T14:00:00Z'
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, fourth])
  assert.deepEqual(await m.alerts(), ['paid_elsewhere'])
  theValue(await m.connector.contracts.setNextBillingDate(m.contractId, Temporal.Instant.from(fourth)))
  await m.goTo(fourth)
  await m.bill()
  assert.deepEqual(await m.now(), ['active', 4, 3, 0, '2026-05-31T14:00:00Z'])
})
