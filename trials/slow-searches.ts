// Two nodes charge retries whose searches on the platform take longer than a claim on their attempts lasts. What came of one of them
// cannot be written at first.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, int, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { setClock } from '#stores'
import { createBillingEngine } from '../src/billing/billing-engine.ts'
import { openDueAttempts } from '../src/billing/charging/open-attempts.ts'
import { startChargingPlatform } from '../test/charging-platform.ts'
import { connectorTo, withCalls } from '../test/connectors.ts'
import { aDueStore } from '../test/due-store.ts'

/** `maxCallMs`: a claim lasts half as long again. Some searches take `searchMs`, which is longer. */
export type SlowSearchesTrial = {
  db: Database
  seed: number
  subscriptions: number
  maxCallMs: number
  searchMs: number
}
export type SlowSearchesReport = { charged: number; slow: number; chargedBefore: number }

const DUE = Temporal.Instant.from('2026-02-28T15:00:00Z')
const SLOW_SHARE = 0.2
/** Of the charges whose search is not slow, so many at least are made before the first slow one ends. */
const MIN_BEFORE = 0.5
const LIMIT_MS = 90_000
/** What was not sent for want of time is asked for again within two minutes of the store's clock. */
const CLOCK_EVERY_MS = 500

const REFUSED = 'nothing may be written of its first claim'

/** Has the database refuse every end of the first claim on an attempt of the store, whose key it returns. */
async function refuseFirstWrite(db: Database, storeId: number): Promise<string> {
  const { id, key } = await db.inStore(storeId, ({ tx }) =>
    tx.one(
      row({ id: int, key: text }),
      sql`select id, idempotency_key as key from billing_attempts where store_id = ${storeId} order by id limit 1`
    )
  )
  const session = await db.session()
  try {
    await session.query('reset role')
    await session.query(`
      create or replace function refuse_write() returns trigger language plpgsql as
        $$ begin raise exception '${REFUSED}'; end $$`)
    await session.query(`
      create or replace trigger refuse_write before update on billing_attempts for each row
        when (old.store_id = ${storeId} and old.id = ${id} and old.lease_token = 1 and new.lease_token = 1 and new.leased_until is null)
        execute function refuse_write()`)
  } finally {
    await session.end()
  }
  return key
}

/**
 * Charges that a process which is dead now may have sent: each is searched for, and sent when there is none. In the end each was
 * sent once and never searched for twice at once, and half of the others were charged before the first slow search had ended. Throws otherwise.
 */
export async function searchSlowly(trial: SlowSearchesTrial): Promise<SlowSearchesReport> {
  const { db, seed, subscriptions, maxCallMs, searchMs } = trial
  const random = randomFrom(seed)
  const platform = await startChargingPlatform()
  const { storeId, inStore } = await aDueStore(db, { subscriptions, dueAt: DUE })
  await inStore(async (ctx) => {
    while ((await openDueAttempts(ctx, 1_000)) > 0);
    await ctx.tx.run(sql`update billing_attempts set submitted_at = ${DUE} where store_id = ${storeId}`)
  })
  const left = async () =>
    (
      await inStore(({ tx }) =>
        tx.one(
          row({ n: int }),
          sql`select count(*) as n from billing_attempts where store_id = ${storeId} and status <> 'success'`
        )
      )
    ).n

  const unwritable = await refuseFirstWrite(db, storeId)
  let isUnwritable = true
  const isSlow = new Map<string, boolean>()
  const searching = new Set<string>()
  let [again, chargedBefore] = [0, -1]
  const access = { storeId, profile: 'platform' as const, url: platform.url, accessToken: 't' }
  const connector = withCalls(connectorTo(access, { timeoutMs: maxCallMs * 0.75, throttleWaitMs: maxCallMs / 4 }), {
    billing: {
      async findAttemptsByKeys(_contract, [key]) {
        if (searching.has(key!)) again++
        searching.add(key!)
        if (!isSlow.has(key!)) isSlow.set(key!, random() < SLOW_SHARE)
        if (isSlow.get(key!)) {
          await sleep(searchMs)
          if (chargedBefore < 0) chargedBefore = platform.charges.size
        }
        searching.delete(key!)
        // The platform does not answer its first search, which is all that there is to write.
        if (isUnwritable && key === unwritable) {
          isUnwritable = false
          return { ok: false, failure: { kind: 'unavailable', message: 'No answer' } }
        }
        return { ok: true, value: [] }
      }
    }
  })
  const endAt = performance.now() + LIMIT_MS
  let isOver = false
  const node = async (leaseOwner: number) => {
    const patience = { slowMs: 50, comeBackMs: 50 }
    const engine = createBillingEngine({ db, leaseOwner, connectorOf: async () => connector, maxCallMs, patience })
    const run = () =>
      engine.runOnce(storeId).catch((err) => {
        if (!String(err).includes(REFUSED)) throw err
        return 0
      })
    while (!isOver) if ((await run()) === 0) await sleep(20)
    await engine.endUnderWay?.(storeId)
  }
  const nodes = Promise.all([1, 2].map(node))
  try {
    for (let now = DUE; (await left()) > 0 && performance.now() < endAt; now = now.add({ minutes: 1 })) {
      await inStore((ctx) => setClock(ctx, now))
      await sleep(CLOCK_EVERY_MS)
    }
  } finally {
    isOver = true
    await nodes
    platform.close()
  }
  const slow = [...isSlow.values()].filter(Boolean).length
  const mostSent = Math.max(...platform.charges.values())
  const said = JSON.stringify({ charged: platform.charges.size, slow, chargedBefore, left: await left() })
  assert.equal(again, 0, `a charge was searched for again while it was searched for: ${said}`)
  assert.equal(mostSent, 1, `a charge was sent twice: ${said}`)
  assert.equal(platform.charges.size, subscriptions, `not everything was charged: ${said}`)
  assert.ok(slow > 0, `no search was slow: ${said}`)
  assert.ok(chargedBefore >= (subscriptions - slow) * MIN_BEFORE, `a slow search has held up other charges: ${said}`)
  return { charged: platform.charges.size, slow, chargedBefore }
}
