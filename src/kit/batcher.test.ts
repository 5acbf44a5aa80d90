import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatcher, runBatched } from './batcher.ts'
import { Database } from './postgres/index.ts'

/** A batcher whose batches finish only when the test calls `next`, and the list of its batches. */
function manualBatcher(maxItems = 3, maxWaiting = 10) {
  const batches: { key: number; items: string[]; go: () => void }[] = []
  const batcher = createBatcher<number, string, string>({
    maxItems,
    maxWaiting,
    work: async (key, items) => {
      const gate = Promise.withResolvers<void>()
      batches.push({ key, items, go: gate.resolve })
      await gate.promise
      if (items.includes('bad')) throw new Error(`${items.join()} failed`)
      return items.map((item) => item.toUpperCase())
    }
  })
  const next = async () => {
    await new Promise(setImmediate)
    batches.at(-1)!.go()
    await new Promise(setImmediate)
  }
  return { batcher, batches, next }
}

test('the first item runs at once; items that arrive meanwhile run in batches of at most maxItems, in order', async () => {
  const { batcher, batches, next } = manualBatcher()
  const outcomes = Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => batcher(1, item)))
  assert.deepEqual(batches, [{ ...batches[0]!, key: 1, items: ['a'] }])
  for (let i = 0; i < 3; i++) await next()
  assert.deepEqual(
    batches.map(({ items }) => items),
    [['a'], ['b', 'c', 'd'], ['e']]
  )
  assert.deepEqual(await outcomes, ['A', 'B', 'C', 'D', 'E'])
})

test('keys do not wait for each other', async () => {
  const { batcher, batches } = manualBatcher()
  void batcher(1, 'a')
  void batcher(2, 'b')
  assert.deepEqual(
    batches.map(({ key, items }) => [key, items]),
    [
      [1, ['a']],
      [2, ['b']]
    ]
  )
  for (const { go } of batches) go()
})

test('when a batch fails, its items are tried one by one and only the bad one fails', async () => {
  const { batcher, batches, next } = manualBatcher()
  const outcomes = Promise.allSettled(['a', 'b', 'bad', 'c'].map((item) => batcher(1, item)))
  for (let i = 0; i < 5; i++) await next()
  assert.deepEqual(
    batches.map(({ items }) => items),
    [['a'], ['b', 'bad', 'c'], ['b'], ['bad'], ['c']]
  )
  assert.deepEqual(
    (await outcomes).map((o) => (o.status === 'fulfilled' ? o.value : (o.reason as Error).message)),
    ['A', 'B', 'bad failed', 'C']
  )
})

test('a key with maxWaiting items refuses more until some have run; other keys are not affected', async () => {
  const { batcher, batches, next } = manualBatcher(3, 2)
  const first = Promise.all(['a', 'b', 'c'].map((item) => batcher(1, item)))
  await assert.rejects(batcher(1, 'd'), { code: 'unavailable' })
  const other = batcher(2, 'x')
  batches[0]!.go()
  await new Promise(setImmediate)
  const late = batcher(1, 'e')
  batches[1]!.go()
  for (let i = 0; i < 2; i++) await next()
  assert.deepEqual([await first, await other, await late], [['A', 'B', 'C'], 'X', 'E'])
})

const unreachable = new Database({ url: 'postgres://127.0.0.1:1/none' })
const outage = await unreachable.inInstallation(async () => {}).catch((err) => err)
await unreachable.close()

test('after an outage of a batch no item is tried again', async () => {
  const tried: string[][] = []
  const outcomes = await runBatched(['a', 'b'], async (items) => {
    tried.push(items)
    throw outage
  })
  assert.deepEqual(tried, [['a', 'b']])
  assert.deepEqual(outcomes, Array(2).fill({ status: 'rejected', reason: outage }))
})

test('an outage while items are tried one by one fails the rest untried', async () => {
  const tried: string[][] = []
  const outcomes = await runBatched(['a', 'b', 'c', 'd'], async (items) => {
    tried.push(items)
    if (items.length > 1) throw new Error('bad')
    if (items[0] === 'b') throw outage
    return items
  })
  assert.deepEqual(tried, [['a', 'b', 'c', 'd'], ['a'], ['b']])
  const lost = { status: 'rejected', reason: outage }
  assert.deepEqual(outcomes, [{ status: 'fulfilled', value: 'a' }, lost, lost, lost])
})
