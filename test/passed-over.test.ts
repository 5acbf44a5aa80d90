// Cycles that were passed over, and what the platform's own cycles make of it. Against the sandbox, over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resumeSubscription } from '#subscriptions'
import { retryAttempt } from '../src/billing/retry-attempt.ts'
import { startSandbox } from '../src/sandbox/test-shop.ts'
import { aChargedMember } from './charged-member.ts'
import { testDatabase } from './database.ts'
import { theValue } from './fake-platform.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db)
const SECOND = '2026-02-28T15:00:00Z'
type Given = Parameters<typeof aChargedMember>
const aMember = (outcome?: Given[2], dunning?: Given[3]) => aChargedMember(db, sandbox, outcome, dunning)

test('a cycle that was passed over takes the next one nothing: its retry is refused, and the next is charged on its day', async () => {
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
    theValue(await m.connector.activateContract(m.contractId))
    theValue(await m.connector.setNextBillingDate(m.contractId, Temporal.Instant.from('2026-03-31T14:00:00Z')))
    await m.card('success')
    const [first] = await m.attempts()
    const retry = m.inStore((ctx) => retryAttempt(ctx, first!.id, 'api'))
    await assert.rejects(retry, { code: 'conflict', message: /passed over/ }, outcome)
    await m.goTo('2026-03-31T14:00:00Z')
    await m.bill()
    assert.deepEqual(await m.now(), ['active', 3, 2, 0, '2026-04-30T14:00:00Z'])
    assert.equal((await m.charges()).length, 1)
  }
})
