import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { startNodeClock } from './node-clock.ts'

const { db } = await testDatabase()

/** A node whose clock is ahead by `offset.ms`; what it was warned of. */
async function aNode(t: TestContext, ms: number) {
  const offset = { ms }
  const warnings: string[] = []
  const clock = await startNodeClock(db, {
    warn: (message) => void warnings.push(message),
    nodeNowMs: () => Date.now() + offset.ms
  })
  t.after(clock.stop)
  return { clock, offset, warnings }
}

/** The difference that is measured, as far as the round trip lets it be known. */
const about = (ms: number, expected: number) => Math.abs(ms - expected) < 500

test('clocks that agree: no warning, and the time is the database’s', async (t) => {
  const { clock, warnings } = await aNode(t, 0)
  assert.ok(about(clock.offsetMs(), 0), `${clock.offsetMs()}`)
  assert.deepEqual([clock.isRight(), clock.problem(), warnings.length], [true, null, 0])
  assert.ok(about(clock.now().epochMilliseconds, Date.now()))
})

for (const [ms, isRight, words] of [
  [1_500, true, null],
  [2_600, true, /^This machine's clock is 2\.\d s ahead of the database's\. Let both/],
  [-5_000, true, /^This machine's clock is [45]\.\d s behind the database's\. Let both/],
  [29_000, true, /^This machine's clock is 2[89]\.\d s ahead of the database's\. Let both/],
  [
    31_000,
    false,
    /3[01]\.\d s ahead of the database's: until they agree, no webhook is signed and this node is not ready/
  ],
  [-86_400_000, false, /86\d{3}\.\d s behind the database's: until they agree/]
] as const) {
  test(`a clock that differs by ${ms / 1000} s: ${words ? 'a warning with the figure' : 'no warning'}, ${isRight ? 'right' : 'not right'}`, async (t) => {
    const { clock, warnings } = await aNode(t, ms)
    assert.equal(clock.isRight(), isRight)
    assert.ok(about(clock.offsetMs(), ms), `${clock.offsetMs()}`)
    if (words === null) assert.deepEqual([clock.problem(), warnings.length], [null, 0])
    else {
      assert.match(clock.problem() ?? '', words)
      assert.deepEqual(warnings, [clock.problem()])
    }
    // Whatever this machine's clock says, the time is the database's.
    assert.ok(about(clock.now().epochMilliseconds, Date.now()))
  })
}

test('each measurement counts: a clock that goes wrong is noticed, and one that is corrected too', async (t) => {
  const { clock, offset, warnings } = await aNode(t, 0)
  offset.ms = 40_000
  await clock.measure()
  assert.equal(clock.isRight(), false)
  offset.ms = 0
  await clock.measure()
  assert.deepEqual([clock.isRight(), clock.problem(), warnings.length], [true, null, 1])
})

test('the clock is compared every minute', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { clock, offset } = await aNode(t, 0)
  offset.ms = 40_000
  t.mock.timers.tick(59_000)
  t.mock.timers.tick(1_000)
  t.mock.timers.reset()
  for (let i = 0; i < 200 && clock.isRight(); i++) await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(clock.isRight(), false)
})
