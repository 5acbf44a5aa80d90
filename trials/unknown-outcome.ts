import assert from 'node:assert/strict'
import { audit } from '#audit'
import { createBillingEngine, settleAttempts } from '#billing'
import type { Engine } from '#kit/engines'
import { createJobEngine } from '#kit/jobs'
import { createFactEngines } from '#kit/outbox'
import { type Database, int, row, sql } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import type { AttemptRequest, PlatformAttempt, PlatformResult } from '#platform'
import { setClock } from '#stores'
import { stubConnector } from '../bench/stub-connector.ts'
import { consumers } from '../src/app/consumers.ts'
import { jobs } from '../src/app/jobs.ts'
import { noMail } from '../src/app/mail.ts'
import { withCalls } from '../test/connectors.ts'
import { aDueStore } from '../test/due-store.ts'
import type { BuiltStore } from '../test/store-builder.ts'
import { testVault } from '../test/store-builder.ts'

export type UnknownTrial = { db: Database; subscriptions: number; seed: number }
export type UnknownReport = { subscriptions: number; calls: number; executedUnheard: number; settledByMessage: number }

const DUE_AT = Temporal.Instant.from('2026-02-28T15:00:00Z')
const DARK_HOURS = 24
const MAX_STEPS = 200

/**
 * Charges on a platform that for 24 hours accepts calls without responding and carries out half of them. All attempts stay pending
 * with their first key. Then a quarter is settled by the platform's messages, the others by reading their result. Each subscription
 * must be charged exactly once. Throws otherwise.
 */
export async function outcomeUnknown({ db, subscriptions, seed }: UnknownTrial): Promise<UnknownReport> {
  const store = await aDueStore(db, { subscriptions, dueAt: DUE_AT })
  const platform = aDarkPlatform(seed)
  const connectorOf = async () => platform.connector
  const engines = [
    createBillingEngine({ db, leaseOwner: 1, connectorOf }),
    createJobEngine({ db, leaseOwner: 1, jobs, deps: { db, vault: testVault, connectorOf, sendMail: noMail } }),
    ...createFactEngines({ db, consumers })
  ]

  const until = DUE_AT.add({ hours: DARK_HOURS })
  await walk(store, engines, until, async () => {
    const { open, all } = await countAttempts(store)
    assert.deepEqual([open, all], [subscriptions, subscriptions], `${open} of ${all} attempts wait for their outcome`)
  })
  const executedUnheard = platform.charges.size
  assert.equal(platform.keys.size, subscriptions, 'another key was sent for a cycle whose outcome is unknown')
  assert.ok(platform.calls() > subscriptions, 'the platform was never asked again')

  const reported = [...platform.charges.values()].filter((_, i) => i % 2 === 0)
  await store.inStore((ctx) =>
    settleAttempts(
      ctx,
      reported.map(({ idempotencyKey, id, order, paymentMethod }) => ({
        idempotencyKey,
        platformAttemptId: id,
        state: 'success',
        order,
        paymentMethod
      }))
    )
  )
  platform.light()
  await walk(store, engines, until.add({ hours: 72 }), async () => {})

  assert.deepEqual(await countAttempts(store), { open: 0, all: subscriptions, paid: subscriptions })
  assert.equal(platform.charges.size, subscriptions)
  assert.equal(platform.keys.size, subscriptions)
  const { left } = await store.inStore(({ tx, storeId }) =>
    tx.one(row({ left: int }), sql`select count(*) as left from jobs where store_id = ${storeId}`)
  )
  assert.equal(left, 0, 'what follows from a charge is not done')
  assert.deepEqual((await store.inStore(audit)).findings, [])
  return { subscriptions, calls: platform.calls(), executedUnheard, settledByMessage: reported.length }
}

/** Does everything that is due up to `until`, step by step, and checks after each step. */
async function walk(store: BuiltStore, engines: Engine[], until: Temporal.Instant, look: () => Promise<void>) {
  for (let step = 0; step < MAX_STEPS; step++) {
    for (let done = 1; done > 0; ) {
      done = 0
      for (const engine of engines) done += await engine.runOnce(store.storeId)
    }
    await look()
    const dues = await Promise.all(engines.map((engine) => engine.nextDueAt(store.storeId)))
    const next = dues.flatMap((due) => due ?? []).sort(Temporal.Instant.compare)[0]
    if (!next || Temporal.Instant.compare(next, until) > 0) return store.inStore((ctx) => setClock(ctx, until))
    await store.inStore((ctx) => setClock(ctx, next))
  }
  throw new Error(`After ${MAX_STEPS} steps there is still work due`)
}

function countAttempts(store: BuiltStore) {
  return store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ open: int, all: int, paid: int }),
      sql`
      select count(*) filter (where status = 'pending') as open, count(*) as all, count(*) filter (where status = 'success') as paid
        from billing_attempts where store_id = ${storeId}`
    )
  )
}

/** Until `light` no call gets a response, but half of the charges are carried out. */
function aDarkPlatform(seed: number) {
  const random = randomFrom(seed)
  const stub = stubConnector({ now: DUE_AT, priceMinor: 2900 })
  const charges = new Map<string, PlatformAttempt>()
  const keys = new Set<string>()
  let isDark = true
  let calls = 0
  const respond = async <T>(value: () => T): Promise<PlatformResult<T>> => {
    calls++
    if (!isDark) return { ok: true, value: value() }
    return { ok: false, failure: { kind: 'unavailable', message: 'No answer', outcomeUnknown: true } }
  }
  const charge = async (request: AttemptRequest): Promise<PlatformResult<PlatformAttempt>> => {
    const known = keys.has(request.idempotencyKey)
    keys.add(request.idempotencyKey)
    const [created] = await stub.billing.createAttempts([request])
    assert.ok(created?.ok)
    const isExecuted = charges.has(request.idempotencyKey) || !isDark || (!known && random() < 0.5)
    if (isExecuted) charges.set(request.idempotencyKey, created.value)
    return respond(() => created.value)
  }
  const connector = withCalls(stub, {
    billing: {
      createAttempts: (requests) => Promise.all(requests.map(charge)),
      findAttempts: (ids) =>
        respond(
          () =>
            new Map([...charges.values()].filter(({ id }) => ids.includes(id)).map((created) => [created.id, created]))
        ),
      findAttemptsByKeys: (_, keys) => respond(() => keys.flatMap((key) => charges.get(key) ?? []))
    }
  })
  return {
    connector,
    charges,
    keys,
    calls: () => calls,
    light() {
      isDark = false
    }
  }
}
