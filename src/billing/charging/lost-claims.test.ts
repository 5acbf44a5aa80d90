// A process that has lost its claim records no refusal: the platform has no attempt of it, and another process may have sent it
// since.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { type ConnectorCalls, connectorTo, withCalls } from '../../../test/connectors.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDueStore } from '../../../test/due-store.ts'
import { awayWhile } from '../../../test/failing-database.ts'
import { at } from '../../../test/subscription-life.ts'
import { until } from '../../../test/until.ts'
import { createBillingEngine } from '../billing-engine.ts'
import { openDueAttempts } from './open-attempts.ts'
import { reported } from './platform-of-attempts.test-helper.ts'
import { retryAttempt } from './retry-attempt.ts'

const { db } = await testDatabase()
const DUE = at('2026-02-28T15:00:00Z')
const REFUSED = {
  ok: false,
  failure: { kind: 'rejected', message: 'The contract is paused', code: 'CONTRACT_PAUSED' }
} as const
type Cause = 'its database was away' | 'it stood still'

/**
 * A charge that the platform refuses to process 1, which cannot record that because of `cause`; meanwhile its claim runs out, the
 * contract runs again, and process 2 has the charge: its search waits for `found`. `charged` are the keys that were charged since
 * then.
 */
async function aLostClaim(cause: Cause) {
  const store = await aDueStore(db, { subscriptions: 1, dueAt: DUE })
  const { storeId, inStore } = store
  await inStore((ctx) => openDueAttempts(ctx, 10))
  const charged: string[] = []
  const [refused, found] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const engineOf = (leaseOwner: number, billing: ConnectorCalls['billing'], isAway = () => false) => {
    const access = { storeId, profile: 'platform' as const, url: 'http://127.0.0.1:9', accessToken: 'none' }
    const connector = withCalls(connectorTo(access), { billing: billing! })
    const patience = { slowMs: 20, comeBackMs: 10 }
    return createBillingEngine({
      db: awayWhile(db, isAway),
      leaseOwner,
      connectorOf: async () => connector,
      patience
    })
  }
  const charges: ConnectorCalls['billing'] = {
    async findAttemptsByKeys(_contract, keys) {
      const value = charged.filter((key) => keys.includes(key)).map((key) => reported(key, 'pending', key))
      return { ok: true, value }
    },
    async createAttempts(requests) {
      return requests.map(({ idempotencyKey: key }) => {
        charged.push(key)
        return { ok: true, value: reported(key, 'pending', key) }
      })
    }
  }
  let isAway = false
  const createRefused = async (requests: unknown[]) => {
    if (cause === 'it stood still') await refused.promise
    else isAway = true
    return requests.map(() => REFUSED)
  }
  const one = engineOf(1, { ...charges, createAttempts: createRefused }, () => isAway)
  await Promise.allSettled([one.runOnce(storeId)])
  await inStore(({ tx }) =>
    tx.run(sql`update billing_attempts set leased_until = statement_timestamp() - interval '1 second'
                where store_id = ${storeId}`)
  )
  let isSearched = false
  const two = engineOf(2, {
    ...charges,
    async findAttemptsByKeys(...args) {
      const answer = await charges.findAttemptsByKeys!(...args)
      isSearched = true
      await found.promise
      return answer
    }
  })
  await until('the search of process 2', async () => {
    await two.runOnce(storeId)
    return isSearched
  })
  const attempts = () =>
    inStore(({ tx }) =>
      tx.many(
        row({ id: int, status: text, token: int, platformAttemptId: nullable(text) }),
        sql`select id, status, lease_token as token, platform_attempt_id from billing_attempts where store_id = ${storeId} order by id`
      )
    )
  return {
    ...store,
    charged,
    attempts,
    two,
    three: engineOf(3, charges),
    found: () => found.resolve(),
    /** Process 1 goes on, and records what it can. */
    async goOn() {
      isAway = false
      refused.resolve()
      await one.endUnderWay!(storeId)
    }
  }
}

for (const cause of ['its database was away', 'it stood still'] as const) {
  test(`a cycle is charged once although a process whose claim was lost, since ${cause}, was refused before`, async () => {
    const { storeId, inStore, attempts, charged, two, three, found, goOn } = await aLostClaim(cause)
    await goOn()
    const [first] = await attempts()
    const retried = await inStore((ctx) => retryAttempt(ctx, first!.id, 'operator')).then(
      () => 'retried',
      (err) => err.code
    )
    assert.deepEqual([retried, first!.status, first!.token], ['conflict', 'pending', 2])
    for (let turn = 0; turn < 3; turn++) await three.runOnce(storeId)
    found()
    await until('it is charged', async () => {
      await two.runOnce(storeId)
      return charged.length > 0
    })
    await three.runOnce(storeId)
    await Promise.all([two.endUnderWay!(storeId), three.endUnderWay!(storeId)])
    assert.equal(charged.length, 1)
    assert.deepEqual(
      (await attempts()).map(({ status }) => status),
      ['pending']
    )
  })

  test(`a charge that the platform has does not fail by the refusal of a process whose claim was lost, since ${cause}`, async () => {
    const { storeId, attempts, charged, two, found, goOn } = await aLostClaim(cause)
    found()
    await until('it is charged', async () => {
      await two.runOnce(storeId)
      return (await attempts())[0]!.platformAttemptId !== null
    })
    await goOn()
    const [only, ...others] = await attempts()
    assert.deepEqual([only!.status, only!.token, charged.length, others], ['pending', 2, 1, []])
  })
}
