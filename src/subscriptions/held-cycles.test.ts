// A cycle that falls due while a change of its terms waits to be taken by the platform.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aContract, anOrder } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aPlan } from '../../test/plan-builder.ts'
import { aStore } from '../../test/store-builder.ts'
import { upsertFromContracts } from '../contracts/upsert-from-contracts.ts'
import { findSubscriptionByContract } from './queries.ts'
import { writeChanges } from './requested-changes.ts'
import { claimDueCycles } from './transitions/claim-cycles.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')
const DUE = Temporal.Instant.from('2026-02-28T15:00:00Z')

/** A subscription whose price is to change: asked for at `asked`. */
async function aWaitingChange(requestedAt: Temporal.Instant) {
  const store = await aStore(db, { clockAt: START })
  const { inStore } = store
  const plan = await aPlan(store, { name: 'VIP' })
  const contract = aContract(START)
  const line = { ...contract.lines[0]!, ...plan }
  await inStore((ctx) =>
    upsertFromContracts(ctx, [{ ...contract, lines: [line] }], [anOrder(START, { id: contract.originOrder!.id })])
  )
  const { id } = (await inStore((ctx) => findSubscriptionByContract(ctx, contract.id)))!
  const none = {
    planId: null,
    linePriceMinor: null,
    interval: null,
    intervalCount: null,
    platformPaymentMethodId: null,
    replaces: null
  }
  await inStore((ctx) =>
    writeChanges({ ...ctx, now: requestedAt }, [
      { ...none, subscriptionId: id, priceMinor: 3100, actor: 'api', actorId: null }
    ])
  )
  /** How many cycles billing is handed then. */
  return (now: Temporal.Instant) => inStore(async (ctx) => (await claimDueCycles({ ...ctx, now }, 10)).cycles.length)
}

test('a cycle waits for a change for a day after its date, then it is billed under the present terms of the contract', async () => {
  const take = await aWaitingChange(START)
  assert.equal(await take(DUE), 0)
  assert.equal(await take(DUE.add({ hours: 23, minutes: 59 })), 0)
  assert.equal(await take(DUE.add({ hours: 24, minutes: 15 })), 1)
})

test('a change asked for late, after the service was down, has its day too', async () => {
  const requestedAt = DUE.add({ hours: 72 })
  const take = await aWaitingChange(requestedAt)
  assert.equal(await take(requestedAt.add({ hours: 1 })), 0)
  assert.equal(await take(requestedAt.add({ hours: 25 })), 1)
})
