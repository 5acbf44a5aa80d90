import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createJobEngine } from '#kit/jobs'
import { Database, int, row, sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { until } from '../../../test/until.ts'
import { aCuttingProxy } from '../../../trials/cut-postgres.ts'
import { startNode } from './node.ts'
import { countLiveNodes } from './node-count.ts'

const { db, url } = await testDatabase()
const releaseJobs = createJobEngine({ db, leaseOwner: 0, jobs: [], deps: {} }).releaseLeases!

async function aNode(t: TestContext) {
  const node = await startNode(db)
  t.after(node.stop)
  return node
}
const store = await aStore(db)

const lease = (key: string, owner: number) =>
  store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`
      insert into jobs (store_id, kind, dedupe_key, payload, run_at, lease_token, lease_owner, leased_until)
      values (${storeId}, 'test', ${key}, '{}', ${now}, 1, ${owner}, clock_timestamp() + interval '1 hour')`)
  )
const ownersLeft = async () =>
  (
    await store.inStore(({ tx, storeId }) =>
      tx.many(
        row({ owner: int }),
        sql`
        select lease_owner as owner from jobs where store_id = ${storeId} and lease_owner is not null order by 1`
      )
    )
  ).map((r) => r.owner)
const backendsHolding = (id: number) =>
  db.inInstallation((tx) =>
    tx.many(
      row({ pid: int }),
      sql`
      select pid from pg_locks where locktype = 'advisory' and objid = ${id}::int::oid and objsubid = 2 and granted
         and database = (select oid from pg_database where datname = current_database())`
    )
  )

/** Ends the connection that holds this id. */
async function endSessionOf(id: number): Promise<{ pid: number }> {
  const [backend] = await backendsHolding(id)
  const session = await db.session()
  await session.query('reset role')
  await session.query('select pg_terminate_backend($1)', [backend!.pid])
  const end = once(session, 'end')
  await session.end()
  await end
  return backend!
}

test('frees the leases of nodes that are gone, and those only', async (t) => {
  const [one, two, gone] = [await aNode(t), await aNode(t), await aNode(t)]
  await lease('a', one.id)
  await lease('b', two.id)
  await lease('c', gone.id)
  await lease('d', gone.id)
  await gone.stop()

  assert.equal(await one.releaseDeadLeases([releaseJobs]), 2)
  assert.deepEqual(await ownersLeft(), [one.id, two.id])
  await two.stop()
  assert.equal(await one.releaseDeadLeases([releaseJobs]), 1)
  assert.equal(await one.releaseDeadLeases([releaseJobs]), 0)
})

test('while all nodes live, the leased tables are not read', async (t) => {
  const [node, _other] = [await aNode(t), await aNode(t)]
  await node.releaseDeadLeases([releaseJobs])
  const released = await node.releaseDeadLeases([() => assert.fail('the table is read')])
  assert.equal(released, 0)
})

test('takes the same identity again when its connection is lost', async (t) => {
  const [node, other] = [await aNode(t), await aNode(t)]
  const before = await endSessionOf(node.id)
  let [after] = await backendsHolding(node.id)
  while (!after || after.pid === before.pid) {
    await setTimeout(20)
    ;[after] = await backendsHolding(node.id)
  }
  await other.releaseDeadLeases([releaseJobs])
  await lease('e', node.id)
  assert.equal(await other.releaseDeadLeases([releaseJobs]), 0)
  await node.stop()
  assert.equal(await other.releaseDeadLeases([releaseJobs]), 1)
})

test('each node knows how many live', async (t) => {
  const start = async () => {
    const node = await startNode(db, undefined, 50)
    t.after(node.stop)
    return node
  }
  const one = await start()
  await until('the first is alone', () => one.nodes() === 1)
  const [two, three] = [await start(), await start()]
  await until('all know of each other', () => [one, two, three].every((node) => node.nodes() === 3))
  await three.stop()
  await two.stop()
  await until('the first has seen the others go', () => one.nodes() === 1)
})

test('one node leads; another takes over when it stops, or when its connection is lost', async (t) => {
  const [one, two] = [await aNode(t), await aNode(t)]
  assert.equal(await one.leads(), true)
  assert.equal(await two.leads(), false)
  assert.equal(await one.leads(), true)

  await endSessionOf(one.id)
  // A node asks for the lead every few seconds: only the clock by which it waits runs ahead.
  const now = performance.now.bind(performance)
  let aheadMs = 0
  t.mock.method(performance, 'now', () => now() + aheadMs)
  const wins = async (node: typeof one) => {
    for (let i = 0; i < 50; i++) {
      aheadMs += 5_000
      if (await node.leads()) return true
      await setTimeout(20)
    }
    return false
  }
  assert.equal(await wins(two), true, 'the other leads')
  await until('the first has its connection again', async () => (await backendsHolding(one.id)).length > 0)
  assert.equal(await one.leads(), false)

  await two.stop()
  assert.equal(await wins(one), true, 'the first leads again')
})

test('a node that cannot start, whichever statement fails, leaves no session that is opened again', async (t) => {
  const proxy = await aCuttingProxy(url)
  const through = new Database({ url: proxy.url })
  const session = await db.session()
  t.after(async () => {
    await through.close()
    await session.end()
    proxy.close()
  })
  const live = () => countLiveNodes((text, values) => session.query(text, values))
  const before = await live()
  for (let nth = 1; ; nth++) {
    proxy.cutAt(nth, 'after')
    const node = await startNode(through).catch(() => null)
    const wasCut = proxy.wasCut()
    proxy.cutAt(Number.POSITIVE_INFINITY, 'after')
    // Longer than until a session that is lost is opened again.
    await setTimeout(120)
    await node?.stop()
    await until('no node is left', async () => (await live()) === before)
    if (!wasCut) break
    assert.equal(node, null, `statement ${nth}`)
  }
})
