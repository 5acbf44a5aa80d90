import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBillingEngine } from '#billing'
import { changeCredits } from '#credits'
import { createDispatchEngine } from '#kit/dispatch'
import { createJobEngine } from '#kit/jobs'
import { Database, int, row, sql } from '#kit/postgres'
import { startWorker } from '#kit/worker'
import { audit, findCustomerIds } from '#reports'
import { stubConnector } from '../bench/stub-connector.ts'
import { consumers } from '../src/app/consumers.ts'
import { jobHandlers } from '../src/app/jobs.ts'
import { aDueStore, FIRST_NUMBER } from '../test/due-store.ts'
import type { BuiltStore } from '../test/store-builder.ts'
import { aCuttingProxy } from './cut-postgres.ts'

/** `stride` 1 is every statement; more leaves some out, others for each `seed`. */
export type CrashTrial = { databaseUrl: string; stride: number; seed: number }
export type CrashReport = { statements: number; crashes: number; repeatedCalls: number }

const DUE_AT = Temporal.Instant.from('2026-02-28T15:00:00Z')
const LEASED = ['jobs', 'billing_attempts']
const WAIT_FOR_LOCKS_MS = 20
const MOST_WAITS = 500

/**
 * A process that dies at the n-th statement of a renewal and the store credit after it, n from 1 until one gets through, once
 * before the statement and once after it. Started again, it ends with exactly one charge, one entry of credit, everything told
 * and nothing held. Throws where it does not.
 */
export async function crashAtEveryStatement({ databaseUrl, stride, seed }: CrashTrial): Promise<CrashReport> {
  const db = new Database({ url: databaseUrl })
  const proxy = await aCuttingProxy(databaseUrl)
  const report: CrashReport = { statements: 0, crashes: 0, repeatedCalls: 0 }
  try {
    for (const side of ['before', 'after'] as const) {
      for (let nth = 1 + (seed % stride); ; nth += stride) {
        const store = await aDueStore(db, { subscriptions: 1, dueAt: DUE_AT })
        const calls: string[] = []
        proxy.cutAt(nth, side)
        await asProcess(proxy.url, (process) => renew(process, store, calls)).catch((err) => {
          if (!proxy.wasCut()) throw err
        })
        const isThrough = !proxy.wasCut()
        proxy.cutAt(Number.POSITIVE_INFINITY, side)
        await asProcess(databaseUrl, (process) => renew(process, store, calls))
        await assertOnce(store, calls, `${side} statement ${nth}`)
        report.repeatedCalls += calls.length - 1
        if (isThrough) break
        report.crashes++
        report.statements = Math.max(report.statements, nth)
      }
    }
    return report
  } finally {
    proxy.close()
    await db.close()
  }
}

type Process = { db: Database; leaseOwner: number }

/** Frees what a dead one had leased, works, and ends; whatever it holds is gone then. */
async function asProcess(url: string, work: (process: Process) => Promise<void>): Promise<void> {
  const db = new Database({ url })
  try {
    const worker = await startWorker(db)
    try {
      await worker.releaseDeadLeases(LEASED)
      await work({ db, leaseOwner: worker.id })
    } finally {
      await worker.stop()
    }
  } finally {
    await db.close()
  }
}

/** Charge, settle, push, tell, credit. */
async function renew({ db, leaseOwner }: Process, store: BuiltStore, calls: string[]): Promise<void> {
  const connector = stubConnector({ now: DUE_AT, priceMinor: 2900, onCharge: (keys) => void calls.push(...keys) })
  const connectorOf = async () => connector
  const engines = [
    createBillingEngine({ db, leaseOwner, connectorOf }),
    createJobEngine({ db, leaseOwner, handlers: jobHandlers({ db, connectorOf }) }),
    createDispatchEngine({ db, consumers })
  ]
  // The server may take a moment to notice that the other process has gone.
  for (let waits = 0; ; waits++) {
    let done = 0
    for (const engine of engines) done += await engine.runOnce(store.storeId)
    const dues = await Promise.all(engines.map((engine) => engine.nextDueAt(store.storeId)))
    if (dues.every((due) => due === null || Temporal.Instant.compare(due, DUE_AT) > 0)) break
    assert.ok(waits < MOST_WAITS, 'what is due is not taken')
    if (done === 0) await sleep(WAIT_FOR_LOCKS_MS)
  }
  await db.inStore(store.storeId, async (ctx) => {
    const [found] = await findCustomerIds(ctx, [{ memberId: null, platformId: String(FIRST_NUMBER + 1) }])
    const add = { type: 'manual_add' as const, amountMinor: 500, reason: 'trial', operationId: 'trial:1' }
    await changeCredits(ctx, [{ ...add, memberId: found! }])
  })
}

async function assertOnce(store: BuiltStore, calls: string[], where: string): Promise<void> {
  const found = await store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ attempts: int, paid: int, entries: int, held: int, untold: int }),
      sql`
      select (select count(*) from billing_attempts where store_id = ${storeId}) as attempts,
             (select count(*) from billing_attempts where store_id = ${storeId} and status = 'success') as paid,
             (select count(*) from credit_entries where store_id = ${storeId}) as entries,
             (select count(*) from jobs where store_id = ${storeId})
               + (select count(*) from billing_attempts where store_id = ${storeId} and lease_owner is not null) as held,
             (select count(*) from events where store_id = ${storeId} and not dispatched and type like 'billing.%') as untold`
    )
  )
  assert.deepEqual(found, { attempts: 1, paid: 1, entries: 1, held: 0, untold: 0 }, where)
  assert.ok(calls.length > 0 && new Set(calls).size === 1, `${where}: charged under ${calls.join(', ')}`)
  assert.deepEqual((await store.inStore(audit)).findings, [], where)
}
