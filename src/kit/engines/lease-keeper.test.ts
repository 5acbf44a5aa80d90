import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../test/until.ts'
import { createLeaseKeeper } from './lease-keeper.ts'

/** Leases of 90 ms, extended every 30 ms by `extend`, and what was asked for. */
function aKeeper(extend: (things: string[]) => Promise<string[]> = async (things) => things) {
  const asked: [storeId: number, things: string[]][] = []
  const leases = createLeaseKeeper<string>({
    leaseMs: 90,
    extend(storeId, things) {
      asked.push([storeId, things])
      return extend(things)
    }
  })
  return { leases, asked }
}

test('leases are extended until they are let go, in each store for itself', async () => {
  const { leases, asked } = aKeeper()
  leases.keep(1, ['a', 'b'], performance.now())
  leases.keep(2, ['c'], performance.now())
  await until('two rounds', () => asked.length >= 4)
  assert.deepEqual(asked.slice(0, 2), [
    [1, ['a', 'b']],
    [2, ['c']]
  ])
  leases.letGo(1, ['a'])
  leases.letGo(2, ['c'])
  const before = asked.length
  await until('another round', () => asked.length > before)
  assert.deepEqual(asked.at(-1), [1, ['b']])
  leases.letGo(1, ['b'])
  const after = asked.length
  await sleep(100)
  assert.equal(asked.length, after, 'nobody is asked when nothing is kept')
})

test('leases are extended early enough for another try before their end', async () => {
  let extensions = 0
  const leases = createLeaseKeeper<string>({
    leaseMs: 1_800,
    async extend(_storeId, things) {
      extensions++
      return things
    }
  })
  const from = performance.now()
  leases.keep(1, ['a'], from)
  await until('the first', () => extensions > 0)
  assert.ok(performance.now() - from < 1_500)
  leases.letGo(1, ['a'])
})

test('a lease is surely ours until its end, and longer when it was extended; not when it was lost', async () => {
  const [first, second] = [Promise.withResolvers<string[]>(), Promise.withResolvers<string[]>()]
  const { leases, asked } = aKeeper(() => (asked.length === 1 ? first : second).promise)
  assert.equal(leases.isHeld(1, 'a'), false)
  leases.keep(1, ['a'], performance.now() - 91)
  assert.equal(leases.isHeld(1, 'a'), false)
  leases.keep(1, ['a', 'b'], performance.now() + 60_000)
  assert.ok(leases.isHeld(1, 'a'))
  await until('the question', () => asked.length === 1)
  first.resolve(['a'])
  await until('an answer', () => !leases.isHeld(1, 'b'))
  await until('the next question', () => asked.length === 2)
  leases.keep(1, ['a'], performance.now() + 60_000)
  second.resolve([])
  await sleep(0)
  assert.equal(leases.isHeld(1, 'a'), false)
  const before = asked.length
  await until('another question', () => asked.length > before)
  assert.deepEqual(asked.at(-1), [1, ['a', 'b']], 'they are still under way')
  leases.letGo(1, ['a', 'b'])
})

test('an extension lasts from before it was asked for', async () => {
  const answer = Promise.withResolvers<string[]>()
  const { leases, asked } = aKeeper(() => (asked.length === 1 ? answer.promise : Promise.resolve([])))
  leases.keep(1, ['a'], performance.now())
  await until('the question', () => asked.length === 1)
  await sleep(100)
  answer.resolve(['a'])
  await sleep(0)
  assert.equal(leases.isHeld(1, 'a'), false)
  leases.letGo(1, ['a'])
})

test('an extension that fails is repeated, and one that hangs is waited for; what was let go meanwhile stays so', async () => {
  const hanging = Promise.withResolvers<void>()
  const { leases, asked } = aKeeper(async (things) => {
    if (asked.length === 1) throw new Error('The database is away')
    if (asked.length === 2) await hanging.promise
    return things
  })
  leases.keep(1, ['a', 'b'], performance.now())
  await until('the second try', () => asked.length === 2)
  await sleep(120)
  assert.equal(asked.length, 2)
  assert.equal(leases.isHeld(1, 'a'), false)
  leases.letGo(1, ['b'])
  hanging.resolve()
  await until('one more', () => asked.length === 3)
  assert.deepEqual(asked.at(-1), [1, ['a']])
  leases.letGo(1, ['a'])
})

test('leases that are kept do not keep a process alive', () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const { leases } = aKeeper()
  const before = timers()
  leases.keep(1, ['a'], performance.now())
  assert.equal(timers(), before)
  leases.letGo(1, ['a'])
})
