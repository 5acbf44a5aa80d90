// How many attempts a turn claims, and what it counts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isOutage } from '#kit/postgres'
import type { Connector, PlatformAttempt } from '#platform'
import { testDatabase } from '../../../test/database.ts'
import { aDueStore } from '../../../test/due-store.ts'
import { awayWhile } from '../../../test/failing-database.ts'
import { at } from '../../../test/subscription-life.ts'
import { createChargingTurns } from './charging-turns.ts'
import { openDueAttempts } from './open-attempts.ts'
import { aPlatform, reported } from './platform-of-attempts.test-helper.ts'

const { db } = await testDatabase()
const DUE = at('2026-02-28T15:00:00Z')
type Charge = NonNullable<NonNullable<Parameters<typeof aPlatform>[1]>['charge']>

/** A store with so many charges to send; the platform answers each with `charge`, when `answered` is over. */
async function aStoreThatSends(
  count: number,
  charge: Charge,
  answered: Promise<void> = Promise.resolve(),
  throttleMemoryMs?: number,
  ofDatabase = db
) {
  const { storeId, inStore } = await aDueStore(db, { subscriptions: count, dueAt: DUE })
  await inStore((ctx) => openDueAttempts(ctx, 500))
  const { connector, asked } = aPlatform([], { charge })
  const billing: Connector['billing'] = {
    ...connector.billing,
    createAttempts: async (requests) => {
      const made = await connector.billing.createAttempts(requests)
      await answered
      return made
    }
  }
  let connectors = 0
  const turns = createChargingTurns({
    db: ofDatabase,
    leaseOwner: 1,
    connectorOf: async () => {
      connectors++
      return { ...connector, billing }
    },
    patience: { slowMs: 60_000, comeBackMs: 20 },
    throttleMemoryMs
  })
  const turn = () => turns.turn(storeId)
  return { turns, turn, asked, storeId, connectors: () => connectors }
}

const accepts = (key: string): PlatformAttempt => reported(key, 'pending', key)

test('a turn counts what was claimed, what was answered and what is under way, and is full when there may be more', async () => {
  const { turn, asked } = await aStoreThatSends(35, accepts)
  assert.deepEqual([await turn(), asked.length], [{ done: 64, isFull: true }, 32])
  assert.deepEqual([await turn(), asked.length], [{ done: 6, isFull: false }, 35])
  assert.deepEqual(await turn(), { done: 0, isFull: false })
})

test('while as many calls are under way as may be, nothing is claimed and nobody asks for a connector', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { turns, turn, asked, storeId, connectors } = await aStoreThatSends(40, accepts, promise)
  assert.deepEqual(await turn(), { done: 64, isFull: true })
  assert.deepEqual(await turn(), { done: 32, isFull: false })
  assert.deepEqual([asked.length, turns.underWay(storeId), connectors()], [32, 32, 1])
  resolve()
  await turns.endUnderWay(storeId)
  assert.equal(turns.underWay(storeId), 0)
})

test('after the platform has throttled, no more are claimed at once than before', async () => {
  let isThrottled = true
  const { turn, asked } = await aStoreThatSends(115, (key) => (isThrottled ? { kind: 'throttled' } : accepts(key)))
  const claimed: number[] = []
  for (let n = 0; n < 4; n++) {
    const before = asked.length
    await turn()
    claimed.push(asked.length - before)
    isThrottled = false
  }
  assert.deepEqual(claimed, [32, 16, 32, 32])
})

test('an answer that comes again, since it could not be written, counts once as throttled', async () => {
  let isAway = false
  const charge: Charge = () => {
    isAway = true
    return { kind: 'throttled' }
  }
  const ofDatabase = awayWhile(db, () => isAway)
  const { turn, asked } = await aStoreThatSends(96, charge, Promise.resolve(), undefined, ofDatabase)
  await assert.rejects(turn(), isOutage)
  isAway = false
  await turn()
  assert.equal(asked.length, 32, 'as many wait to be written')
  await assert.rejects(turn(), isOutage)
  assert.equal(asked.length, 48)
})

test('a store that was throttled a while ago, and has answered nothing since, is taken for one that is not', async () => {
  const charge: Charge = () => ({ kind: 'throttled' })
  const { turn, asked } = await aStoreThatSends(96, charge, Promise.resolve(), 200)
  await turn()
  await turn()
  assert.equal(asked.length, 48)
  await sleep(220)
  await turn()
  assert.equal(asked.length, 80)
})
