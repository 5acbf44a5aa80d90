// Nodes of each role on one database: web serves requests and runs no engine, worker runs engines and serves no requests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql } from '#kit/postgres'
import { testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'
import { until } from './until.ts'

const { db, url } = await testDatabase()
const web = await startService(url, { role: 'web', background: true })

/** Which engines have run on a node, by its own metrics. */
async function enginesOf(node: { url: string }): Promise<Set<string>> {
  const metrics = await (await fetch(`${node.url}/metrics`)).text()
  return new Set([...metrics.matchAll(/^perennial_engine_runs_total\{engine="(\w+)"\} \d+/gm)].map(([, name]) => name!))
}

const LEADER_LOCK = 7_236_003

/** How many nodes lead in housekeeping. */
async function leaders(): Promise<number> {
  const { count } = await db.inInstallation((tx) =>
    tx.one(
      row({ count: int }),
      sql`select count(*) as count from pg_locks where locktype = 'advisory' and classid = ${LEADER_LOCK}::int::oid
             and granted and database = (select oid from pg_database where datname = current_database())`
    )
  )
  return count
}

test('work created by a web node is done by a worker', async (t) => {
  // The web node moves the clock before another node exists.
  const store = await web.aStore()
  const receiver = await aReceiver()
  const endpoint = await web.admin('POST', `${store.at}/webhooks`, { url: receiver.url, events: ['member.updated'] })
  receiver.secret = endpoint.secret
  await store.member('ada@example.com')
  await store.advance({ by: 'P1M' })
  const ran = await enginesOf(web)
  assert.ok(ran.has('billing') && ran.has('inbound'), 'the request that moves a clock runs the engines itself')

  // It polls once: what comes later is reported to it.
  const worker = await startService(url, { role: 'worker', background: true, publicUrl: web.url, pollMs: 3_600_000 })
  t.after(worker.stop)
  await until('the worker leads', async () => (await leaders()) === 1)
  const { body } = await web.get('/members', store.key)
  const before = await runsOf(web)
  const heard = receiver.received.length
  assert.equal((await web.patch(`/members/${body.data[0].id}`, store.key, { first_name: 'Augusta' })).status, 200)
  await until('the webhook', () => receiver.received.length > heard)
  assert.deepEqual(await runsOf(web), before)
  assert.ok((await enginesOf(worker)).has('deliveries'))

  // With a worker running, the web node still moves clocks, with the same result.
  await store.advance({ to: '2026-04-01T00:00:00Z' })
  const attempts = (await web.get('/billing-attempts', store.key)).body.data
  assert.deepEqual(
    attempts.map((a: { status: string }) => a.status),
    ['success', 'success']
  )
})

/** How often each engine has run on a node. */
async function runsOf(node: { url: string }): Promise<string[]> {
  const metrics = await (await fetch(`${node.url}/metrics`)).text()
  return [...metrics.matchAll(/^perennial_engine_runs_total.*$/gm)].map(([line]) => line).sort()
}

test('a web node does no housekeeping', async (t) => {
  assert.equal(await leaders(), 0)
  const worker = await startService(url, { role: 'worker', background: true, publicUrl: web.url })
  t.after(worker.stop)
  await until('the worker leads', async () => (await leaders()) === 1)
  await worker.stop()
  assert.equal(await leaders(), 0)
})

test('a worker serves only its health check', async () => {
  const worker = await startService(url, { role: 'worker', publicUrl: web.url })
  const statusOf = async (path: string) => (await fetch(`${worker.url}${path}`)).status
  for (const path of ['/livez', '/readyz', '/metrics']) assert.equal(await statusOf(path), 200, path)
  for (const path of ['/v1/members', '/admin/api/stores', '/docs', '/platform/webhooks', '/apps/svc-api/'])
    assert.equal(await statusOf(path), 404, path)
  const { error } = (await (await fetch(`${worker.url}/admin/api/stores`)).json()) as { error: { message: string } }
  assert.match(error.message, /^This node is a worker and serves only .*role web or all/)
  await worker.stop()
})
