// A charge that was sent by a node that is dead, or counts as dead since its session with the database ended, and that arrives at
// the platform late: until it cannot arrive any more nobody else searches for it, sends it again or takes it for unsent. The
// platform forgets keys at once. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql } from '#kit/postgres'
import { pauseSubscription } from '#lifecycle'
import { createConnectors, requestedScopes } from '#platform'
import { startSandbox } from '../sandbox/start-sandbox.test-helper.ts'
import { createBillingEngine } from '../src/billing/billing-engine.ts'
import { claimCalls } from '../src/billing/charging/claim-calls.ts'
import { releaseAttempts } from '../src/billing/charging/claims.ts'
import { aChargedMember } from './charged-member.ts'
import { connectorTo, withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { submitAttempts } from './submit-attempts.ts'
import { until } from './until.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db, requestedScopes)
const SECOND = '2026-02-28T15:00:00Z'
/** No call of these connectors takes longer. */
const MAX_CALL_MS = 1_200
const DEAD = 101
const OTHER = 102

type Member = Awaited<ReturnType<typeof aChargedMember>>

/** A member whose charge a node has sent that is dead now; it arrives when `arrive` is called. */
async function aLateCall(): Promise<Member & { arrive: () => Promise<unknown>; sentAt: number }> {
  const m = await aChargedMember(db, sandbox)
  await m.shop.sandbox.controls.setChargeFaults({
    storeId: m.shop.storeId,
    faults: { paysAgain: true, keyMinutes: 0 }
  })
  await m.goTo(SECOND)
  await m.open()
  const released = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  let isSent = false
  const late = withCalls(m.connector, {
    billing: {
      async createAttempts(requests) {
        isSent = true
        await released.promise
        // It was on its way in time.
        await m.connector.billing.createAttempts(requests.map((one) => ({ ...one, endBy: undefined })))
        arrived.resolve()
        // Nobody is there to hear the answer.
        return new Promise(() => {})
      }
    }
  })
  const sentAt = performance.now()
  const calls = await claimCalls(db, m.storeId, late, {
    leaseOwner: DEAD,
    maxCallMs: MAX_CALL_MS,
    limit: 10,
    except: [],
    isEnding: () => false
  })
  // Nobody extends the claim: the node dies.
  for (const { ask } of calls) void ask()
  await until('the charge is sent', () => isSent)
  // What other nodes do as soon as that one has no session any more.
  await db.inInstallation((tx) => tx.run(releaseAttempts([DEAD])))
  const arrive = () => {
    released.resolve()
    return arrived.promise
  }
  return { ...m, arrive, sentAt }
}

const submit = (m: Member, connector = m.connector) => submitAttempts(db, m.storeId, connector, OTHER, MAX_CALL_MS)

test('another node sends nothing until the call of a dead one cannot arrive any more, and then finds it', async () => {
  const m = await aLateCall()
  while (performance.now() - m.sentAt < MAX_CALL_MS * 0.8) assert.equal(await submit(m), 0)
  await m.arrive()
  await until('the claim has ended', async () => (await submit(m)) > 0)
  await m.shop.settle()
  await m.goTo('2026-02-28T17:00:00Z')
  await submit(m)
  assert.deepEqual(await m.charges(), [`svc-${m.contractId}-2-1`])
  assert.deepEqual(await m.shown(), [['success', null]])
})

test('a charge that a dead node had sent and that has not arrived in that time is sent again', async () => {
  const m = await aLateCall()
  const { base, shop } = m.shop
  const access = { storeId: m.storeId, profile: 'platform' as const, url: base, accessToken: shop.accessToken }
  const quick = connectorTo(access, { timeoutMs: MAX_CALL_MS * 0.75, throttleWaitMs: MAX_CALL_MS / 4 })
  await until('the claim has ended', async () => (await submit(m, quick)) > 0)
  assert.ok(performance.now() - m.sentAt > MAX_CALL_MS)
  await m.shop.settle()
  assert.equal((await m.charges()).length, 1)
})

test('a charge that a dead node had sent does not count as unsent when its subscription is paused meanwhile', async () => {
  const m = await aLateCall()
  await m.inStore((ctx) => pauseSubscription(ctx, m.id, null, 'api'))
  await submit(m)
  assert.deepEqual(await m.shown(), [['pending', null]])
  await m.arrive()
  await m.shop.settle()
  await m.goTo('2026-02-28T15:30:00Z')
  await until('it is read', async () => {
    await submit(m)
    return (await m.shown())[0]![0] === 'success'
  })
})

test('a claim follows the time limit of the calls: the engine’s, and that of the connectors', async () => {
  assert.equal(createConnectors({ timeoutMs: 450, throttleWaitMs: 150 }).maxCallMs, 600)
  assert.equal(createConnectors().maxCallMs, 40_000)
  const m = await aChargedMember(db, sandbox)
  await m.goTo(SECOND)
  await m.open()
  const silent = withCalls(m.connector, { billing: { createAttempts: () => new Promise(() => {}) } })
  const patience = { slowMs: 10, comeBackMs: 10 }
  const connectorOf = async () => silent
  const engine = createBillingEngine({ db, leaseOwner: DEAD, connectorOf, maxCallMs: 4_000, patience })
  await engine.runOnce(m.storeId)
  const { lasts } = await m.inStore(({ tx }) =>
    tx.one(
      row({ lasts: int }),
      sql`select round(extract(epoch from leased_until - statement_timestamp()))::int as lasts
            from billing_attempts where store_id = ${m.storeId}`
    )
  )
  assert.ok(lasts >= 3 && lasts <= 6, `${lasts} s`)
})
