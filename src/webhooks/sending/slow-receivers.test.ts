import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { int, row, sql } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { testDatabase } from '../../../test/database.ts'
import { endpointIdOf } from '../endpoints/endpoint.ts'
import { aFact, aReceiver, aSendingStore } from '../receiver.test-helper.ts'

const { db } = await testDatabase()

const EVENTS = 1_000
// The times of the contract, a hundred times as fast: responses after 2 to 30 s, retries after 1 and 5 min.
const FASTER = 100
const RESPONSE_MS = { least: 2_000 / FASTER, most: 30_000 / FASTER }
const WAITS_MS = [60_000 / FASTER, 300_000 / FASTER]
/** Not scaled: on a busy machine everything takes longer. */
const TIMEOUT_MS = 5_000
/**
 * First tries that may begin while a retry is due: about as many as there are retries due before it. Not in milliseconds, since
 * nothing is in time on a machine that is too busy.
 */
const MAX_BEFORE_A_RETRY = 300
/** A receiver that responds at once gets eight at a time; this one takes eight times as long as that on average. */
const MANY_AT_ONCE = 40

type Attempt = { deliveryId: number; tryNumber: number; startMs: number; endMs: number; failed: number }

test('a receiver that takes long has its events and retries in time, and holds up nobody', async (t) => {
  const random = randomFrom(13)
  const seen = new Map<string, number>()
  let atOnce = 0
  let maxAtOnce = 0
  const slow = await aReceiver(({ body }, response) => {
    const { data, webhook_id } = JSON.parse(body) as { data: { subscription_id: string }; webhook_id: string }
    const tries = (seen.get(webhook_id) ?? 0) + 1
    seen.set(webhook_id, tries)
    maxAtOnce = Math.max(maxAtOnce, ++atOnce)
    const n = Number(data.subscription_id.slice(4))
    // Every second one fails once, every fourth twice.
    const status = (tries === 1 && n % 2 === 0) || (tries === 2 && n % 4 === 0) ? 503 : 200
    const { least, most } = RESPONSE_MS
    setTimeout(
      () => {
        atOnce--
        response.writeHead(status).end()
      },
      least + random() * (most - least)
    )
  })
  const hanging = await aReceiver(() => {})
  const quick = await aReceiver()
  const store = await aSendingStore(db, {
    timeoutMs: TIMEOUT_MS,
    slowMs: RESPONSE_MS.least,
    schedule: { maxTries: 3, delaysSeconds: WAITS_MS.map((ms) => ms / 1_000) }
  })
  const { id } = await store.anEndpoint({ url: slow.url })
  await store.anEndpoint({ url: hanging.url })
  await store.anEndpoint({ url: quick.url })
  for (let n = 0; n < EVENTS; n += 500) {
    await store.record(...Array.from({ length: 500 }, (_, i) => aFact(n + i)))
  }
  while ((await store.dispatch.runOnce(store.storeId)) > 0);

  const openOfSlow = () =>
    store.inStore(({ tx, storeId }) =>
      tx.one(
        row({ open: int }),
        sql`select count(*) as open from webhook_queue where store_id = ${storeId} and endpoint_id = ${endpointIdOf(id)}`
      )
    )
  let isQuickFirst = false
  while ((await openOfSlow()).open > 0) {
    if ((await store.sender.runOnce(store.storeId)) === 0) await sleep(10)
    isQuickFirst ||= quick.received.length === EVENTS && slow.received.length < EVENTS * 1.5
  }
  await store.sender.stop(0)

  const tries = await store.inStore(({ tx, storeId }) =>
    tx.many(
      row({ deliveryId: int, tryNumber: int, startMs: int, endMs: int, failed: int }),
      sql`
      select t.delivery_id, t.try_number, (extract(epoch from t.started_at) * 1000)::bigint as start_ms,
             (extract(epoch from t.started_at) * 1000)::bigint + t.duration_ms as end_ms, (t.failure is not null)::int as failed
        from webhook_tries t
        join webhook_deliveries d on d.store_id = ${storeId} and d.day = t.day and d.id = t.delivery_id
       where t.store_id = ${storeId} and d.endpoint_id = ${endpointIdOf(id)}
       order by t.delivery_id, t.try_number`
    )
  )
  const failedOnce = EVENTS / 2
  assert.equal(tries.length, EVENTS + failedOnce + EVENTS / 4)
  assert.equal(tries.filter((one) => one.failed === 1).length, failedOnce + EVENTS / 4)
  const late = lateness(tries)
  const worst = Math.max(...late)
  const max = Math.max(...firstTriesBefore(tries))
  t.diagnostic(
    `${maxAtOnce} at once; the latest of ${late.length} retries came after ${worst} ms and ${max} first tries`
  )
  assert.ok(Math.min(...late) >= -5, 'no retry comes early')
  assert.ok(maxAtOnce >= MANY_AT_ONCE, `${maxAtOnce} at once`)
  assert.ok(max < MAX_BEFORE_A_RETRY, `${max} first tries began before a retry that was due`)
  assert.ok(isQuickFirst, 'the quick receiver had all of its events first')
})

const dueOf = (before: Attempt) => before.endMs + WAITS_MS[before.tryNumber - 1]!

/** How long after its time each retry began. */
const lateness = (tries: Attempt[]) => retriesOf(tries).map(({ retry, before }) => retry.startMs - dueOf(before))

/** How many first tries began while each retry was due. */
function firstTriesBefore(tries: Attempt[]): number[] {
  const firsts = tries.filter(({ tryNumber }) => tryNumber === 1)
  return retriesOf(tries).map(
    ({ retry, before }) => firsts.filter(({ startMs }) => startMs >= dueOf(before) && startMs < retry.startMs).length
  )
}

const retriesOf = (tries: Attempt[]) =>
  tries.flatMap((retry, i) => (retry.tryNumber === 1 ? [] : [{ retry, before: tries[i - 1]! }]))
