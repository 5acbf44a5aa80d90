import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { test } from 'node:test'
import { startNode } from '#kit/engines'
import { createConnectors, requestedScopes } from '#platform'
import { startSandbox } from '../sandbox/start-sandbox.test-helper.ts'
import { testDatabase } from './database.ts'
import { theValue } from './fake-platform.ts'
import { until } from './until.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db, requestedScopes)

const CALLS_OF_EACH = 60
/** Each call costs a point. */
const BUCKET = { costCapacity: 20, costRestoreRate: 40 }

test('two nodes stay within the cost budget of their store', async (t) => {
  const { base: url, storeId, shop } = await sandbox.aShop(BUCKET)
  const nodes = [await startNode(db, undefined, 50), await startNode(db, undefined, 50)]
  for (const node of nodes) t.after(node.stop)
  await until('both know of each other', () => nodes.every((node) => node.nodes() === 2))
  const connectors = nodes.map((node) =>
    createConnectors({ nodes: node.nodes, throttleWaitMs: 60_000 }).to({
      storeId,
      profile: 'platform',
      url,
      accessToken: shop.accessToken
    })
  )
  // The first responses state the cost of a call and the bucket.
  for (const connector of connectors) theValue(await connector.shop.read())

  // A call that is throttled is sent again, so the requests beyond one for each call were throttled.
  let requests = 0
  const count = () => void requests++
  diagnostics.subscribe('undici:request:create', count)
  t.after(() => diagnostics.unsubscribe('undici:request:create', count))
  const calls = connectors.flatMap(({ shop }) => Array.from({ length: CALLS_OF_EACH }, () => shop.read()))
  const results = await Promise.all(calls)

  assert.equal(results.filter((result) => !result.ok).length, 0)
  const throttled = requests - calls.length
  assert.ok(throttled <= calls.length / 8, `${throttled} of ${requests} requests were throttled`)
})
