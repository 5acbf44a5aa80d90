import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import type { Connector, PlatformContract } from '#platform'
import { aContract, anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { findSubscriptionByContract } from '../../subscriptions/queries.ts'
import { applyContracts } from './apply-contracts.ts'
import { syncContracts } from './read-and-apply-contracts.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')

/** A store and a platform with these contracts. */
async function aPlatform(contracts: PlatformContract[], unreadable = new Map<string, string>()) {
  const store = await aStore(db, { clockAt: START })
  const asked: string[] = []
  const connector = {
    contracts: {
      findReadable: async (ids: string[]) => {
        asked.push(ids.join())
        return {
          ok: true,
          value: { contracts: new Map(contracts.filter((c) => ids.includes(c.id)).map((c) => [c.id, c])), unreadable }
        }
      }
    },
    customers: { findMany: async () => ({ ok: true, value: new Map() }) },
    orders: {
      findMany: async (ids: string[]) => {
        asked.push(`orders ${ids.join()}`)
        return { ok: true, value: new Map(ids.map((id) => [id, anOrder(START, { id })])) }
      }
    }
  } as unknown as Connector
  const sync = (ids: string[], attempts: number) =>
    syncContracts.run(
      { db, connectorOf: async () => connector },
      store.storeId,
      ids.map((contractId) => ({ input: { contractId }, attempts, renewLease: async () => {} }))
    )
  const apply = (some: PlatformContract[]) => applyContracts(db, connector, store.storeId, some)
  const isKnown = async ({ id }: PlatformContract) =>
    (await store.inStore((ctx) => findSubscriptionByContract(ctx, id))) !== null
  return { ...store, asked, sync, apply, isKnown }
}

test('a contract that is not there yet is looked up again, four times; one that cannot be read says why', async () => {
  const [one, bad] = [aContract(START), aContract(START)]
  const { sync, asked, isKnown } = await aPlatform([one], new Map([[bad.id, 'No price']]))
  const outcomes = (isGone: boolean) => [
    { done: true },
    { done: false, reason: 'No price' },
    isGone ? { done: true } : { done: false, reason: 'The platform has no contract 404' }
  ]
  assert.deepEqual(await sync([one.id, bad.id, '404'], 1), outcomes(false))
  assert.equal(asked[0], `${one.id},${bad.id},404`)
  assert.equal(await isKnown(one), true)
  assert.deepEqual(await sync([one.id, bad.id, '404'], 3), outcomes(false))
  assert.deepEqual(await sync([one.id, bad.id, '404'], 4), outcomes(true))
})

test('origin orders are read of contracts that are new here, and of no others', async () => {
  const [one, two] = [aContract(START), aContract(START)]
  const { apply, asked } = await aPlatform([one, two])
  assert.deepEqual((await apply([one])).changed, [one.id])
  assert.deepEqual((await apply([one])).changed, [], 'nothing is new')
  assert.deepEqual((await apply([one, two])).changed, [two.id])
  assert.deepEqual(asked, [`orders ${one.originOrder!.id}`, `orders ${two.originOrder!.id}`])
})

test('a contract that cannot be applied blocks no other; an older state of one changes nothing', async () => {
  const [good, bad] = [aContract(START, { revision: '5' }), aContract(START, { currency: 'no currency' })]
  const { apply, isKnown, inStore } = await aPlatform([good, bad])
  const { changed, failed } = await apply([bad, good])
  assert.deepEqual([changed, [...failed.keys()]], [[good.id], [bad.id]])
  assert.deepEqual([await isKnown(good), await isKnown(bad)], [true, false])
  assert.deepEqual((await apply([{ ...good, revision: '4', status: 'paused' }])).changed, [])
  const count = (status: string) =>
    inStore(({ tx, storeId }) =>
      tx.run(sql`select from subscriptions where store_id = ${storeId} and status = ${status}`)
    )
  assert.deepEqual([await count('active'), await count('paused')], [1, 0])
  assert.deepEqual((await apply([{ ...good, revision: '6', status: 'paused' }])).changed, [good.id])
  assert.deepEqual([await count('active'), await count('paused')], [0, 1])
})
