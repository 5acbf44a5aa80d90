import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { throwFirst } from '#kit/engines'
import { type Ctx, instant, int, nullable, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { createKey, setClock } from '#stores'
import { freePort, startProcess } from '../test/service-process.ts'
import { BESIDE_THE_PLATFORM, startPlatform } from './platform.ts'

/** Fewer than 60 subscriptions, or the rate limit of the store would affect the result. */
export type ContentionTrial = { databaseUrl: string; dataDir: string; subscriptions: number; seed: number }
export type ContentionReport = { subscriptions: number; charged: number; retriesTaken: number; retriesRefused: number }

const DECLINED_AT = Temporal.Instant.from('2026-02-28T15:00:00Z')
const SETTLED_AFTER = { hours: 48 }
/** The four calls are made within this many milliseconds, in random order. */
const WITHIN_MS = 40
/** The time between two subscriptions; the schedulers of both processes run all the time. */
const APART_MS = 25
/** How long a request is repeated that a busy service refuses. */
const GIVE_UP_MS = 60_000

/**
 * Declined charges whose retry becomes due while two requests at different processes ask for a manual retry and a third cancels, in
 * an order given by the seed. In any order each cycle must be charged at most once, each subscription must end cancelled with
 * nothing open, requests may only succeed or be refused, and the auditor must have no findings. Throws otherwise.
 */
export async function contendForRetries(trial: ContentionTrial): Promise<ContentionReport> {
  const random = randomFrom(trial.seed)
  const ports = [await freePort(), await freePort()] as const
  const platform = await startPlatform(trial.databaseUrl, `http://127.0.0.1:${ports[0]}`)
  const start = (port: number) => startProcess({ ...trial, port, env: BESIDE_THE_PLATFORM })
  const services: Awaited<ReturnType<typeof start>>[] = []
  try {
    const storeId = await platform.aStore(`contention-${trial.seed}.example`, trial.subscriptions)
    const inStore = <T>(work: (ctx: Ctx) => Promise<T>) => platform.db.inStore(storeId, work)
    await platform.cards(storeId, ['insufficient_funds', 'success'])
    const { key } = await createKey(platform.db, { storeId, name: 'Trial' })
    const starts = await Promise.allSettled(ports.map(start))
    services.push(...starts.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])))
    throwFirst(starts)
    const [one, other] = services as [(typeof services)[0], (typeof services)[0]]
    const advance = (to: string) => one.call('POST', `/stores/store_${storeId}/clock/advance`, { to })
    await advance(DECLINED_AT.add({ hours: 1 }).toString())
    const declined = await inStore((ctx) =>
      ctx.tx.many(
        row({ attempt: int, subscription: int }),
        sql`
        select id as attempt, subscription_id as subscription from billing_attempts
         where store_id = ${storeId} and status = 'failed' order by id`
      )
    )
    assert.equal(declined.length, trial.subscriptions)
    const { retryAt } = await inStore((ctx) =>
      ctx.tx.one(
        row({ retryAt: instant }),
        sql`select max(billing_due_at) as retry_at from subscriptions where store_id = ${storeId}`
      )
    )

    const retries = { taken: 0, refused: 0 }
    const post = async (url: string, path: string, body: unknown): Promise<boolean> => {
      const response = await fetch(`${url}/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body)
      })
      const text = await response.text()
      // A machine with too much to do: nothing was changed, and a client repeats it.
      if (response.status === 503 && text.includes('nothing was changed') && performance.now() - began < GIVE_UP_MS) {
        await sleep(500)
        return post(url, path, body)
      }
      assert.ok(response.status < 300 || response.status === 400, `${path}: ${response.status} ${text}`)
      return response.ok
    }
    const retry = async (url: string, attempt: number) => {
      retries[(await post(url, `/billing-attempts/ba_${attempt}/retry`, {})) ? 'taken' : 'refused']++
    }
    const cancel = async (url: string, subscription: number) =>
      assert.ok(await post(url, `/subscriptions/sub_${subscription}/cancel`, { reason: 'other' }))

    const began = performance.now()
    const after = async <T>(ms: number, act: () => Promise<T>) => {
      await sleep(Math.max(ms - (performance.now() - began), 0))
      return act()
    }
    // Depending on the seed the schedulers come first or find most of the work done.
    const clockTurns = after(random() * APART_MS * declined.length, () => inStore((ctx) => setClock(ctx, retryAt)))
    await Promise.all([
      clockTurns,
      ...declined.flatMap(({ attempt, subscription }, i) => {
        const at = () => i * APART_MS + random() * WITHIN_MS
        return [
          after(at(), () => retry(one.url, attempt)),
          after(at(), () => retry(other.url, attempt)),
          after(at(), () => cancel(random() < 0.5 ? one.url : other.url, subscription))
        ]
      })
    ])
    await advance(retryAt.add(SETTLED_AFTER).toString())

    const ends = await inStore((ctx) =>
      ctx.tx.many(
        row({ contract: text, status: text, due: nullable(text), open: int, paid: int, made: int }),
        sql`
        select s.platform_contract_id as contract, s.status, s.billing_due_at::text as due,
               count(a.id) filter (where a.status = 'pending') as open, count(a.id) filter (where a.status = 'success') as paid,
               count(a.id) filter (where a.error_code is distinct from 'voided') as made
          from subscriptions s left join billing_attempts a on a.store_id = ${storeId} and a.subscription_id = s.id
         where s.store_id = ${storeId} group by s.store_id, s.id order by s.id`
      )
    )
    const charges = Map.groupBy(await platform.controls.charges(storeId), (charge) => charge.contractId)
    for (const { contract, paid, made } of ends) {
      // The one after the declined one is paid, or voided by the cancellation, which counts here as not made.
      assert.ok(made <= 2 && paid <= 1, `contract ${contract} has ${made} attempts, ${paid} of them paid`)
      assert.equal(charges.get(contract)?.length ?? 0, paid, `contract ${contract}: charges on the platform`)
    }
    for (const { contract, status, due, open } of ends) {
      assert.deepEqual({ status, due, open }, { status: 'cancelled', due: null, open: 0 }, `contract ${contract}`)
    }
    const { findings } = await one.call('POST', '/doctor', {})
    assert.deepEqual(findings, [])
    return {
      subscriptions: trial.subscriptions,
      charged: charges.size,
      retriesTaken: retries.taken,
      retriesRefused: retries.refused
    }
  } finally {
    await Promise.all(services.map((service) => service.kill()))
    await platform.close()
  }
}
