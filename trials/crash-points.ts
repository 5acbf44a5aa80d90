import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { audit } from '#audit'
import { createBillingEngine } from '#billing'
import { changeCredits } from '#credits'
import { type Engine, type Node, startNode } from '#kit/engines'
import { createJobEngine } from '#kit/jobs'
import { createFactEngines } from '#kit/outbox'
import { Database, int, row, sql, text } from '#kit/postgres'
import { findCustomerId } from '#members'
import { createDeliveryEngine, createEndpoint, type DeliveryEngine } from '#webhooks'
import { trustLoopbackOnly } from '../bench/loopback-tls.ts'
import { stubConnector } from '../bench/stub-connector.ts'
import { consumers } from '../src/app/consumers.ts'
import { jobs } from '../src/app/jobs.ts'
import { noMail } from '../src/app/mail.ts'
import { aDueStore, FIRST_NUMBER } from '../test/due-store.ts'
import { type BuiltStore, testVault } from '../test/store-builder.ts'
import { aCuttingProxy } from './cut-postgres.ts'
import { aTlsReceiver } from './receiver.ts'

/** `stride` 1 tries every statement; a higher one skips statements, which depend on `seed`. */
export type CrashTrial = { databaseUrl: string; stride: number; seed: number }
export type CrashReport = { statements: number; crashes: number; repeatedPosts: number }

const DUE_AT = Temporal.Instant.from('2026-02-28T15:00:00Z')
const SENDING = { vault: testVault, addresses: { loopback: true, allow: [] } }
const WAIT_FOR_LOCKS_MS = 20
const MAX_WAITS = 500

/** The events of one renewal and its credit. */
const EXPECTED_EVENTS = ['billing.pending', 'billing.success', 'store_credit.added']

type Receiver = Awaited<ReturnType<typeof aTlsReceiver>>
/** A store with one due subscription, the platform's received calls and the receiver's deliveries. */
type Place = { store: BuiltStore; calls: string[]; receiver: Receiver }

/**
 * Ends a process at the n-th statement of a renewal, its store credit and the delivery of their events, for n from 1 until a run
 * completes, once before and once after the statement. After a restart there must be exactly one charge, one credit entry, each
 * event once under one webhook_id, and no lease. Throws otherwise.
 */
export async function crashAtEveryStatement(trial: CrashTrial): Promise<CrashReport> {
  trustLoopbackOnly()
  // One that fails ends the other one, which needs the same server.
  const failures: unknown[] = []
  const [before, after] = await Promise.all(
    (['before', 'after'] as const).map((side) =>
      crashOnSide(trial, side, () => failures.length > 0).catch((err) => {
        failures.push(err)
        return null
      })
    )
  )
  if (!before || !after) throw failures[0]
  return {
    statements: Math.max(before.statements, after.statements),
    crashes: before.crashes + after.crashes,
    repeatedPosts: before.repeatedPosts + after.repeatedPosts
  }
}

async function crashOnSide(
  { databaseUrl, stride, seed }: CrashTrial,
  side: 'before' | 'after',
  isOver: () => boolean
): Promise<CrashReport> {
  const db = new Database({ url: databaseUrl })
  const proxy = await aCuttingProxy(databaseUrl)
  const receiver = await aTlsReceiver()
  const report: CrashReport = { statements: 0, crashes: 0, repeatedPosts: 0 }
  try {
    for (let nth = 1 + (seed % stride); ; nth += stride) {
      const place = await aPlace(db, receiver)
      proxy.cutAt(nth, side)
      await asProcess(proxy.url, (process) => renew(process, place)).catch((err) => {
        if (!proxy.wasCut()) throw err
      })
      const isThrough = !proxy.wasCut()
      proxy.cutAt(Number.POSITIVE_INFINITY, side)
      await asProcess(databaseUrl, (process) => renew(process, place))
      await assertOnce(place, `${side} statement ${nth}`)
      report.repeatedPosts += [...receiver.posts.values()].reduce((sum, posts) => sum + posts - 1, 0)
      if (isThrough || isOver()) return report
      report.crashes++
      report.statements = nth
    }
  } finally {
    receiver.close()
    proxy.close()
    await db.close()
  }
}

async function aPlace(db: Database, receiver: Receiver): Promise<Place> {
  const store = await aDueStore(db, { subscriptions: 1, dueAt: DUE_AT })
  receiver.secret = (await createEndpoint(db, store.storeId, { url: receiver.url }, SENDING)).secret
  receiver.posts.clear()
  return { store, calls: [], receiver }
}

type Process = { db: Database; node: Node; sender: DeliveryEngine }

/** Releases the leases of the dead process, does the due work, and ends. */
async function asProcess(url: string, work: (process: Process) => Promise<void>): Promise<void> {
  const db = new Database({ url })
  try {
    const node = await startNode(db)
    const sender = createDeliveryEngine({ db, leaseOwner: node.id, ...SENDING })
    try {
      await work({ db, node, sender })
    } finally {
      // Its deliveries in progress end with it.
      await sender.stop(0).finally(() => node.stop())
    }
  } finally {
    await db.close()
  }
}

/**
 * As if the time had passed that a call of a dead process could last: the claims of charges that are not this node's have ended.
 */
const endClaimsBeside = (node: Node, { inStore }: BuiltStore) =>
  inStore(({ tx, storeId }) =>
    tx.run(sql`
      update billing_attempts set leased_until = statement_timestamp()
       where store_id = ${storeId} and leased_until > statement_timestamp() and lease_owner <> ${node.id}`)
  )

/** Runs charge, settle, push, credit, dispatch and delivery. */
async function renew({ db, node, sender }: Process, { store, calls }: Place): Promise<void> {
  const onCharge = (keys: string[]) => void calls.push(...keys)
  const connector = stubConnector({ now: DUE_AT, priceMinor: 2900, onCharge, charged: calls })
  const connectorOf = async () => connector
  const doAll = async (engines: Engine[]) => {
    for (let waits = 0; ; waits++) {
      let done = 0
      for (const engine of engines) done += await engine.runOnce(store.storeId)
      const dues = await Promise.all(engines.map((engine) => engine.nextDueAt(store.storeId)))
      if (dues.every((due) => due === null || Temporal.Instant.compare(due, DUE_AT) > 0)) return
      assert.ok(waits < MAX_WAITS, 'due work is not done')
      if (done > 0) continue
      // The server may need a moment to notice that the other process has ended, and to commit what that had sent.
      await sleep(WAIT_FOR_LOCKS_MS)
      await node.releaseDeadLeases(releases)
      await endClaimsBeside(node, store)
    }
  }
  const billing = createBillingEngine({ db, leaseOwner: node.id, connectorOf })
  const jobEngine = createJobEngine({
    db,
    leaseOwner: node.id,
    jobs,
    deps: { db, vault: testVault, connectorOf, sendMail: noMail }
  })
  const releases = [billing, jobEngine, sender].flatMap(({ releaseLeases }) => releaseLeases ?? [])
  await node.releaseDeadLeases(releases)
  await doAll([billing, jobEngine])
  await db.inStore(store.storeId, async (ctx) => {
    const found = await findCustomerId(ctx, { memberId: null, platformId: String(FIRST_NUMBER + 1) })
    const add = { type: 'manual_add' as const, amountMinor: 500, reason: 'trial', operationId: 'trial:1' }
    await changeCredits(ctx, [{ ...add, memberId: found! }])
  })
  await doAll([...createFactEngines({ db, consumers }), sender])
}

async function assertOnce({ store, calls, receiver }: Place, where: string): Promise<void> {
  const found = await store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ attempts: int, paid: int, entries: int, held: int, undispatched: int }),
      sql`
      select (select count(*) from billing_attempts where store_id = ${storeId}) as attempts,
             (select count(*) from billing_attempts where store_id = ${storeId} and status = 'success') as paid,
             (select count(*) from credit_entries where store_id = ${storeId}) as entries,
             (select count(*) from jobs where store_id = ${storeId})
               + (select count(*) from webhook_queue where store_id = ${storeId})
               + (select count(*) from billing_attempts where store_id = ${storeId} and lease_owner is not null) as held,
             (select count(*) from facts where store_id = ${storeId} and position is null)
               + (select count(*) from fact_consumers where store_id = ${storeId} and position < last_position) as undispatched`
    )
  )
  assert.deepEqual(found, { attempts: 1, paid: 1, entries: 1, held: 0, undispatched: 0 }, where)
  // Each call would be a payment on a platform that forgets its keys.
  assert.equal(calls.length, 1, `${where}: charged under ${calls.join(', ')}`)
  const deliveries = await store.inStore(({ tx, storeId }) =>
    tx.many(
      row({ type: text, webhookId: text, tries: int, delivered: int }),
      sql`
      select d.event_type as type, d.webhook_id, count(t.try_number) as tries,
             count(t.try_number) filter (where t.failure is null) as delivered
        from webhook_deliveries d
        left join webhook_tries t on t.store_id = ${storeId} and t.day = d.day and t.delivery_id = d.id
       where d.store_id = ${storeId} group by d.event_type, d.webhook_id order by d.event_type`
    )
  )
  assert.deepEqual(
    deliveries.map(({ type, delivered }) => [type, delivered]),
    EXPECTED_EVENTS.map((type) => [type, 1]),
    where
  )
  assert.deepEqual(receiver.odd, [], where)
  assert.equal(receiver.posts.size, deliveries.length, where)
  for (const { type, webhookId, tries } of deliveries) {
    const posts = receiver.posts.get(webhookId) ?? 0
    assert.ok(posts >= 1 && posts <= tries, `${where}: ${type} came ${posts} times in ${tries} tries`)
  }
  assert.deepEqual((await store.inStore(audit)).findings, [], where)
}
