import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isOutage } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { awayWhile } from '../../../test/failing-database.ts'
import { until } from '../../../test/until.ts'
import { createLeasedFlights, type EndedPiece } from './leased-flights.ts'

const { db } = await testDatabase()

/** Work on things, each a piece of its own that waits for `end` of it, under leases of 90 ms; `fail` is the error of a record. */
function aStore({ fail = async () => {}, longMs }: { fail?: (thing: string) => Promise<void>; longMs?: number } = {}) {
  const extended: string[][] = []
  const recorded: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const flights = createLeasedFlights<string, string>({
    leaseMs: 90,
    patience: { slowMs: 20, comeBackMs: 10 },
    longMs,
    async extend(_storeId, things) {
      extended.push(things)
      return things
    },
    record: (_storeId, ended: EndedPiece<string, string>[]) =>
      Promise.allSettled(
        ended.map(async ({ things, end }) => {
          await fail(things[0]!)
          recorded.push(`${things}: ${end.status === 'fulfilled' ? end.value : end.reason}`)
        })
      )
  })
  const pieceOf = (...things: string[]) => {
    const end = Promise.withResolvers<string>()
    ends.set(things[0]!, end)
    return { things, work: () => end.promise }
  }
  const claimed: string[][] = []
  return {
    flights,
    extended,
    recorded,
    pieceOf,
    /** What claims were to leave out. */
    claimed,
    claim: (...groups: string[][]) =>
      flights.claim(1, async (except) => {
        claimed.push(except)
        return groups.map((things) => pieceOf(...things))
      }),
    end: (thing: string) => ends.get(thing)!,
    /** What is extended from now on. */
    async kept() {
      const before = extended.length
      await sleep(100)
      return extended.length > before ? extended.at(-1)! : []
    }
  }
}

/** An error of the driver, as of a server that ends the connection. */
const anOutage = async (): Promise<void> => void (await awayWhile(db, () => true).inStore(1, async () => {}))

test('what is claimed is kept until it is recorded, and left out of the next claim until then', async () => {
  const { flights, claim, claimed, end, kept, recorded } = aStore()
  assert.equal(await claim(['a', 'b'], ['c']), 3)
  await claim()
  assert.deepEqual(claimed, [[], ['a', 'b', 'c']])
  assert.deepEqual(await kept(), ['a', 'b', 'c'])
  assert.ok(flights.isHeld(1, 'a'))
  end('a').resolve('done')
  assert.equal(await flights.record(1), 1)
  await claim()
  assert.deepEqual([recorded, claimed.at(-1), await kept()], [['a,b: done'], ['c'], ['c']])
  end('c').resolve('done')
  await flights.endUnderWay(1)
  assert.deepEqual([flights.load(1), await kept()], [{ underWay: 0, slow: 0 }, []])
})

test('what an outage keeps from being recorded is under way, kept and left out of claims until the next try has recorded it', async () => {
  let isAway = true
  const store = aStore({ fail: () => (isAway ? anOutage() : Promise.resolve()) })
  const { flights, claim, claimed, end, kept, recorded } = store
  await claim(['a'])
  end('a').resolve('paid')
  await assert.rejects(flights.record(1), isOutage)
  assert.deepEqual([flights.load(1).underWay, flights.free(1, 4), await kept()], [1, 3, ['a']])
  await claim()
  assert.deepEqual(claimed.at(-1), ['a'])
  await assert.rejects(flights.endUnderWay(1), isOutage)
  assert.equal(flights.load(1).underWay, 1)
  isAway = false
  assert.equal(await flights.record(1), 1)
  assert.deepEqual([recorded, flights.load(1).underWay, await kept()], [['a: paid'], 0, []])
})

test('what cannot be recorded although the database answers is let go, also where the work failed; the rest is recorded', async () => {
  const { flights, claim, claimed, end, kept, recorded } = aStore({
    fail: (thing) => (thing === 'a' ? Promise.reject(new Error('It does not fit')) : Promise.resolve())
  })
  await claim(['a'], ['b'], ['c'])
  end('a').resolve('1')
  end('b').reject(new Error('It failed'))
  end('c').resolve('3')
  await assert.rejects(flights.endUnderWay(1), /It does not fit/)
  assert.deepEqual(recorded, ['b: Error: It failed', 'c: 3'])
  await claim()
  assert.deepEqual([flights.load(1).underWay, claimed.at(-1), await kept()], [0, [], []])
})

test('work that throws at once, and a record that fails as a whole, leave nothing kept', async () => {
  const flights = createLeasedFlights<string, string>({
    leaseMs: 90,
    extend: async (_storeId, things) => things,
    record: () => Promise.reject(new Error('No record'))
  })
  const work = () => {
    throw new Error('No work')
  }
  await flights.claim(1, async () => [{ things: ['a'], work }])
  await assert.rejects(flights.record(1), /No record/)
  assert.deepEqual([flights.load(1).underWay, flights.isHeld(1, 'a')], [0, false])
})

test('while work is ended nothing is claimed, and the work knows; afterwards it goes on', async () => {
  const { flights, claim, end, recorded } = aStore({ fail: () => sleep(100) })
  await claim(['a'])
  const ended = flights.endUnderWay(1)
  assert.ok(flights.isEnding(1) && !flights.isEnding(2))
  assert.equal(await claim(['b']), 0)
  const again = flights.endUnderWay(1)
  end('a').resolve('done')
  await Promise.race([ended, again])
  assert.deepEqual([recorded, flights.isEnding(1)], [[], true], 'the other one still records it')
  await Promise.all([ended, again])
  assert.deepEqual([recorded, flights.isEnding(1)], [['a: done'], false])
  assert.equal(await claim(['b']), 1)
  end('b').resolve('done')
  await flights.endUnderWay(1)
})

test('things that further work begins for are kept until that is recorded too', async () => {
  const kept: string[] = []
  const last = Promise.withResolvers<string>()
  const flights = createLeasedFlights<string, string>({
    leaseMs: 90,
    patience: { slowMs: 20, comeBackMs: 10 },
    async extend(_storeId, things) {
      kept.splice(0, kept.length, ...things)
      return things
    },
    async record(storeId, ended) {
      if (ended.some(({ things }) => things.length > 1))
        flights.goOn(storeId, [{ things: ['b'], work: () => last.promise }])
      return ended.map(() => ({ status: 'fulfilled', value: null }))
    }
  })
  await flights.claim(1, async () => [{ things: ['a', 'b'], work: async () => 'both' }])
  await flights.record(1)
  await until('the rest is kept', () => kept.join() === 'b')
  assert.ok(flights.isHeld(1, 'b') && !flights.isHeld(1, 'a'))
  last.resolve('b')
  await flights.endUnderWay(1)
  assert.equal(flights.isHeld(1, 'b'), false)
})

test('things for all of which further work begins are kept too, in the same list', async () => {
  const last = Promise.withResolvers<string>()
  let isAgain = false
  const flights = createLeasedFlights<string, string>({
    leaseMs: 90,
    patience: { slowMs: 20, comeBackMs: 10 },
    extend: async (_storeId, things) => things,
    async record(storeId, ended) {
      if (!isAgain) flights.goOn(storeId, [{ things: ended[0]!.things, work: () => last.promise }])
      isAgain = true
      return ended.map(() => ({ status: 'fulfilled', value: null }))
    }
  })
  await flights.claim(1, async () => [{ things: ['a'], work: async () => 'first' }])
  await flights.record(1)
  assert.ok(flights.isHeld(1, 'a'))
  last.resolve('a')
  await flights.endUnderWay(1)
  assert.equal(flights.isHeld(1, 'a'), false)
})

test('what is let go although it is not recorded is extended no more, and recorded when that is possible', async () => {
  let isAway = true
  const { flights, claim, end, kept, recorded } = aStore({ fail: () => (isAway ? anOutage() : Promise.resolve()) })
  await claim(['a'], ['b'])
  end('a').resolve('paid')
  await assert.rejects(flights.record(1), isOutage)
  await flights.letGo(1)
  assert.deepEqual(await kept(), ['b'], 'what is still under way is kept')
  isAway = false
  end('b').resolve('paid')
  await flights.endUnderWay(1)
  assert.deepEqual(recorded, ['a: paid', 'b: paid'])
})

test('what is under way for longer than work lasts is reported, with the time since when', async () => {
  const { flights, claim, end } = aStore({ longMs: 50 })
  const before = performance.now()
  await claim(['a', 'b'], ['c'])
  assert.deepEqual(flights.keptLong(), [])
  await sleep(60)
  await claim(['d'])
  const [long, ...others] = flights.keptLong()
  assert.deepEqual([long!.storeId, long!.things, others], [1, 3, []])
  assert.ok(long!.sinceMs >= before && long!.sinceMs <= before + 50)
  for (const thing of ['a', 'c', 'd']) end(thing).resolve('done')
  await flights.endUnderWay(1)
  assert.deepEqual(flights.keptLong(), [])
})

test('what has ended, and waits for the database for long, is not reported as work that hangs', async () => {
  const { flights, claim, end } = aStore({ longMs: 30, fail: anOutage })
  await claim(['a'], ['b'])
  end('a').resolve('paid')
  await assert.rejects(flights.record(1), isOutage)
  await sleep(50)
  assert.deepEqual(
    flights.keptLong().map(({ things }) => things),
    [1]
  )
  end('b').resolve('paid')
})

test('what two that record at once cannot record is recorded later, both', async () => {
  let isAway = true
  const failed: string[] = []
  const begun = Promise.withResolvers<void>()
  const other = Promise.withResolvers<void>()
  const { flights, claim, end, recorded } = aStore({
    async fail(thing) {
      if (!isAway) return
      if (thing === 'a') {
        begun.resolve()
        await other.promise
      }
      failed.push(thing)
      await anOutage()
    }
  })
  await claim(['a'])
  end('a').resolve('1')
  await sleep(5)
  const one = assert.rejects(flights.record(1), isOutage)
  await begun.promise
  await claim(['b'])
  end('b').resolve('2')
  await assert.rejects(flights.record(1), isOutage)
  assert.deepEqual(failed, ['b'], 'while the first is still being recorded')
  other.resolve()
  await one
  isAway = false
  await flights.endUnderWay(1)
  assert.deepEqual(recorded.toSorted(), ['a: 1', 'b: 2'])
})
