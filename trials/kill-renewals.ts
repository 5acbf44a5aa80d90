import assert from 'node:assert/strict'
import pg from 'pg'
import { row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { movePlatform } from '#stores'
import { createEndpoint } from '#webhooks'
import { type ChargeFaults, UNKIND } from '../sandbox/index.ts'
import { aFaultyConnection, type Fault } from '../test/faulty-connection.ts'
import { freePort, startProcess } from '../test/service-process.ts'
import { testVault } from '../test/store-builder.ts'
import { BESIDE_THE_PLATFORM, startPlatform } from './platform.ts'
import { aTlsReceiver } from './receiver.ts'

const DOMAIN = 'kill-trial.example'

export type KillTrial = {
  databaseUrl: string
  dataDir: string
  subscriptions: number
  kills: number
  seed: number
  /** Shares of charges whose result is wrong, late or missing; left out: those of `WRONG_RESULTS`. */
  wrong?: Partial<ChargeFaults>
}
export type KillReport = {
  kills: number
  killedUnderWay: number
  spoiltCalls: Partial<Record<Fault, number>>
  /** By what the platform did with a charge. */
  outcomes: Record<string, number>
  charged: number
  events: number
  posts: number
  repeated: number
}

/** Keys are forgotten at once, since the clock stands still while a killed process is replaced. */
const FAULTS: ChargeFaults = { ...UNKIND, keyMinutes: 0 }
const WRONG_RESULTS: ChargeFaults = { never: 0.005, late: 0.03, reversed: 0.02, corrected: 0.02, reportedFailed: 0.02 }
/** Until then the last retry of a charge that was reported as failed is due, and has found it paid. */
const SETTLED_BY = '2026-03-03T15:00:00Z'

/**
 * Kills the service with SIGKILL at random moments of a renewal run and starts it again, over a connection to the platform that loses
 * 2 % of the responses, times out for 1 % and returns 503 for 1 %. The platform protects nobody: it pays a second key of a cycle,
 * forgets keys at once, numbers cycles anew with every edit, and of some charges the result is late, wrong at first,
 * taken back or missing. In the end the platform must have made one charge of every contract, under one key, by its orders; what
 * was paid must be recorded once, every event delivered, and the auditor must have no findings. Throws otherwise.
 */
export async function killDuringRenewals(trial: KillTrial): Promise<KillReport> {
  const random = randomFrom(trial.seed)
  // Over TLS, since the service does not run in sandbox mode.
  const receiver = await aTlsReceiver()
  const port = await freePort()
  const platform = await startPlatform(trial.databaseUrl, `http://127.0.0.1:${port}`)
  const line = await aFaultyConnection({
    target: platform.url,
    shares: { lost: 0.02, hung: 0.01, '503': 0.01 },
    seed: trial.seed
  })
  const start = () => startProcess({ ...trial, port, env: BESIDE_THE_PLATFORM })
  let service: Awaited<ReturnType<typeof start>> | null = null
  try {
    const storeId = await platform.aStore(DOMAIN, trial.subscriptions)
    const faults = { ...FAULTS, ...(trial.wrong ?? WRONG_RESULTS), seed: trial.seed }
    await platform.controls.setChargeFaults({ storeId, faults })
    const settings = { vault: testVault, addresses: { loopback: false, allow: ['127.0.0.0/8'] } }
    receiver.secret = (await createEndpoint(platform.db, storeId, { url: receiver.url }, settings)).secret
    await movePlatform(platform.db, storeId, `${line.url}/${DOMAIN}`)

    const advance = `/stores/store_${storeId}/clock/advance`
    let killedUnderWay = 0
    for (let kill = 0; kill < trial.kills; kill++) {
      service = await start()
      const advanced = service.call('POST', advance, { to: '2026-02-28T15:00:00Z' }).then(
        () => true,
        () => false
      )
      // The times between kills add up to more than the run, so that kills affect every part of it.
      await new Promise((resolve) => setTimeout(resolve, Math.floor(random() * 60 * Math.sqrt(trial.subscriptions))))
      await service.kill()
      if (!(await advanced)) killedUnderWay++
    }
    service = await start()
    const { now } = await service.call('POST', advance, { to: SETTLED_BY })
    assert.equal(now, Temporal.Instant.from(SETTLED_BY).toString({ fractionalSecondDigits: 3 }))
    const charges = await examineCharges(platform, storeId, trial)

    const diagnosis = await service.call('POST', '/doctor', {})
    assert.deepEqual(diagnosis.findings, [])
    assert.deepEqual(receiver.odd, [])
    const { lost, hung, '503': refused } = line.faults
    return {
      kills: trial.kills,
      killedUnderWay,
      spoiltCalls: { lost, hung, '503': refused },
      outcomes: charges.outcomes,
      ...(await examine(trial, receiver.posts, charges))
    }
  } finally {
    await service?.kill()
    line.close()
    receiver.close()
    await platform.close()
  }
}

type Platform = Awaited<ReturnType<typeof startPlatform>>

/**
 * What the platform itself has: one attempt per contract, so that no outcome was ever given another key, and one order for it, except
 * where the result never came. Returns those contracts.
 */
async function examineCharges(platform: Platform, storeId: number, trial: KillTrial) {
  const attempts = await platform.db.inInstallation((tx) =>
    tx.many(
      row({ contractId: text, key: text, outcome: text, status: text }),
      sql`
      select contract_id::text as contract_id, coalesce(shown_key, idempotency_key) as key, outcome, status
        from sandbox.billing_attempts where store_id = ${storeId}`
    )
  )
  assert.equal(attempts.length, trial.subscriptions, 'attempts on the platform')
  for (const [name, of] of [
    ['contract', Map.groupBy(attempts, ({ contractId }) => contractId)],
    ['key', Map.groupBy(attempts, ({ key }) => key)]
  ] as const) {
    for (const [what, made] of of) assert.equal(made.length, 1, `${name} ${what}: ${JSON.stringify(made)}`)
  }
  const charges = await platform.controls.charges(storeId)
  const periods = Map.groupBy(charges, ({ contractId, periodAt }) => `${contractId} ${periodAt}`)
  for (const [period, paid] of periods) assert.equal(paid.length, 1, `charged again: ${period}`)
  const unpaid = new Set(attempts.filter(({ outcome }) => outcome === 'never').map(({ contractId }) => contractId))
  assert.equal(charges.length, trial.subscriptions - unpaid.size, 'charges on the platform')
  for (const { contractId } of charges) assert.ok(!unpaid.has(contractId))
  const counts = Map.groupBy(attempts, ({ outcome }) => outcome)
  return { outcomes: Object.fromEntries([...counts].map(([outcome, { length }]) => [outcome, length])), unpaid }
}

async function examine(
  trial: KillTrial,
  posts: Map<string, number>,
  { outcomes, unpaid }: Awaited<ReturnType<typeof examineCharges>>
) {
  const client = new pg.Client({ connectionString: trial.databaseUrl })
  await client.connect()
  try {
    const billed = await client.query(
      `select s.id, s.platform_contract_id as contract, count(a.id) filter (where a.status = 'success')::int as charged,
              count(a.id) filter (where a.status = 'pending')::int as open,
              count(a.id) filter (where a.status = 'failed' and a.error_code <> 'superseded')::int as declined
         from subscriptions s left join billing_attempts a on a.store_id = s.store_id and a.subscription_id = s.id
        group by s.id, s.platform_contract_id`
    )
    assert.equal(billed.rows.length, trial.subscriptions)
    for (const { id, contract, ...attempts } of billed.rows) {
      const isUnpaid = unpaid.has(contract)
      const expected = { charged: isUnpaid ? 0 : 1, open: isUnpaid ? 1 : 0, declined: 0 }
      assert.deepEqual(attempts, expected, `subscription ${id}`)
    }
    const taken = await client.query('select count(*)::int as back from billing_attempts where reversed_at is not null')
    assert.equal(taken.rows[0].back, outcomes.reversed ?? 0, 'results that were taken back')
    const deliveries = await client.query(
      `select d.webhook_id, count(t.try_number)::int as tries, count(t.try_number) filter (where t.failure is null)::int as successes
         from webhook_deliveries d left join webhook_tries t on t.store_id = d.store_id and t.day = d.day and t.delivery_id = d.id
        group by 1`
    )
    const events = await client.query(
      `select count(*)::int as count, count(*) filter (where name = 'billing.success')::int as successes,
              count(*) filter (where name in ('member.created', 'subscription.created', 'subscription.activated'))::int as begun
         from facts`
    )
    assert.equal(deliveries.rows.length, events.rows[0].count)
    assert.equal(events.rows[0].begun, trial.subscriptions * 3)
    assert.equal(events.rows[0].successes, trial.subscriptions - unpaid.size)
    for (const { webhook_id, successes, tries } of deliveries.rows) {
      assert.equal(successes, 1, successes === 1 ? '' : await historyOf(client, webhook_id))
      assert.ok(tries <= 6)
      assert.ok(posts.has(webhook_id), `${webhook_id} never arrived`)
    }
    const total = [...posts.values()].reduce((sum, n) => sum + n, 0)
    return {
      charged: billed.rows.length - unpaid.size,
      events: events.rows[0].count as number,
      posts: total,
      repeated: total - posts.size
    }
  } finally {
    await client.end()
  }
}

/** All rows about a delivery, for the message of a failed trial. */
async function historyOf(client: pg.Client, webhookId: string): Promise<string> {
  const { rows } = await client.query(
    `select to_jsonb(d) - 'body' as delivery, to_jsonb(q) as queued,
            (select jsonb_agg(to_jsonb(t) order by t.try_number) from webhook_tries t
              where t.store_id = d.store_id and t.day = d.day and t.delivery_id = d.id) as tries
       from webhook_deliveries d left join webhook_queue q on q.store_id = d.store_id and q.delivery_id = d.id
      where d.webhook_id = $1`,
    [webhookId]
  )
  return JSON.stringify(rows, null, 2)
}
