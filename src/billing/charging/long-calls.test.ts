// Searches and readings that last longer than a claim, with engines that go on polling: nothing is asked for twice at once, no
// outcome is lost, and a charge is sent only when its call surely ends before its claim. Claims last 900 ms here.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRunner, startNode } from '#kit/engines'
import { Database, instant, int, isBusy, isOutage, nullable, row, sql, TIME_LIMITS, text } from '#kit/postgres'
import { createConnectors } from '#platform'
import { setClock, storeStatuses } from '#stores'
import { startChargingPlatform } from '../../../test/charging-platform.ts'
import { type ConnectorCalls, connectorTo, withCalls } from '../../../test/connectors.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDueStore } from '../../../test/due-store.ts'
import { awayWhile } from '../../../test/failing-database.ts'
import { aSubscriptionLife, at } from '../../../test/subscription-life.ts'
import { until } from '../../../test/until.ts'
import { createBillingEngine } from '../billing-engine.ts'
import { claimAttempts } from './claims.ts'
import { openDueAttempts } from './open-attempts.ts'

const { db, url } = await testDatabase()
const DUE = at('2026-02-28T15:00:00Z')
const MAX_CALL_MS = 600
const UNKNOWN = { ok: false, failure: { kind: 'unavailable', message: 'No', outcomeUnknown: true } } as const
const NO_ANSWER = { ok: false, failure: { kind: 'unavailable', message: 'It hangs' } } as const

type Store = { storeId: number; inStore: Awaited<ReturnType<typeof aDueStore>>['inStore'] }

/** An engine whose connector is answered by `calls`, and which polls until `isOver`. */
function anEngine(
  { storeId }: Store,
  calls: ConnectorCalls['billing'],
  { leaseOwner = 1, ofDatabase = db }: { leaseOwner?: number; ofDatabase?: Database } = {}
) {
  const access = { storeId, profile: 'platform' as const, url: 'http://127.0.0.1:9', accessToken: 'none' }
  const connector = withCalls(connectorTo(access), { billing: calls! })
  const engine = createBillingEngine({
    db: ofDatabase,
    leaseOwner,
    connectorOf: async () => connector,
    maxCallMs: MAX_CALL_MS,
    patience: { slowMs: 50, comeBackMs: 20 }
  })
  return {
    ...engine,
    poll: (what: string, isOver: () => boolean | Promise<boolean>) =>
      until(what, async () => {
        await engine.runOnce(storeId)
        return isOver()
      })
  }
}

const attemptsOf = ({ storeId, inStore }: Store) =>
  inStore(({ tx }) =>
    tx.many(
      row({
        id: int,
        status: text,
        checks: int,
        checkAt: nullable(instant),
        leaseToken: int,
        leasedUntil: nullable(instant)
      }),
      sql`select * from billing_attempts where store_id = ${storeId} order by id`
    )
  )

/** A retry whose call may have arrived before: two searches precede the charge. */
async function aRetry() {
  const life = await aSubscriptionLife(db)
  await life.goTo(String(DUE))
  await life.bill()
  await life.decline('INSUFFICIENT_FUNDS')
  await life.retry((await life.attempts())[0]!.id)
  await life.inStore(({ tx }) =>
    tx.run(sql`update billing_attempts set check_at = scheduled_at, leased_until = null, checks = 0
                where store_id = ${life.storeId} and status = 'pending'`)
  )
  return life
}

test('a charge whose searches last longer than a claim is searched for once and sent, also with two processes that poll', async () => {
  const life = await aRetry()
  const before = (await attemptsOf(life)).at(-1)!
  let searches = 0
  const sentWith: number[] = []
  const calls: ConnectorCalls['billing'] = {
    async findAttemptsByKeys() {
      searches++
      await sleep(1_100)
      return { ok: true, value: [] }
    },
    async createAttempts(requests) {
      const { leasedUntil } = (await attemptsOf(life)).at(-1)!
      sentWith.push(leasedUntil!.since(Temporal.Now.instant()).total('milliseconds'))
      return requests.map(() => UNKNOWN)
    }
  }
  const [one, two] = [anEngine(life, calls), anEngine(life, calls, { leaseOwner: 2 })]
  const isWritten = async () => sentWith.length > 0 && (await attemptsOf(life)).at(-1)!.leasedUntil === null
  await Promise.all([one.poll('it is sent', isWritten), two.poll('it is sent', isWritten)])
  assert.deepEqual([searches, sentWith.length], [2, 1])
  assert.ok(sentWith[0]! > MAX_CALL_MS, `leased for ${sentWith[0]} ms`)
  const last = (await attemptsOf(life)).at(-1)!
  assert.equal(last.leaseToken, before.leaseToken + 1, 'claimed once')
  assert.deepEqual([last.status, last.checks, last.checkAt], ['pending', 1, DUE.add({ minutes: 10 })])
  assert.equal(await one.runOnce(life.storeId), 0)
  await sleep(400)
  assert.equal((await attemptsOf(life)).at(-1)!.leasedUntil, null, 'what is written is not leased again')
})

test('a process does not claim again what it has under way, also when its claim has run out because the database was away', async () => {
  const life = await aRetry()
  const before = (await attemptsOf(life)).at(-1)!
  let searches = 0
  let sent = 0
  const released = Promise.withResolvers<void>()
  const engine = anEngine(life, {
    async findAttemptsByKeys() {
      searches++
      await released.promise
      return { ok: true, value: [] }
    },
    async createAttempts(requests) {
      sent++
      return requests.map(() => UNKNOWN)
    }
  })
  const runOut = () =>
    life.inStore(({ tx }) =>
      tx.run(sql`update billing_attempts set leased_until = statement_timestamp() - interval '1 second'
                  where store_id = ${life.storeId} and leased_until is not null`)
    )
  for (let turn = 0; turn < 10; turn++) {
    await engine.runOnce(life.storeId)
    await runOut()
  }
  released.resolve()
  await engine.poll('it is sent', async () => sent > 0 && (await attemptsOf(life)).at(-1)!.leasedUntil === null)
  assert.deepEqual([searches, sent, (await attemptsOf(life)).at(-1)!.leaseToken], [2, 1, before.leaseToken + 1])
})

test('a claim that no process keeps runs out, and its search counts as no check', async () => {
  const life = await aRetry()
  await life.inStore((ctx) => claimAttempts(ctx, 10, 9, MAX_CALL_MS))
  const asked: number[] = []
  const engine = anEngine(life, {
    findAttemptsByKeys: async () => ({ ok: true, value: [] }),
    async createAttempts(requests) {
      asked.push(performance.now())
      return requests.map(() => UNKNOWN)
    }
  })
  const began = performance.now()
  await engine.poll('it is claimed again', () => asked.length > 0)
  assert.ok(asked[0]! - began > 500)
  await engine.endUnderWay!(life.storeId)
  const last = (await attemptsOf(life)).at(-1)!
  assert.deepEqual([last.checks, last.checkAt], [1, DUE.add({ minutes: 10 })])
})

/** Two charges that the platform has; reading them together fails after `groupMs`, and the first by itself fails after a while. */
async function twoToRead(groupMs: number) {
  const store = await aDueStore(db, { subscriptions: 2, dueAt: DUE })
  await store.inStore((ctx) => openDueAttempts(ctx, 10))
  await store.inStore(({ tx }) =>
    tx.run(
      sql`update billing_attempts set platform_attempt_id = id::text, submitted_at = ${DUE} where store_id = ${store.storeId}`
    )
  )
  const bad = String((await attemptsOf(store))[0]!.id)
  const reads: string[][] = []
  const hanging = Promise.withResolvers<void>()
  const engine = anEngine(store, {
    async findAttempts(ids) {
      reads.push(ids)
      if (ids.length > 1) {
        await sleep(groupMs)
        return NO_ANSWER
      }
      if (ids[0] === bad) {
        await hanging.promise
        return NO_ANSWER
      }
      // The platform has nothing new of it.
      return { ok: true, value: new Map() }
    }
  })
  return { ...store, engine, reads, hanging }
}

test('of charges that are read together one that hangs has the others neither read again nor wait for it', async () => {
  const store = await twoToRead(1_000)
  const { engine, reads } = store
  await engine.poll(
    'the other one is written',
    async () => (await attemptsOf(store))[1]!.leasedUntil === null && reads.length > 1
  )
  const began = performance.now()
  await engine.poll('longer than a claim', () => performance.now() - began > 1_100)
  const [bad, good] = (await attemptsOf(store)) as [
    Awaited<ReturnType<typeof attemptsOf>>[0],
    Awaited<ReturnType<typeof attemptsOf>>[0]
  ]
  assert.deepEqual(
    reads.map((ids) => ids.length),
    [2, 1, 1]
  )
  assert.deepEqual([good.checks, good.checkAt, good.leaseToken], [1, DUE.add({ minutes: 10 }), 1])
  assert.deepEqual([bad.checks, bad.leaseToken, bad.checkAt], [0, 1, good.checkAt!.subtract({ minutes: 10 })])
  assert.notEqual(bad.leasedUntil, null)
  store.hanging.resolve()
  await engine.poll('its end is written', async () => (await attemptsOf(store))[0]!.leasedUntil === null)
  assert.equal(reads.length, 3)
  assert.equal((await attemptsOf(store))[0]!.checks, 0, 'it was not read')
})

test('when work ends, charges that could not be read together are not read by themselves, and are due at once for whoever goes on', async () => {
  const store = await twoToRead(200)
  await store.engine.runOnce(store.storeId)
  const ended = store.engine.endUnderWay!(store.storeId)
  const isOver = await Promise.race([ended.then(() => true), sleep(3_000, false)])
  store.hanging.resolve()
  await ended
  assert.deepEqual([isOver, store.reads.length], [true, 1])
  for (const { checks, leasedUntil, checkAt } of await attemptsOf(store)) {
    assert.deepEqual([checks, leasedUntil, checkAt], [0, null, DUE])
  }
})

/**
 * Charges of a store whose answers wait for `released`; its database is away while `isAway`, its connector while not
 * `isConnected`.
 */
async function aStoreOfThree(ofDatabase: Database = db) {
  const store = await aDueStore(db, { subscriptions: 3, dueAt: DUE })
  const platform = await startChargingPlatform()
  after(() => platform.close())
  const access = { storeId: store.storeId, profile: 'platform' as const, url: platform.url, accessToken: 't' }
  const real = connectorTo(access, { timeoutMs: MAX_CALL_MS * 0.75, throttleWaitMs: MAX_CALL_MS / 4 })
  const released = Promise.withResolvers<void>()
  const connector = withCalls(real, {
    billing: {
      async createAttempts(requests) {
        const made = await real.billing.createAttempts(requests)
        await released.promise
        return made
      }
    }
  })
  const state = { isAway: false, isConnected: true }
  const engine = createBillingEngine({
    db: awayWhile(ofDatabase, () => state.isAway),
    leaseOwner: 1,
    async connectorOf() {
      if (!state.isConnected) throw new Error('The store is disconnected')
      return connector
    },
    maxCallMs: MAX_CALL_MS,
    patience: { slowMs: 10, comeBackMs: 10 }
  })
  await store.inStore((ctx) => openDueAttempts(ctx, 100))
  await engine.runOnce(store.storeId)
  const statuses = async () => (await attemptsOf(store)).map(({ status }) => status)
  return { ...store, engine, released, state, statuses, platform }
}

test('answers whose write failed because the database was away are written by the next run, also where the store is disconnected by then', async () => {
  const { storeId, engine, released, state, statuses, platform } = await aStoreOfThree()
  state.isConnected = false
  state.isAway = true
  released.resolve()
  await until('a write that fails', () =>
    engine.endUnderWay!(storeId).then(
      () => assert.fail('nothing can be written'),
      (err) => isOutage(err)
    )
  )
  assert.deepEqual(await statuses(), Array(3).fill('pending'))
  // Longer than a claim.
  await sleep(MAX_CALL_MS * 1.7)
  state.isAway = false
  await assert.rejects(engine.runOnce(storeId), /disconnected/)
  assert.deepEqual([await statuses(), platform.charges.size], [Array(3).fill('success'), 3])
  await engine.endUnderWay!(storeId)
})

/** A database whose transactions give up a lock soon. */
function anImpatientDatabase(): Database {
  const limits = { ...TIME_LIMITS, background: { ...TIME_LIMITS.background, lockMs: 100 } }
  const impatient = new Database({ url, limits })
  after(() => impatient.close())
  return impatient
}

/** Keeps subscriptions of a store locked until it is called: all, or only the first. */
async function lockSubscriptionsOf({ inStore, storeId }: Store, which: 'all' | 'first'): Promise<() => Promise<void>> {
  const [locked, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = inStore(async ({ tx }) => {
    await tx.run(sql`
      select from subscriptions
       where store_id = ${storeId} and (${which} = 'all' or id = (select min(id) from subscriptions where store_id = ${storeId})) for update`)
    locked.resolve()
    await free.promise
  })
  await locked.promise
  return async () => {
    free.resolve()
    await holding
  }
}

test('answers whose write gave up waiting for a lock are written when it is free, also where the store is disconnected by then', async () => {
  const store = await aStoreOfThree(anImpatientDatabase())
  const { storeId, engine, released, state, statuses } = store
  const unlock = await lockSubscriptionsOf(store, 'all')
  state.isConnected = false
  released.resolve()
  await assert.rejects(engine.endUnderWay!(storeId), isBusy)
  const waiting = await attemptsOf(store)
  assert.ok(waiting.every((one) => one.status === 'pending' && one.leasedUntil !== null && one.checks === 0))
  await unlock()
  await engine.endUnderWay!(storeId)
  assert.deepEqual(await statuses(), Array(3).fill('success'))
})

test('answers that could not be written are kept no more when the store is left to somebody else, and written nevertheless', async () => {
  const store = await aStoreOfThree()
  const { storeId, engine, released, state, statuses } = store
  state.isAway = true
  released.resolve()
  await assert.rejects(engine.endUnderWay!(storeId), isOutage)
  await engine.letGo!(storeId)
  state.isAway = false
  const isOver = async () => {
    const [one] = await attemptsOf(store)
    return Temporal.Instant.compare(one!.leasedUntil!, Temporal.Now.instant()) < 0
  }
  await until('the end of their claims', isOver, MAX_CALL_MS * 4)
  await engine.endUnderWay!(storeId)
  assert.deepEqual(await statuses(), Array(3).fill('success'))
})

test('an answer whose write waits for a lock for long is written by itself, and holds up the others only at first', async () => {
  const store = await aStoreOfThree(anImpatientDatabase())
  const { storeId, engine, released, statuses } = store
  const unlock = await lockSubscriptionsOf(store, 'first')
  released.resolve()
  let tries = 0
  await until('the others are written', async () => {
    // On a machine that stands still for long the claim of the first runs out, and nothing waits for the lock any more.
    const failed = await engine.endUnderWay!(storeId).then(
      () => null,
      (err: unknown) => err
    )
    assert.ok(failed === null || isBusy(failed), String(failed))
    tries++
    return (await statuses()).filter((status) => status === 'success').length === 2
  })
  assert.ok(tries <= 6, `${tries} tries`)
  assert.deepEqual(await statuses(), ['pending', 'success', 'success'])
  await unlock()
  await engine.endUnderWay!(storeId)
  assert.deepEqual(await statuses(), Array(3).fill('success'))
})

test('a charge whose outcome cannot be written at all is asked for again by the same process when its claim has run out', async () => {
  const life = await aRetry()
  let searches = 0
  /** Each transaction that writes an outcome fails, also the one that puts its attempt off. */
  let areWritesRefused = true
  const refusing = Object.create(db, {
    inStore: {
      value: (storeId: number, work: Parameters<Database['inStore']>[1]) =>
        db.inStore(storeId, async (ctx) => {
          const done = await work(ctx)
          const [last] = await ctx.tx.many(
            row({ leasedUntil: nullable(instant) }),
            sql`select leased_until from billing_attempts where store_id = ${storeId} order by id desc limit 1`
          )
          if (areWritesRefused && searches > 0 && last!.leasedUntil === null) throw new Error('It cannot be written')
          return done
        })
    }
  })
  const engine = anEngine(
    life,
    {
      async findAttemptsByKeys() {
        searches++
        return NO_ANSWER
      }
    },
    { ofDatabase: refusing }
  )
  await until('a write that fails', async () => {
    const [ran] = await Promise.allSettled([engine.runOnce(life.storeId)])
    return ran.status === 'rejected' && /cannot be written/.test(ran.reason.message)
  })
  areWritesRefused = false
  assert.equal(searches, 1)
  const began = performance.now()
  await engine.poll('it is asked for again', () => searches > 1 || performance.now() - began > MAX_CALL_MS * 4)
  assert.equal(searches, 2, 'within four times the longest call')
  await engine.endUnderWay!(life.storeId)
})

test('what was answered is written also where the store has no connector any more, and nothing more is claimed there', async () => {
  const store = await aDueStore(db, { subscriptions: 40, dueAt: DUE })
  const { storeId, inStore } = store
  const platform = await startChargingPlatform()
  after(() => platform.close())
  const real = connectorTo({ storeId, profile: 'platform', url: platform.url, accessToken: 't' })
  const released = Promise.withResolvers<void>()
  const connector = withCalls(real, {
    billing: {
      async createAttempts(requests) {
        await released.promise
        return real.billing.createAttempts(requests)
      }
    }
  })
  let isConnected = true
  const engine = createBillingEngine({
    db,
    leaseOwner: 1,
    async connectorOf() {
      if (!isConnected) throw new Error('The store is disconnected')
      return connector
    },
    patience: { slowMs: 10, comeBackMs: 10 }
  })
  const paid = async () => (await attemptsOf(store)).filter(({ status }) => status === 'success').length
  await inStore((ctx) => openDueAttempts(ctx, 100))
  await engine.runOnce(storeId)
  isConnected = false
  released.resolve()
  await until('what was sent is written', async () => {
    // While as many calls are under way as may be, it does not ask for the connector.
    await engine.runOnce(storeId).catch((err) => assert.match(String(err), /disconnected/))
    return (await paid()) === 32
  })
  await assert.rejects(engine.runOnce(storeId), /disconnected/)
  assert.equal(platform.charges.size, 32)
})

test('a charge is not sent when it may be changed on the platform only after the time in which its call surely ends', async () => {
  const store = await aDueStore(db, { subscriptions: 1, dueAt: DUE })
  const { storeId, inStore } = store
  const platform = await startChargingPlatform()
  after(() => platform.close())
  let answersAfterMs = 1_100
  const connectors = createConnectors({
    timeoutMs: MAX_CALL_MS * 0.75,
    throttleWaitMs: MAX_CALL_MS / 4,
    async mayChange() {
      await sleep(answersAfterMs)
      return true
    }
  })
  const connector = connectors.to({ storeId, profile: 'platform', url: platform.url, accessToken: 't' })
  const engine = createBillingEngine({
    db,
    leaseOwner: 1,
    connectorOf: async () => connector,
    maxCallMs: connectors.maxCallMs,
    patience: { slowMs: 10, comeBackMs: 10 }
  })
  await until('the call is over', async () => {
    await engine.runOnce(storeId)
    const [attempt] = await attemptsOf(store)
    return attempt !== undefined && attempt.leaseToken > 0 && attempt.leasedUntil === null
  })
  assert.equal(platform.charges.size, 0)
  assert.deepEqual(
    (await attemptsOf(store)).map(({ status, checks }) => [status, checks]),
    [['pending', 0]]
  )
  answersAfterMs = 0
  await inStore((ctx) => setClock(ctx, DUE.add({ minutes: 3 })))
  await until('it is sent', async () => {
    await engine.runOnce(storeId)
    return platform.charges.size > 0
  })
  await engine.endUnderWay!(storeId)
  assert.deepEqual([...platform.charges.values()], [1])
})

/** A retry that is searched for during a quarter of a claim; the answers of the database to its first `slow` renewals take long. */
async function afterSlowRenewals(slow: number) {
  const life = await aRetry()
  let renewals = 0
  let isRenewing = false
  const slowDatabase = Object.create(db, {
    inStore: {
      async value(...args: Parameters<Database['inStore']>) {
        const isRenewal = isRenewing
        const result = await db.inStore(...args)
        if (isRenewal && renewals++ < slow) await sleep(MAX_CALL_MS * 0.3)
        return result
      }
    }
  })
  const sentWith: number[] = []
  const engine = anEngine(
    life,
    {
      async findAttemptsByKeys() {
        await sleep(MAX_CALL_MS / 3)
        isRenewing = true
        return { ok: true, value: [] }
      },
      async createAttempts(requests) {
        isRenewing = false
        sentWith.push(requests[0]!.endBy! - performance.now())
        return requests.map(() => UNKNOWN)
      }
    },
    { ofDatabase: slowDatabase }
  )
  return { life, engine, sentWith, renewals: () => renewals }
}

test('a renewal whose answer came late is not believed: the claim is renewed again before the charge is sent', async () => {
  const { engine, sentWith, renewals } = await afterSlowRenewals(1)
  await engine.poll('it is sent', () => sentWith.length > 0)
  assert.ok(renewals() >= 2)
  assert.ok(sentWith[0]! > MAX_CALL_MS, `${sentWith[0]} ms are left`)
})

test('a charge whose renewals are all answered late is not sent, and asked for again soon', async () => {
  const { life, engine, sentWith } = await afterSlowRenewals(Number.POSITIVE_INFINITY)
  await engine.poll('it is given up', async () => {
    const last = (await attemptsOf(life)).at(-1)!
    return last.checkAt !== null && Temporal.Instant.compare(last.checkAt, DUE) > 0
  })
  assert.deepEqual([sentWith, (await attemptsOf(life)).at(-1)!.checks], [[], 0])
})

test('a charge that is searched for while the work of its store is ended is neither searched for further nor sent, and is due at once', async () => {
  const life = await aRetry()
  const searched = Promise.withResolvers<void>()
  let [searches, sent] = [0, 0]
  const engine = anEngine(life, {
    async findAttemptsByKeys() {
      searches++
      await searched.promise
      return { ok: true, value: [] }
    },
    async createAttempts(requests) {
      sent += requests.length
      return requests.map(() => UNKNOWN)
    }
  })
  const last = async () => (await attemptsOf(life)).at(-1)!
  await engine.poll('the search', () => searches > 0)
  const ended = engine.endUnderWay!(life.storeId)
  searched.resolve()
  await ended
  const { status, leasedUntil, checks, checkAt } = await last()
  assert.deepEqual([searches, sent, status, leasedUntil, checks, checkAt], [1, 0, 'pending', null, 0, DUE])
  await engine.poll('it is sent when the work goes on', () => sent === 1)
  await engine.endUnderWay!(life.storeId)
})

test('a clock that is moved while the background searches for a charge settles with it sent', async (t) => {
  const life = await aRetry()
  const { storeId } = life
  const searched = Promise.withResolvers<void>()
  let [searches, sent] = [0, 0]
  const engine = anEngine(life, {
    async findAttemptsByKeys() {
      if (++searches === 1) await searched.promise
      return { ok: true, value: [] }
    },
    async createAttempts(requests) {
      sent += requests.length
      return requests.map(() => UNKNOWN)
    }
  })
  const node = await startNode(db)
  const runner = createRunner({
    db,
    engines: [engine],
    holds: node.holds,
    statuses: () => storeStatuses(db, [storeId]),
    freeLeases: async () => 0,
    onError: (err) => assert.fail(String(err))
  })
  t.after(async () => {
    await runner.stop()
    await node.stop()
  })
  runner.start()
  await until('the search', () => searches > 0)
  const settled = runner.alone(storeId, (store) => store.settle())
  await sleep(50)
  searched.resolve()
  await settled
  assert.deepEqual([sent, searches], [1, 3])
})

test('the pause before the next check begins when the search has ended', async () => {
  const life = await aRetry()
  const ends = DUE.add({ minutes: 30 })
  const engine = anEngine(life, {
    async findAttemptsByKeys() {
      await life.inStore((ctx) => setClock(ctx, ends))
      return NO_ANSWER
    }
  })
  await engine.poll('the search is written', async () => (await attemptsOf(life)).at(-1)!.leasedUntil === null)
  const { checkAt } = (await attemptsOf(life)).at(-1)!
  const pause = checkAt!.since(ends).total('seconds')
  assert.ok(pause >= 60 && pause <= 120, `${pause} s`)
})

test('a charge whose claim cannot be renewed, because the database is away, is not sent, and what was found is not lost', async () => {
  const life = await aRetry()
  let searches = 0
  /** The next statement fails. */
  let isAway = false
  const away = Object.create(db, {
    inStore: {
      async value(...args: Parameters<Database['inStore']>) {
        if (!isAway) return db.inStore(...args)
        isAway = false
        throw new Error('The database is away')
      }
    }
  })
  let sent = 0
  const engine = anEngine(
    life,
    {
      async findAttemptsByKeys() {
        if (++searches < 2) return { ok: true, value: [] }
        await sleep(MAX_CALL_MS / 3)
        isAway = true
        return { ok: true, value: [] }
      },
      async createAttempts(requests) {
        sent += requests.length
        return requests.map(() => UNKNOWN)
      }
    },
    { ofDatabase: away }
  )
  await engine.poll('it is written', async () => (await attemptsOf(life)).at(-1)!.leasedUntil === null)
  const { checks, checkAt } = (await attemptsOf(life)).at(-1)!
  assert.deepEqual([searches, sent, checks], [2, 0, 0])
  assert.ok(Temporal.Instant.compare(checkAt!, DUE) > 0)
})
