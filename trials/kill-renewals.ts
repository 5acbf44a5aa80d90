import assert from 'node:assert/strict'
import pg from 'pg'
import { randomFrom } from '#kit/random'
import { movePlatform } from '#stores'
import { createEndpoint } from '#webhooks'
import { aFaultyConnection, type Fault } from '../test/faulty-connection.ts'
import { freePort, startProcess } from '../test/service-process.ts'
import { testVault } from '../test/store-builder.ts'
import { BESIDE_THE_PLATFORM, startPlatform } from './platform.ts'
import { aTlsReceiver } from './receiver.ts'

const DOMAIN = 'kill-trial.example'

export type KillTrial = { databaseUrl: string; dataDir: string; subscriptions: number; kills: number; seed: number }
export type KillReport = {
  kills: number
  killedUnderWay: number
  spoiltCalls: Partial<Record<Fault, number>>
  charged: number
  events: number
  posts: number
  repeated: number
}

/**
 * Kills the service with SIGKILL at random moments of a renewal run and starts it again, over a connection to the platform that loses
 * 2 % of the responses, times out for 1 % and returns 503 for 1 %. In the end every subscription must be billed once, every event
 * delivered, and the auditor must have no findings. Throws otherwise.
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
    // A day more, for attempts whose result had to be read from the platform.
    const { now } = await service.call('POST', advance, { to: '2026-03-01T15:00:00Z' })
    assert.equal(now, '2026-03-01T15:00:00.000Z')

    const diagnosis = await service.call('POST', '/doctor', {})
    assert.deepEqual(diagnosis.findings, [])
    assert.deepEqual(receiver.odd, [])
    const { lost, hung, '503': refused } = line.faults
    return {
      kills: trial.kills,
      killedUnderWay,
      spoiltCalls: { lost, hung, '503': refused },
      ...(await examine(trial, receiver.posts))
    }
  } finally {
    await service?.kill()
    line.close()
    receiver.close()
    await platform.close()
  }
}

async function examine(trial: KillTrial, posts: Map<string, number>) {
  const client = new pg.Client({ connectionString: trial.databaseUrl })
  await client.connect()
  try {
    const billed = await client.query(
      `select s.id, count(a.id) filter (where a.status = 'success') as charged, count(a.id) as attempts
         from subscriptions s left join billing_attempts a on a.store_id = s.store_id and a.subscription_id = s.id
        group by s.id`
    )
    assert.equal(billed.rows.length, trial.subscriptions)
    for (const { id, charged, attempts } of billed.rows) {
      assert.deepEqual([Number(charged), Number(attempts)], [1, 1], `subscription ${id}`)
    }
    const deliveries = await client.query(
      `select d.webhook_id, count(t.try_number)::int as tries, count(t.try_number) filter (where t.failure is null)::int as successes
         from webhook_deliveries d left join webhook_tries t on t.store_id = d.store_id and t.day = d.day and t.delivery_id = d.id
        group by 1`
    )
    const events = await client.query('select count(*)::int as count from facts')
    assert.equal(deliveries.rows.length, events.rows[0].count)
    // member.created, subscription.created and .activated, billing.pending and .success.
    assert.equal(events.rows[0].count, trial.subscriptions * 5)
    for (const { webhook_id, successes, tries } of deliveries.rows) {
      assert.equal(successes, 1, successes === 1 ? '' : await historyOf(client, webhook_id))
      assert.ok(tries <= 6)
      assert.ok(posts.has(webhook_id), `${webhook_id} never arrived`)
    }
    const total = [...posts.values()].reduce((sum, n) => sum + n, 0)
    return {
      charged: billed.rows.length,
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
